/* leno-c++ has this found before libc++'s own. The library offers std::string compiled; with
 * empty lists the program compiles what it uses of it, and leno sees what it does to memory. */
#ifndef LENO_EXTERN_TEMPLATE_LISTS_H
#define LENO_EXTERN_TEMPLATE_LISTS_H
#define _LIBCPP_STRING_V1_EXTERN_TEMPLATE_LIST(function, character)
#define _LIBCPP_STRING_UNSTABLE_EXTERN_TEMPLATE_LIST(function, character)
#endif
