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

#ifdef __cplusplus
}
#endif

#endif
