// printf reads the strings that its format speaks of.
// leno: verdict=bug kind=race object=name[0]
#include <pthread.h>
#include <stdio.h>

static char name[16] = "weft";

static void *rename_it(void *unused)
{
    name[0] = 'W';
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, rename_it, NULL);
    printf("%3d %.*s %-8s\n", 1, 0, "", name);
    pthread_join(thread, NULL);
    return 0;
}
