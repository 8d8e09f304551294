/* What functions of the C library do to memory, checked byte by byte.

   A case is a call and a range that it reads or writes. One thread makes the call while
   another one touches a byte: the first or the last of the range, which must be a race,
   or the one before or behind it, which must not. A read is met by a write, a write by a
   read, so a model that takes one for the other is noticed as well.

   Usage: cases NAME PLACE, or cases (lists the names, and where in its buffer each range
   begins). */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
#undef basename

static char space[4][1024] __attribute__((aligned(16)));
#define A (space[0] + 64)
#define B (space[1] + 64)
#define C (space[2] + 64)
#define D (space[3] + 64)
#define WA ((wchar_t *)A)
#define WB ((wchar_t *)B)
#define WC ((wchar_t *)C)

static FILE *file;
static int ends[2];
static regex_t expression;

static void text(char *to, const char *from)
{
    strcpy(to, from);
}

static void wide(wchar_t *to, const wchar_t *from)
{
    wcscpy(to, from);
}

/* A stream with this content, at its beginning. */
static void stream(const char *content)
{
    file = tmpfile();
    if (write(fileno(file), content, strlen(content)) < 0 || lseek(fileno(file), 0, SEEK_SET) < 0)
        abort();
}

static void fill(const char *content)
{
    if (pipe(ends) || write(ends[1], content, strlen(content)) < 0)
        abort();
}

static void sockets(const char *content)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || write(ends[1], content, strlen(content)) < 0)
        abort();
}

static void vectors(size_t first, size_t second)
{
    struct iovec pieces[] = {{A, first}, {B, second}};
    memcpy(C, pieces, sizeof pieces);
}

