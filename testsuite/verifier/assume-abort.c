// What assume_abort_if_not aborts is of no interest; abort itself is a crash.
// leno[--nondet int=0..4]: verdict=safe executions=2 blocked=3
// leno[--nondet int=0..4]: cflags=-DPLAIN verdict=bug kind=crash
extern int __VERIFIER_nondet_int(void);
extern void abort(void);

#ifdef PLAIN
#define assume_abort_if_not abort_if_not
#endif

void assume_abort_if_not(int condition)
{
    if (!condition)
        abort();
}

int main(void)
{
    assume_abort_if_not(__VERIFIER_nondet_int() < 2);
    return 0;
}
