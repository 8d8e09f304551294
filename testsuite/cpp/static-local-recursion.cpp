// leno: cflags="-std=c++17" verdict=bug kind=deadlock
static int look(int depth)
{
    static int value = depth ? look(depth - 1) : look(0);
    return value;
}

int main()
{
    return look(1);
}
