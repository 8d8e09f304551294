/* leno-c++ has this found before libstdc++'s own, which it includes. To turn a list round the
 * library has a function compiled that goes through all nodes, which no model says; so it is
 * defined here, for leno to see what it does to memory. */
#include_next <bits/stl_list.h>
#ifndef LENO_STL_LIST_H
#define LENO_STL_LIST_H
inline void std::__detail::_List_node_base::_M_reverse() _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base *node = this;
    do {
        _List_node_base *next = node->_M_next;
        node->_M_next = node->_M_prev;
        node->_M_prev = next;
        node = next;
    } while (node != this);
}
#endif
