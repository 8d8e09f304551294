/*
 * leno.h: what a program can say to leno.
 *
 * Programs need none of this to be checked. One that uses it is built with leno-cc, which
 * finds this header by itself, and still runs without leno.
 */
#ifndef LENO_H
#define LENO_H

#ifdef __cplusplus
extern "C" {
#endif

/* A value from 0 to n - 1: the search tries them all. Without leno it is always 0. */
int leno_choose(int n);

/* Executions in which the condition is false are of no interest: leno drops them, and
   counts them as blocked. Without leno the program ends there, with status 0. */
void leno_assume(int condition);

/* What a thread does from the begin to the end is one step: nobody else does anything in
   between. Memory accesses only; locks, threads and choices inside are refused. Without
   leno one thread at a time is inside. */
void leno_atomic_begin(void);
void leno_atomic_end(void);

/* The same by the names of SV-COMP are there for whoever declares them:
   __VERIFIER_assume, __VERIFIER_atomic_begin and _end, __VERIFIER_nondet_int and so on
   (--nondet int=0..3 says which values), reach_error and __VERIFIER_error. A function
   called __VERIFIER_atomic_... is one step. */

#ifdef __cplusplus
}
#endif

#endif
