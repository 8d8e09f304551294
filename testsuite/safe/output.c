// Output orders nothing, and arguments reach the program.
// leno: args="2 words" verdict=safe executions=1
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *greet(void *name)
{
    printf("hello from %s\n", (const char *)name);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc != 3 || strcmp(argv[2], "words") != 0)
        return 1;
    pthread_create(&a, NULL, greet, "a");
    pthread_create(&b, NULL, greet, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    fprintf(stderr, "done\n");
    return 0;
}
