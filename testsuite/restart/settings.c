// The directory, the mask for permissions, the locale and the environment are put back.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char variable[] = "LENO_PUT=1";

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    char directory[4096];
    assert(getcwd(directory, sizeof directory) && strcmp(directory, "/") != 0);
    assert(getenv("LENO_SET") == NULL && getenv("LENO_PUT") == NULL && getenv("PATH") != NULL);
    assert(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
    mode_t mask = umask(0777);
    assert(mask != 0777);

    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);

    assert(chdir("/") == 0);
    setenv("LENO_SET", "1", 1);
    putenv(variable);
    unsetenv("PATH");
    assert(setlocale(LC_ALL, "C.UTF-8") != NULL);
    alarm(1000);
    return 0;
}
