// The call is the error, whatever the function does, and also if there is none.
// leno: verdict=bug kind=assert
// leno: cflags=-DOWN verdict=bug kind=assert
// leno: cflags=-DOLD verdict=bug kind=assert
#include <pthread.h>

extern void __VERIFIER_error(void);
#ifdef OWN
void reach_error(void) {}
#else
extern void reach_error(void);
#endif

static _Atomic int turn;

static void *body(void *unused)
{
    turn = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, body, 0);
    if (turn) {
#ifdef OLD
        __VERIFIER_error();
#else
        reach_error();
#endif
    }
    pthread_join(thread, 0);
    return 0;
}
