// strcat writes behind the end of its first string.
// leno: verdict=bug kind=race object=line[3]
#include <pthread.h>
#include <string.h>

static char line[16] = "abc";

static void *append(void *unused)
{
    strcat(line, "d");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, append, NULL);
    line[3] = 'e';
    pthread_join(thread, NULL);
    return 0;
}
