#include "sums.h"

void Sum::add(int value)
{
    sum += value;
}

int Sum::value() const
{
    return sum;
}
