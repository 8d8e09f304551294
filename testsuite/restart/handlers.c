// Signal handlers and masks are put back; a mask is a thread's own, and a handler for
// faults is called although leno has one too.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigjmp_buf back;
static char untouched[1 << 16];

static void handle(int number)
{
    (void)number;
}

static void recover(int number)
{
    assert(number == SIGSEGV);
    siglongjmp(back, 1);
}

static void *work(void *unused)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    assert(sigismember(&mask, SIGUSR1) == 1 && sigismember(&mask, SIGUSR2) == 0);
    sigaddset(&mask, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    sigset_t mask, none;
    sigemptyset(&none);
    assert(sigprocmask(SIG_SETMASK, NULL, &mask) == 0);
    assert(sigismember(&mask, SIGUSR1) == 0 && sigismember(&mask, SIGUSR2) == 0);
    assert(signal(SIGINT, handle) == SIG_DFL && signal(SIGINT, SIG_IGN) == handle);
    struct sigaction action = { .sa_handler = recover }, old;
    assert(sigaction(SIGSEGV, &action, &old) == 0 && old.sa_handler == SIG_DFL);
    assert(sigaction(SIGTERM, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
    action.sa_handler = handle;
    assert(sigaction(SIGTERM, &action, NULL) == 0);

    if (sigsetjmp(back, 1) == 0) {
        untouched[5000] = 1; // a fault of leno's own
        *(volatile int *)8 = 1;
        assert(0);
    }
    sigaddset(&mask, SIGUSR1);
    sigprocmask(SIG_BLOCK, &mask, NULL);

    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_sigmask(SIG_BLOCK, &none, &mask);
    assert(sigismember(&mask, SIGUSR1) == 1 && sigismember(&mask, SIGUSR2) == 0);
    return 0;
}
