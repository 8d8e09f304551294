# `make leno-check` for a Makefile that builds with $(CC) and $(CXX):
#
#     LENO_CHECKS = queue-test
#     include leno.mk
#
# builds queue-test with leno-cc in leno.build, a copy of this directory, so that ordinary
# objects and instrumented ones never mix, and checks it. What can be set:
#
#     LENO_CHECKS         the programs, by the names of their targets
#     LENO_ARGS_prog      arguments of one program
#     LENO_OPTIONS        options of `leno check` for all, LENO_OPTIONS_prog for one
#     LENO_MAKE           more arguments for the make in leno.build
#     LENO_EXCLUDE        what is not copied, besides LENO_OBJECTS and the programs
#     LENO_ALLOW_UNKNOWN  if not empty, a check that finds no bug but is not exhaustive
#                         (status 3) is no failure
#
# With `make -k leno-check` one failure does not keep the others from being checked.

LENO ?= leno
LENO_CC ?= leno-cc
LENO_CXX ?= leno-c++
LENO_BUILD ?= leno.build
# Must be made anew by leno-cc. Override it if your sources contain such files.
LENO_OBJECTS ?= *.o *.lo *.la *.a *.so *.so.* .libs *.gch *.pch

.PHONY: leno-check leno-build leno-clean
leno-check: $(LENO_CHECKS:%=leno-check-of-%)

# The times of files are kept, to the nanosecond (posix), so that what has not changed is
# not made anew and what has changed is.
leno-build:
	@mkdir -p $(LENO_BUILD)
	@tar -c --format=posix --exclude-vcs --anchored $(patsubst %,--exclude='./%',$(LENO_BUILD) $(LENO_CHECKS) $(LENO_EXCLUDE)) \
	    --no-anchored $(patsubst %,--exclude='%',$(LENO_OBJECTS)) -f - . | tar -x -C $(LENO_BUILD) -f -
	+$(MAKE) -C $(LENO_BUILD) CC='$(LENO_CC)' CXX='$(LENO_CXX)' $(LENO_MAKE) $(LENO_CHECKS)

$(LENO_CHECKS:%=leno-check-of-%): leno-check-of-%: leno-build
	cd $(LENO_BUILD) && $(LENO) check --output leno.out/$* $(LENO_OPTIONS) $(LENO_OPTIONS_$*) -- ./$* $(LENO_ARGS_$*) \
	    || { status=$$?; test $$status -eq 3 && test -n '$(LENO_ALLOW_UNKNOWN)' || exit $$status; }

leno-clean:
	rm -rf $(LENO_BUILD)
