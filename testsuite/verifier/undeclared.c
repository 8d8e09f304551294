// C as it was once written, and as small examples for checkers still are: functions that
// nobody has declared, among them assert, types that nobody has said, pointers of other types.
// leno: verdict=safe
// leno: cflags=-DWRONG verdict=bug kind=assert message~false
// leno: cflags=-DASSUMED verdict=safe executions=1 blocked=1
#include <pthread.h>

static count;

void add(long *step)
{
    count += *step;
}

twice(step)
    int *step;
{
    pthread_t thread;
    pthread_create(&thread, 0, add, step);
    pthread_join(thread, 0);
    add(step);
    return;
}

main()
{
    long step = 2;
    int kept = &step;
    twice(&step);
#ifdef ASSUMED
    assume_abort_if_not(nondet_bool());
#endif
#ifdef WRONG
    assert(count == 3);
#else
    assert(count == 4);
#endif
    return kept & 1;
}
