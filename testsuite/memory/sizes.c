// What cannot be had is refused, and nothing overflows.
// leno: verdict=safe
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    volatile size_t huge = SIZE_MAX;
    void *p = malloc(16);
    errno = 0;
    assert(calloc(huge / 2, 3) == NULL && errno == ENOMEM);
    assert(malloc(huge) == NULL);
    assert(malloc(huge - 15) == NULL);
    assert(realloc(p, huge) == NULL);
    assert(reallocarray(p, huge / 2, 3) == NULL);
    assert(aligned_alloc(64, huge - 63) == NULL);
    assert(pvalloc(huge) == NULL);
    void *out = p;
    assert(posix_memalign(&out, 64, huge) == ENOMEM);
    assert(posix_memalign(&out, 3, 8) == EINVAL);
    assert(posix_memalign(&out, 4, 8) == EINVAL && out == p);
    assert(posix_memalign(&out, 4096, 8) == 0 && (uintptr_t)out % 4096 == 0);
    free(out);
    /* the old block is still there */
    *(char *)p = 1;
    free(p);
    free(NULL);
    return 0;
}
