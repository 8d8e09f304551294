// leno has no model of argz_stringify, which changes shared memory: it cannot say "safe".
// leno: verdict=unknown unseen~argz_stringify
// leno[--unseen ignore]: verdict=safe
#include <argz.h>
#include <pthread.h>

static char words[16] = "warp\0weft";

static void *change(void *unused)
{
    words[0] = 'W';
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    pthread_join(thread, NULL);
    argz_stringify(words, 10, ',');
    return 0;
}
