# find_package(leno) gives
#
#   leno_add_check(target [NAME name] [ARGS args...] [OPTIONS options...] [ALLOW_UNKNOWN])
#
# a test `name` (leno-target if not said) that ctest runs: it checks the program `target`
# with these arguments, with these options of `leno check`. A bug fails the test, and so
# does a check that is not exhaustive, unless ALLOW_UNKNOWN is said: then it is skipped.
#
# Only instrumented programs can be checked. If this build does not use leno-cc and
# leno-c++, the tests build the project a second time, with them, in the folder `leno` of the
# build directory (LENO_CMAKE_ARGS: a list of more arguments for that cmake).

set(_leno_places "${CMAKE_CURRENT_LIST_DIR}/../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../../target/release")
find_program(LENO leno HINTS ${_leno_places})
find_program(LENO_CC leno-cc HINTS ${_leno_places})
find_program(LENO_CXX leno-c++ HINTS ${_leno_places})
mark_as_advanced(LENO LENO_CC LENO_CXX)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(leno REQUIRED_VARS LENO LENO_CC LENO_CXX)

# Whether this build makes instrumented programs.
function(_leno_is_compiler result)
  set(found FALSE)
  foreach(language C CXX)
    get_filename_component(name "${CMAKE_${language}_COMPILER}" NAME)
    if(name MATCHES "^leno-c(c|[+][+])$")
      set(found TRUE)
    endif()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The tests that build the project a second time, once for all checks.
function(_leno_second_build)
  get_property(known GLOBAL PROPERTY LENO_SECOND_BUILD)
  if(known)
    return()
  endif()
  set_property(GLOBAL PROPERTY LENO_SECOND_BUILD TRUE)
  add_test(NAME leno-configure
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_SOURCE_DIR} -B ${CMAKE_BINARY_DIR}/leno -G ${CMAKE_GENERATOR}
      -DCMAKE_C_COMPILER=${LENO_CC} -DCMAKE_CXX_COMPILER=${LENO_CXX}
      -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -Dleno_DIR=${leno_DIR} ${LENO_CMAKE_ARGS})
  add_test(NAME leno-build COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR}/leno --parallel)
  set_tests_properties(leno-configure PROPERTIES FIXTURES_SETUP leno-configured)
  set_tests_properties(leno-build PROPERTIES
    FIXTURES_REQUIRED leno-configured FIXTURES_SETUP leno-built)
endfunction()

function(leno_add_check target)
  cmake_parse_arguments(PARSE_ARGV 1 check "ALLOW_UNKNOWN" "NAME" "ARGS;OPTIONS")
  if(check_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "leno_add_check(${target}): what is ${check_UNPARSED_ARGUMENTS}?")
  endif()
  if(NOT check_NAME)
    set(check_NAME leno-${target})
  endif()
  _leno_is_compiler(instrumented)
  if(instrumented)
    add_test(NAME ${check_NAME} COMMAND ${LENO} check
      --output ${CMAKE_CURRENT_BINARY_DIR}/leno.out/${check_NAME}
      ${check_OPTIONS} -- $<TARGET_FILE:${target}> ${check_ARGS})
    if(check_ALLOW_UNKNOWN)
      set_tests_properties(${check_NAME} PROPERTIES SKIP_RETURN_CODE 3)
    endif()
  else()
    _leno_second_build()
    add_test(NAME ${check_NAME} COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${CMAKE_BINARY_DIR}/leno
      --output-on-failure --no-tests=error -R "^${check_NAME}$")
    set_tests_properties(${check_NAME} PROPERTIES FIXTURES_REQUIRED leno-built)
  endif()
endfunction()
