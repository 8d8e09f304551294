/* leno-c++ has this found before libstdc++'s own, which it includes. The library offers
 * std::string compiled; with -1 (its own value for "not of strings") the program compiles
 * what it uses of it, and leno sees what it does to memory. */
#include_next <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