static int ordered(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

static int ordered_by(const void *a, const void *b, void *unused)
{
    (void)unused;
    return *(const char *)a - *(const char *)b;
}

#define WITH_LIST(name, type, parameters, call) \
    static int name parameters                  \
    {                                           \
        va_list list;                           \
        va_start(list, format);                 \
        int result = call;                      \
        va_end(list);                           \
        return result;                          \
    }
WITH_LIST(v_snprintf, int, (char *to, size_t n, const char *format, ...), vsnprintf(to, n, format, list))
WITH_LIST(v_sprintf, int, (char *to, const char *format, ...), vsprintf(to, format, list))
WITH_LIST(v_printf, int, (const char *format, ...), vprintf(format, list))
WITH_LIST(v_fprintf, int, (FILE *to, const char *format, ...), vfprintf(to, format, list))
WITH_LIST(v_dprintf, int, (int to, const char *format, ...), vdprintf(to, format, list))
WITH_LIST(v_asprintf, int, (char **to, const char *format, ...), vasprintf(to, format, list))
WITH_LIST(v_sscanf, int, (const char *from, const char *format, ...), vsscanf(from, format, list))
WITH_LIST(v_fscanf, int, (FILE *from, const char *format, ...), vfscanf(from, format, list))
WITH_LIST(v_swprintf, int, (wchar_t *to, size_t n, const wchar_t *format, ...), vswprintf(to, n, format, list))
WITH_LIST(v_swscanf, int, (const wchar_t *from, const wchar_t *format, ...), vswscanf(from, format, list))

void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__stpcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);
int __sprintf_chk(char *, int, size_t, const char *, ...);
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
int __printf_chk(int, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
char *__fgets_chk(char *, size_t, int, FILE *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
ssize_t __read_chk(int, void *, size_t, size_t);
int __xpg_strerror_r(int, char *, size_t);
char *__xpg_basename(char *);
int __isoc99_sscanf(const char *, const char *, ...);

enum kind { READ, WRITE };
struct test {
    const char *name;
    enum kind kind;
    void (*prepare)(void);
    void (*call)(void);
    char *(*base)(void);
    size_t count;
};

/* The cases: name, kind, where the range begins, its bytes, preparation, call. */
#define CASES                                                                                     \
    T(memcpy, WRITE, A, 5, , memcpy(A, B, 5))                                                     \
    T(memcpy_from, READ, B, 5, , memcpy(A, B, 5))                                                 \
    T(memmove, WRITE, A, 7, , memmove(A, B, 7))                                                   \
    T(mempcpy, WRITE, A, 7, , mempcpy(A, B, 7))                                                   \
    T(memset, WRITE, A, 9, , memset(A, 1, 9))                                                     \
    T(bzero, WRITE, A, 9, , bzero(A, 9))                                                          \
    T(explicit_bzero, WRITE, A, 9, , explicit_bzero(A, 9))                                        \
    T(bcopy, WRITE, B, 6, , bcopy(A, B, 6))                                                       \
    T(swab, WRITE, B, 6, , swab(A, B, 6))                                                         \
    T(memfrob, WRITE, A, 6, , memfrob(A, 6))                                                      \
    T(memccpy, WRITE, A, 4, text(B, "abcxdef"), memccpy(A, B, 'x', 9))                            \
    T(memccpy_all, WRITE, A, 9, text(B, "abcdefghijk"), memccpy(A, B, 'x', 9))                    \
    T(memcmp, READ, B, 6, , sink = memcmp(A, B, 6))                                               \
    T(bcmp, READ, B, 6, , sink = bcmp(A, B, 6))                                                   \
    T(memchr, READ, A, 4, text(A, "abcxdef"), sink = !memchr(A, 'x', 8))                          \
    T(memchr_all, READ, A, 6, text(A, "abcdefgh"), sink = !memchr(A, 'x', 6))                     \
    T(memrchr, READ, A + 3, 4, text(A, "abcxdef"), sink = !memrchr(A, 'x', 7))                    \
    T(rawmemchr, READ, A, 4, text(A, "abcxdef"), sink = !rawmemchr(A, 'x'))                       \
    T(memmem, READ, A, 5, text(A, "abcxydef"), sink = !memmem(A, 8, "xy", 2))                     \
    T(strlen, READ, A, 4, text(A, "abc"), sink = strlen(A))                                       \
    T(strnlen, READ, A, 2, text(A, "abc"), sink = strnlen(A, 2))                                  \
    T(strcpy, WRITE, A, 4, text(B, "abc"), strcpy(A, B))                                          \
    T(strcpy_from, READ, B, 4, text(B, "abc"), strcpy(A, B))                                      \
    T(stpcpy, WRITE, A, 4, text(B, "abc"), stpcpy(A, B))                                          \
    T(strncpy, WRITE, A, 8, text(B, "abc"), strncpy(A, B, 8))                                     \
    T(strncpy_from, READ, B, 2, text(B, "abc"), strncpy(A, B, 2))                                 \
    T(stpncpy, WRITE, A, 8, text(B, "abc"), stpncpy(A, B, 8))                                     \
    T(strcat, WRITE, A + 2, 4, (text(A, "xy"), text(B, "abc")), strcat(A, B))                     \
    T(strncat, WRITE, A + 2, 3, (text(A, "xy"), text(B, "abc")), strncat(A, B, 2))                \
    T(strcmp, READ, A, 3, (text(A, "abcd"), text(B, "abxd")), sink = strcmp(A, B))                \
    T(strcmp_all, READ, B, 5, (text(A, "abcd"), text(B, "abcd")), sink = strcmp(A, B))            \
    T(strncmp, READ, A, 2, (text(A, "abcd"), text(B, "abxd")), sink = strncmp(A, B, 2))           \
    T(strcasecmp, READ, B, 3, (text(A, "abcd"), text(B, "ABxd")), sink = strcasecmp(A, B))        \
    T(strncasecmp, READ, B, 2, (text(A, "abcd"), text(B, "ABxd")), sink = strncasecmp(A, B, 2))   \
    T(strcoll, READ, A, 4, (text(A, "abc"), text(B, "abc")), sink = strcoll(A, B))                \
    T(strxfrm, WRITE, A, 4, text(B, "abc"), sink = strxfrm(A, B, 16))                             \
    T(strverscmp, READ, A, 4, (text(A, "abc"), text(B, "abc")), sink = strverscmp(A, B))          \
    T(strchr, READ, A, 3, text(A, "abxcd"), sink = !strchr(A, 'x'))                               \
    T(strchr_none, READ, A, 6, text(A, "abxcd"), sink = !strchr(A, 'y'))                          \
    T(strchrnul, READ, A, 6, text(A, "abxcd"), sink = !strchrnul(A, 'y'))                         \
    T(index, READ, A, 3, text(A, "abxcd"), sink = !index(A, 'x'))                                 \
    T(strrchr, READ, A, 6, text(A, "abxcd"), sink = !strrchr(A, 'x'))                             \
    T(rindex, READ, A, 6, text(A, "abxcd"), sink = !rindex(A, 'x'))                               \
    T(strstr, READ, A, 4, text(A, "abxycd"), sink = !strstr(A, "xy"))                             \
    T(strstr_none, READ, A, 7, text(A, "abxycd"), sink = !strstr(A, "xz"))                        \
    T(strcasestr, READ, A, 4, text(A, "abxycd"), sink = !strcasestr(A, "XY"))                     \
    T(strspn, READ, A, 4, text(A, "aabxcd"), sink = strspn(A, "ab"))                              \
    T(strcspn, READ, A, 4, text(A, "aabxcd"), sink = strcspn(A, "x"))                             \
    T(strpbrk, READ, A, 4, text(A, "aabxcd"), sink = !strpbrk(A, "xyz"))                          \
    T(strtok, WRITE, A + 2, 1, text(A, "ab,cd"), strtok(A, ","))                                  \
    T(strtok_r, WRITE, D, 8, text(A, "ab,cd"), strtok_r(A, ",", (char **)D))                      \
    T(strtok_r_token, WRITE, A + 2, 1, text(A, "ab,cd"), strtok_r(A, ",", (char **)D))            \
    T(strsep, WRITE, D, 8, (text(A, "ab,cd"), *(char **)D = A), strsep((char **)D, ","))          \
    T(strsep_token, WRITE, A + 2, 1, (text(A, "ab,cd"), *(char **)D = A), strsep((char **)D, ",")) \
    T(strdup, READ, A, 4, text(A, "abc"), sink = !strdup(A))                                      \
    T(strndup, READ, A, 2, text(A, "abc"), sink = !strndup(A, 2))                                 \
    T(strerror_r, WRITE, A, 20, , sink = !strerror_r(12345, A, 64))                               \
    T(xpg_strerror_r, WRITE, A, 8, , sink = __xpg_strerror_r(0, A, 64))                           \
    T(strfry, WRITE, A, 4, text(A, "abc"), strfry(A))                                             \
    T(xpg_basename, WRITE, A, 4, text(A, "abc"), __xpg_basename(A))                               \
    T(dirname, WRITE, A, 4, text(A, "abc"), dirname(A))                                           \
                                                                                                  \
    T(memcpy_chk, WRITE, A, 5, , __memcpy_chk(A, B, 5, 99))                                       \
    T(memmove_chk, WRITE, A, 5, , __memmove_chk(A, B, 5, 99))                                     \
    T(mempcpy_chk, WRITE, A, 5, , __mempcpy_chk(A, B, 5, 99))                                     \
    T(memset_chk, WRITE, A, 5, , __memset_chk(A, 0, 5, 99))                                       \
    T(strcpy_chk, WRITE, A, 4, text(B, "abc"), __strcpy_chk(A, B, 99))                            \
    T(stpcpy_chk, WRITE, A, 4, text(B, "abc"), __stpcpy_chk(A, B, 99))                            \
    T(strncpy_chk, WRITE, A, 8, text(B, "abc"), __strncpy_chk(A, B, 8, 99))                       \
    T(strcat_chk, WRITE, A + 2, 4, (text(A, "xy"), text(B, "abc")), __strcat_chk(A, B, 99))       \
    T(strncat_chk, WRITE, A + 2, 3, (text(A, "xy"), text(B, "abc")), __strncat_chk(A, B, 2, 99))  \
    T(sprintf_chk, WRITE, A, 4, , __sprintf_chk(A, 0, 99, "%d", 123))                             \
    T(snprintf_chk, WRITE, A, 3, , __snprintf_chk(A, 3, 0, 99, "%d", 12345))                      \
    T(printf_chk, READ, A, 4, text(A, "abc"), __printf_chk(0, "%s", A))                           \
    T(fprintf_chk, READ, A, 4, text(A, "abc"), __fprintf_chk(stdout, 0, "%s", A))                 \
    T(fgets_chk, WRITE, A, 4, stream("abc"), sink = !__fgets_chk(A, 99, 20, file))                \
    T(fread_chk, WRITE, A, 6, stream("abcdef"), sink = __fread_chk(A, 99, 2, 9, file))            \
    T(read_chk, WRITE, A, 6, fill("abcdef"), sink = __read_chk(ends[0], A, 20, 99))               \
                                                                                                  \
    T(wcslen, READ, A, 16, wide(WA, L"abc"), sink = wcslen(WA))                                   \
    T(wcsnlen, READ, A, 8, wide(WA, L"abc"), sink = wcsnlen(WA, 2))                               \
    T(wcscpy, WRITE, A, 16, wide(WB, L"abc"), wcscpy(WA, WB))                                     \
    T(wcpcpy, WRITE, A, 16, wide(WB, L"abc"), wcpcpy(WA, WB))                                     \
    T(wcsncpy, WRITE, A, 24, wide(WB, L"abc"), wcsncpy(WA, WB, 6))                                \
    T(wcscat, WRITE, A + 8, 16, (wide(WA, L"xy"), wide(WB, L"abc")), wcscat(WA, WB))              \
    T(wcsncat, WRITE, A + 8, 12, (wide(WA, L"xy"), wide(WB, L"abc")), wcsncat(WA, WB, 2))         \
    T(wcscmp, READ, A, 12, (wide(WA, L"abc"), wide(WB, L"abx")), sink = wcscmp(WA, WB))           \
    T(wcsncmp, READ, A, 8, (wide(WA, L"abc"), wide(WB, L"abx")), sink = wcsncmp(WA, WB, 2))       \
    T(wcscasecmp, READ, A, 12, (wide(WA, L"abc"), wide(WB, L"ABx")), sink = wcscasecmp(WA, WB))   \
    T(wcscoll, READ, A, 16, (wide(WA, L"abc"), wide(WB, L"abc")), sink = wcscoll(WA, WB))         \
    T(wcschr, READ, A, 8, wide(WA, L"axc"), sink = !wcschr(WA, L'x'))                             \
    T(wcsrchr, READ, A, 16, wide(WA, L"axc"), sink = !wcsrchr(WA, L'x'))                          \
    T(wcsstr, READ, A, 12, wide(WA, L"axyc"), sink = !wcsstr(WA, L"xy"))                          \
    T(wcsspn, READ, A, 12, wide(WA, L"abxc"), sink = wcsspn(WA, L"ab"))                           \
    T(wcscspn, READ, A, 12, wide(WA, L"abxc"), sink = wcscspn(WA, L"x"))                          \
    T(wcspbrk, READ, A, 12, wide(WA, L"abxc"), sink = !wcspbrk(WA, L"x"))                         \
    T(wcstok, WRITE, D, 8, wide(WA, L"a,b"), wcstok(WA, L",", (wchar_t **)D))                     \
    T(wcsdup, READ, A, 16, wide(WA, L"abc"), sink = !wcsdup(WA))                                  \
    T(wmemcpy, WRITE, A, 12, , wmemcpy(WA, WB, 3))                                                \
    T(wmemmove, WRITE, A, 12, , wmemmove(WA, WB, 3))                                              \
    T(wmemset, WRITE, A, 12, , wmemset(WA, 0, 3))                                                 \
    T(wmemcmp, READ, A, 12, , sink = wmemcmp(WA, WB, 3))                                          \
    T(wmemchr, READ, A, 8, wide(WA, L"axc"), sink = !wmemchr(WA, L'x', 3))                        \
    T(wcstol, READ, A, 12, wide(WA, L"12;3"), sink = wcstol(WA, NULL, 10))                        \
    T(wcstol_end, WRITE, D, 8, wide(WA, L"12;3"), sink = wcstol(WA, (wchar_t **)D, 10))           \
    T(wcstod, READ, A, 16, wide(WA, L"1.5;3"), sink = wcstod(WA, NULL))                           \
    T(wcsxfrm, WRITE, A, 16, wide(WB, L"abc"), sink = wcsxfrm(WA, WB, 9))                         \
    T(wctype, READ, A, 6, text(A, "alpha"), sink = !wctype(A))                                    \
    T(mbrtowc, WRITE, A, 4, text(B, "abc"), sink = mbrtowc(WA, B, 3, (mbstate_t *)D))             \
    T(mbrtowc_state, WRITE, D, 8, text(B, "abc"), sink = mbrtowc(WA, B, 3, (mbstate_t *)D))       \
    T(mbrlen, READ, B, 1, text(B, "abc"), sink = mbrlen(B, 3, (mbstate_t *)D))                    \
    T(wcrtomb, WRITE, A, 1, , sink = wcrtomb(A, L'x', (mbstate_t *)D))                            \
    T(mbsinit, READ, A, 8, , sink = mbsinit((mbstate_t *)A))                                      \
    T(mbsrtowcs, WRITE, A, 16, (text(B, "abc"), *(char **)C = B), sink = mbsrtowcs(WA, (const char **)C, 9, (mbstate_t *)D)) \
    T(wcsrtombs, WRITE, A, 4, (wide(WB, L"abc"), *(wchar_t **)C = WB), sink = wcsrtombs(A, (const wchar_t **)C, 9, (mbstate_t *)D)) \
    T(mbsnrtowcs, WRITE, A, 8, (text(B, "abc"), *(char **)C = B), sink = mbsnrtowcs(WA, (const char **)C, 9, 2, (mbstate_t *)D)) \
    T(wcsftime, WRITE, A, 20, , sink = wcsftime(WA, 32, L"%Y", (struct tm *)B))                   \
    T(swprintf, WRITE, A, 16, , swprintf(WA, 20, L"%d", 123))                                     \
    T(swprintf_string, READ, B, 8, wide(WB, L"a"), swprintf(WA, 20, L"%ls", WB))                  \
    T(vswprintf, WRITE, A, 16, , v_swprintf(WA, 20, L"%d", 123))                                  \
    T(swscanf, WRITE, A, 4, , swscanf(L"12 x", L"%d", A))                                         \
    T(vswscanf, WRITE, A, 4, , v_swscanf(L"12 x", L"%d", A))                                      \
                                                                                                  \
    T(atoi, READ, A, 3, text(A, "12;3"), sink = atoi(A))                                          \
    T(atol, READ, A, 3, text(A, "12;3"), sink = atol(A))                                          \
    T(atoll, READ, A, 3, text(A, "12;3"), sink = atoll(A))                                        \
    T(atof, READ, A, 5, text(A, " 1.5;"), sink = atof(A))                                         \
    T(strtol, READ, A, 5, text(A, "  12;3"), sink = strtol(A, NULL, 10))                          \
    T(strtol_end, WRITE, D, 8, text(A, "12;3"), sink = strtol(A, (char **)D, 10))                 \
    T(strtoul, READ, A, 3, text(A, "12;3"), sink = strtoul(A, NULL, 10))                          \
    T(strtoll, READ, A, 3, text(A, "12;3"), sink = strtoll(A, NULL, 10))                          \
    T(strtoull, READ, A, 3, text(A, "12;3"), sink = strtoull(A, NULL, 10))                        \
    T(strtod, READ, A, 4, text(A, "1.5;3"), sink = strtod(A, NULL))                               \
    T(strtof, WRITE, D, 8, text(A, "1.5;3"), sink = strtof(A, (char **)D))                        \
    T(strtold, WRITE, D, 8, text(A, "1.5;3"), sink = strtold(A, (char **)D))                      \
    T(strtoimax, READ, A, 3, text(A, "12;3"), sink = strtoimax(A, NULL, 10))                      \
    T(strtoumax, READ, A, 3, text(A, "12;3"), sink = strtoumax(A, NULL, 10))                      \
    T(strfromd, WRITE, A, 4, , strfromd(A, 20, "%g", 1.5))                                        \
    T(qsort, WRITE, A, 12, , qsort(A, 3, 4, ordered))                                             \
    T(qsort_r, WRITE, A, 12, , qsort_r(A, 3, 4, ordered_by, NULL))                                \
    T(rand_r, WRITE, A, 4, , sink = rand_r((unsigned *)A))                                        \
    T(erand48, WRITE, A, 6, , sink = erand48((unsigned short *)A))                                \
    T(nrand48, WRITE, A, 6, , sink = nrand48((unsigned short *)A))                                \
    T(jrand48, WRITE, A, 6, , sink = jrand48((unsigned short *)A))                                \
    T(srand48_r, WRITE, A, 24, , srand48_r(1, (struct drand48_data *)A))                          \
    T(drand48_r, WRITE, B, 8, srand48_r(1, (struct drand48_data *)A), drand48_r((struct drand48_data *)A, (double *)B)) \
    T(lrand48_r, WRITE, A, 24, srand48_r(1, (struct drand48_data *)A), lrand48_r((struct drand48_data *)A, (long *)B)) \
    T(initstate_r, WRITE, A, 32, , initstate_r(1, A, 32, (struct random_data *)B))                \
    T(random_r, WRITE, C, 4, initstate_r(1, A, 32, (struct random_data *)B), random_r((struct random_data *)B, (int *)C)) \
    T(getenv, READ, A, 4, text(A, "abc"), sink = !getenv(A))                                      \
    T(setenv, READ, A, 4, text(A, "abc"), setenv("name", A, 1))                                   \
    T(mblen, READ, A, 1, text(A, "abc"), sink = mblen(A, 3))                                      \
    T(mbtowc, WRITE, A, 4, text(B, "abc"), sink = mbtowc(WA, B, 3))                               \
    T(wctomb, WRITE, A, 1, , sink = wctomb(A, L'x'))                                              \
    T(mbstowcs, WRITE, A, 16, text(B, "abc"), sink = mbstowcs(WA, B, 9))                          \
    T(wcstombs, WRITE, A, 4, wide(WB, L"abc"), sink = wcstombs(A, WB, 9))                         \
    T(ecvt_r, WRITE, A, 4, , ecvt_r(1.25, 3, (int *)B, (int *)C, A, 20))                          \
    T(gcvt, WRITE, A, 5, , gcvt(1.25, 3, A))                                                      \
    T(getsubopt, WRITE, D, 8, (text(A, "ab,cd"), *(char **)D = A), sink = getsubopt((char **)D, names, (char **)C)) \
    T(realpath, WRITE, A, 6, , sink = !realpath("/proc/", A))                                     \
    T(mkstemp, WRITE, A, 13, text(A, "lenoteXXXXXX"), sink = mkstemp(A))                          \
    T(setjmp, WRITE, A, 200, , setjmp(*(jmp_buf *)A))                                             \
                                                                                                  \
    T(printf, READ, A, 4, text(A, "abc"), printf("%d %f %s\n", 1, 2.0, A))                        \
    T(printf_precision, READ, A, 2, text(A, "abc"), printf("%.2s\n", A))                          \
    T(printf_star, READ, A, 2, text(A, "abc"), printf("%*d %.*s\n", 3, 1, 2, A))                  \
    T(printf_many, READ, A, 4, text(A, "abc"), printf("%d%d%d%d%d%d%f%Lf%d%s\n", 1, 2, 3, 4, 5, 6, 7.0, 8.0L, 9, A)) \
    T(printf_numbered, READ, A, 4, text(A, "abc"), printf("%3$s %1$d %2$f\n", 1, 2.0, A))         \
    T(printf_wide, READ, A, 16, wide(WA, L"abc"), printf("%ls\n", WA))                            \
    T(printf_count, WRITE, A, 4, , printf(writable("ab%n"), (int *)A))                            \
    T(printf_count_long, WRITE, A, 8, , printf(writable("ab%ln"), (long *)A))                     \
    T(printf_format, READ, A, 3, text(A, "ab"), printf(A))                                        \
    T(vprintf, READ, A, 4, text(A, "abc"), v_printf("%d %f %s\n", 1, 2.0, A))                     \
    T(fprintf, READ, A, 4, text(A, "abc"), fprintf(stderr, "%s\n", A))                            \
    T(vfprintf, READ, A, 4, text(A, "abc"), v_fprintf(stderr, "%f%f%f%f%f%f%f%f%f %d%d%d%d%d %s\n", 1., 2., 3., 4., 5., 6., 7., 8., 9., 1, 2, 3, 4, 5, A)) \
    T(dprintf, READ, A, 4, text(A, "abc"), dprintf(2, "%s\n", A))                                 \
    T(vdprintf, READ, A, 4, text(A, "abc"), v_dprintf(2, "%s\n", A))                              \
    T(sprintf, WRITE, A, 6, , sprintf(A, "%.3f", 1.5))                                            \
    T(sprintf_string, READ, B, 4, text(B, "abc"), sprintf(A, "%s", B))                            \
    T(vsprintf, WRITE, A, 4, , v_sprintf(A, "%d", 123))                                           \
    T(snprintf, WRITE, A, 4, , snprintf(A, 20, "%d", 123))                                        \
    T(snprintf_cut, WRITE, A, 3, , snprintf(A, 3, "%d", 12345))                                   \
    T(vsnprintf, WRITE, A, 3, , v_snprintf(A, 3, "%d", 12345))                                    \
    T(vsnprintf_string, READ, B, 4, text(B, "abc"), v_snprintf(A, 3, "%s", B))                    \
    T(asprintf, WRITE, A, 8, , sink = asprintf((char **)A, "%d", 1))                              \
    T(vasprintf, WRITE, A, 8, , sink = v_asprintf((char **)A, "%d", 1))                           \
    T(sscanf, WRITE, A, 4, text(B, "12 34"), sink = sscanf(B, "%d", (int *)A))                    \
    T(sscanf_second, WRITE, A, 2, text(B, "12 34"), sink = sscanf(B, "%d %hd", (int *)C, (short *)A)) \
    T(sscanf_string, WRITE, A, 4, text(B, "abc d"), sink = sscanf(B, "%s", A))                    \
    T(sscanf_set, WRITE, A, 3, text(B, "abc d"), sink = sscanf(B, "%[ab]", A))                    \
    T(sscanf_chars, WRITE, A, 3, text(B, "abc d"), sink = sscanf(B, "%3c", A))                    \
    T(sscanf_double, WRITE, A, 8, text(B, "1.5"), sink = sscanf(B, "%lf", (double *)A))           \
    T(sscanf_skips, WRITE, A, 8, text(B, "1 2"), sink = sscanf(B, "%*d %ld", (long *)A))          \
    T(sscanf_from, READ, B, 6, text(B, "12 34"), sink = sscanf(B, "%d", (int *)A))                \
    T(vsscanf, WRITE, A, 4, text(B, "12 34"), sink = v_sscanf(B, "%d", A))                        \
    T(isoc99_sscanf, WRITE, A, 4, text(B, "12 34"), sink = __isoc99_sscanf(B, "%d", A))           \
    T(fscanf, WRITE, A, 4, stream("12 34"), sink = fscanf(file, "%d", (int *)A))                  \
    T(vfscanf, WRITE, A, 4, stream("12 34"), sink = v_fscanf(file, "%d", A))                      \
    T(puts, READ, A, 4, text(A, "abc"), puts(A))                                                  \
    T(perror, READ, A, 4, text(A, "abc"), perror(A))                                              \
    T(fputs, READ, A, 4, text(A, "abc"), fputs(A, stdout))                                        \
    T(fwrite, READ, A, 6, text(A, "abc"), fwrite(A, 2, 3, stdout))                                \
    T(fread, WRITE, A, 6, stream("abcdef"), sink = fread(A, 2, 9, file))                          \
    T(fgets, WRITE, A, 4, stream("ab\ncd"), sink = !fgets(A, 20, file))                           \
    T(getline, WRITE, D, 8, stream("ab\ncd"), sink = getline((char **)D, (size_t *)C, file))      \
    T(getline_size, WRITE, C, 8, stream("ab\ncd"), sink = getline((char **)D, (size_t *)C, file)) \
    T(getdelim, WRITE, D, 8, stream("ab;cd"), sink = getdelim((char **)D, (size_t *)C, ';', file)) \
    T(fgetpos, WRITE, A, 16, stream("abc"), fgetpos(file, (fpos_t *)A))                           \
    T(fsetpos, READ, A, 16, (stream("abc"), fgetpos(file, (fpos_t *)A)), fsetpos(file, (fpos_t *)A)) \
    T(fopen, READ, A, 11, text(A, "/dev/null/"), sink = !fopen(A, "r"))                           \
    T(fgetws, WRITE, A, 12, stream("a\nb"), sink = !fgetws(WA, 20, file))                         \
    T(fputws, READ, A, 16, (stream(""), wide(WA, L"abc")), fputws(WA, file))                      \
    T(tmpnam_r, WRITE, A, 16, , sink = !tmpnam_r(A))                                              \
                                                                                                  \
    T(mktime, WRITE, A, 56, , sink = mktime((struct tm *)A))                                      \
    T(timegm, WRITE, A, 56, , sink = timegm((struct tm *)A))                                      \
    T(gmtime_r, WRITE, A, 56, , gmtime_r((time_t *)B, (struct tm *)A))                            \
    T(gmtime_r_from, READ, B, 8, , gmtime_r((time_t *)B, (struct tm *)A))                         \
    T(localtime_r, WRITE, A, 56, , localtime_r((time_t *)B, (struct tm *)A))                      \
    T(localtime, READ, A, 8, , sink = !localtime((time_t *)A))                                    \
    T(asctime_r, WRITE, A, 26, ((struct tm *)B)->tm_mday = 1, asctime_r((struct tm *)B, A))       \
    T(ctime_r, WRITE, A, 26, , ctime_r((time_t *)B, A))                                           \
    T(strftime, WRITE, A, 5, , sink = strftime(A, 32, "%Y", (struct tm *)B))                      \
    T(strftime_from, READ, B, 56, , sink = strftime(A, 32, "%Y", (struct tm *)B))                 \
    T(strptime, WRITE, A, 56, , sink = !strptime("2026", "%Y", (struct tm *)A))                   \
    T(clock_gettime, WRITE, A, 16, , clock_gettime(CLOCK_REALTIME, (struct timespec *)A))         \
    T(clock_getres, WRITE, A, 16, , clock_getres(CLOCK_REALTIME, (struct timespec *)A))           \
    T(gettimeofday, WRITE, A, 16, , gettimeofday((struct timeval *)A, NULL))                      \
    T(time, WRITE, A, 8, , time((time_t *)A))                                                     \
    T(nanosleep, READ, A, 16, , nanosleep((struct timespec *)A, NULL))                            \
                                                                                                  \
    T(read, WRITE, A, 6, fill("abcdef"), sink = read(ends[0], A, 20))                             \
    T(write, READ, A, 6, fill(""), sink = write(ends[1], A, 6))                                   \
    T(pread, WRITE, A, 6, stream("abcdef"), sink = pread(fileno(file), A, 20, 0))                 \
    T(pwrite, READ, A, 6, stream("abcdef"), sink = pwrite(fileno(file), A, 6, 0))                 \
    T(readv, WRITE, B, 2, (fill("abcdef"), vectors(4, 9)), sink = readv(ends[0], (struct iovec *)C, 2)) \
    T(writev, READ, B, 9, (fill(""), vectors(4, 9)), sink = writev(ends[1], (struct iovec *)C, 2)) \
    T(recv, WRITE, A, 6, sockets("abcdef"), sink = recv(ends[0], A, 20, 0))                       \
    T(recvfrom, WRITE, A, 6, sockets("abcdef"), sink = recvfrom(ends[0], A, 20, 0, NULL, NULL))   \
    T(recvmsg, WRITE, B, 2, (sockets("abcdef"), vectors(4, 9), message()), sink = recvmsg(ends[0], (struct msghdr *)D, 0)) \
    T(send, READ, A, 6, sockets(""), sink = send(ends[0], A, 6, 0))                               \
    T(sendto, READ, A, 6, sockets(""), sink = sendto(ends[0], A, 6, 0, NULL, 0))                  \
    T(sendmsg, READ, B, 9, (sockets(""), vectors(4, 9), message()), sink = sendmsg(ends[0], (struct msghdr *)D, 0)) \
    T(getsockopt, WRITE, A, 4, (sockets(""), *(socklen_t *)B = 4), getsockopt(ends[0], SOL_SOCKET, SO_TYPE, A, (socklen_t *)B)) \
    T(getcwd, WRITE, A, 2, sink = chdir("/"), sink = !getcwd(A, 64))                              \
    T(readlink, WRITE, A, 8, sink = symlink("a/target", link_name()), sink = readlink(link_name(), A, 64)) \
    T(pipe, WRITE, A, 8, , sink = pipe((int *)A))                                                 \
    T(uname, WRITE, A, 390, , uname((struct utsname *)A))                                         \
    T(stat, WRITE, A, 144, , stat("/", (struct stat *)A))                                         \
    T(lstat, WRITE, A, 144, , lstat("/", (struct stat *)A))                                       \
    T(fstat, WRITE, A, 144, , fstat(1, (struct stat *)A))                                         \
    T(fstatat, WRITE, A, 144, , fstatat(AT_FDCWD, "/", (struct stat *)A, 0))                      \
    T(statvfs, WRITE, A, 112, , statvfs("/", (struct statvfs *)A))                                \
    T(open, READ, A, 5, text(A, "/abc"), sink = open(A, O_RDONLY))                                \
    T(access, READ, A, 5, text(A, "/abc"), sink = access(A, 0))                                   \
    T(unlink, READ, A, 5, text(A, "/abc"), sink = unlink(A))                                      \
    T(poll, WRITE, A, 16, ((struct pollfd *)A)->fd = -1, sink = poll((struct pollfd *)A, 2, 0))   \
    T(select, WRITE, A, 8, memset(A, 0, 8), sink = select(1, (fd_set *)A, NULL, NULL, (struct timeval *)B)) \
    T(getrlimit, WRITE, A, 16, , getrlimit(RLIMIT_CORE, (struct rlimit *)A))                      \
    T(getrusage, WRITE, A, 144, , getrusage(RUSAGE_SELF, (struct rusage *)A))                     \
    T(times, WRITE, A, 32, , times((struct tms *)A))                                              \
    T(inet_pton, WRITE, A, 4, , sink = inet_pton(AF_INET, "127.0.0.1", A))                        \
    T(inet_pton_6, WRITE, A, 16, , sink = inet_pton(AF_INET6, "::1", A))                          \
    T(inet_ntop, WRITE, A, 8, , sink = !inet_ntop(AF_INET, B, A, 64))                             \
    T(inet_aton, WRITE, A, 4, , sink = inet_aton("127.0.0.1", (struct in_addr *)A))               \
    T(inet_addr, READ, A, 8, text(A, "1.2.3.4"), sink = inet_addr(A))                             \
    T(sigemptyset, WRITE, A, 128, , sigemptyset((sigset_t *)A))                                   \
    T(sigfillset, WRITE, A, 128, , sigfillset((sigset_t *)A))                                     \
    T(sigismember, READ, A, 128, , sink = sigismember((sigset_t *)A, 1))                          \
    T(sigaction, WRITE, A, 152, , sigaction(SIGUSR1, NULL, (struct sigaction *)A))                \
    T(fnmatch, READ, A, 4, text(A, "abc"), sink = fnmatch("a*", A, 0))                            \
    T(regcomp, WRITE, A, 64, , regcomp((regex_t *)A, "a.c", 0))                                   \
    T(regexec, WRITE, B, 16, regcomp(&expression, "a.c", 0), regexec(&expression, "xabc", 2, (regmatch_t *)B, 0)) \
    T(regexec_text, READ, A, 5, (text(A, "xabc"), regcomp(&expression, "a.c", 0)), regexec(&expression, A, 0, NULL, 0)) \
    T(pthread_attr_init, WRITE, A, 56, , pthread_attr_init((pthread_attr_t *)A))                  \
    T(pthread_attr_getstacksize, WRITE, B, 8, pthread_attr_init((pthread_attr_t *)A), pthread_attr_getstacksize((pthread_attr_t *)A, (size_t *)B)) \
    T(pthread_mutexattr_init, WRITE, A, 4, , pthread_mutexattr_init((pthread_mutexattr_t *)A))    \
    T(pthread_mutexattr_gettype, READ, A, 4, , pthread_mutexattr_gettype((pthread_mutexattr_t *)A, (int *)B)) \
    T(pthread_condattr_setclock, WRITE, A, 4, , pthread_condattr_setclock((pthread_condattr_t *)A, CLOCK_MONOTONIC)) \
    T(cfmakeraw, WRITE, A, 60, , cfmakeraw((struct termios *)A))                                  \
    T(tsearch, WRITE, D, 8, , sink = !tsearch(A, (void **)D, ordered))                            \
                                                                                                  \
    T(frexp, WRITE, A, 4, , sink = frexp(1.5, (int *)A))                                          \
    T(frexpf, WRITE, A, 4, , sink = frexpf(1.5f, (int *)A))                                       \
    T(modf, WRITE, A, 8, , sink = modf(1.5, (double *)A))                                         \
    T(modff, WRITE, A, 4, , sink = modff(1.5f, (float *)A))                                       \
    T(modfl, WRITE, A, 10, , sink = modfl(1.5L, (long double *)A))                                \
    T(remquo, WRITE, A, 4, , sink = remquo(7, 2, (int *)A))                                       \
    T(sincos, WRITE, B, 8, , sincos(1, (double *)A, (double *)B))                                 \
    T(sincosf, WRITE, A, 4, , sincosf(1, (float *)A, (float *)B))                                 \
    T(lgamma_r, WRITE, A, 4, , sink = lgamma_r(1.5, (int *)A))                                    \
    T(nan, READ, A, 2, text(A, "1"), sink = nan(A) == 0)                                          \
    T(fegetenv, WRITE, A, 32, , fegetenv((fenv_t *)A))

static volatile long sink;
static char *names[] = {"ab", NULL};
static char format[16];

/* A format that is not constant, as one with %n usually is. */
static const char *writable(const char *from)
{
    return strcpy(format, from);
}

static const char *link_name(void)
{
    static char name[32];
    snprintf(name, sizeof name, "leno-link-%d", getppid());
    return name;
}

static void message(void)
{
    struct msghdr head = {0};
    head.msg_iov = (struct iovec *)C;
    head.msg_iovlen = 2;
    memcpy(D, &head, sizeof head);
}

#define T(name, kind, base, count, prepare, call)                 \
    static void prepare_##name(void) { prepare; }                 \
    static void call_##name(void) { call; }                       \
    static char *base_##name(void) { return (char *)(base); }
CASES
#undef T

static const struct test tests[] = {
#define T(name, kind, base, count, prepare, call) \
    {#name, kind, prepare_##name, call_##name, base_##name, count},
    CASES
#undef T
};

static char *target;
static enum kind kind;
static volatile char seen;

static void *touch(void *unused)
{
    if (kind == READ)
        *target = *target;
    else
        seen = *target;
    return unused;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        const struct test *test = &tests[i];
        if (argc < 3) {
            printf("%s %d\n", test->name, (int)((long)test->base() % 16));
            continue;
        }
        if (strcmp(argv[1], test->name))
            continue;
        test->prepare();
        kind = test->kind;
        long place = 0;
        switch (argv[2][0]) {
        case 'f': place = 0; break;
        case 'l': place = test->count - 1; break;
        case 'b': place = -1; break;
        case 'e': place = test->count; break;
        }
        target = test->base() + place;
        pthread_t thread;
        pthread_create(&thread, NULL, touch, NULL);
        test->call();
        pthread_join(thread, NULL);
        return 0;
    }
    return argc < 3 ? 0 : 9;
}
