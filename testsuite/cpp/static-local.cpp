// The guard of a static variable: one thread runs the constructor, the other waits for it;
// one that throws lets the next one try.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DTHROWS" verdict=safe
// leno: cflags="-std=c++17 -fno-threadsafe-statics" verdict=bug kind=race
#include <thread>

static int constructed, attempts;

struct Table {
    int value;
    Table()
    {
#ifdef THROWS
        if (attempts++ == 0)
            throw 1;
#endif
        value = 7;
        constructed++;
    }
    ~Table() { value = 0; }
};

static int look()
{
    for (;;) {
        try {
            static Table table;
            return table.value;
        } catch (int) {
        }
    }
}

int main()
{
    int seen = 0;
    std::thread other([&] { seen = look(); });
    int mine = look();
    other.join();
    return seen != 7 || mine != 7 || constructed != 1;
}
