// Members of classes and namespaces, templates, macros and inlined functions have the names
// and places of the source.
// leno: cflags="-std=c++17" verdict=bug kind=race object=bank::Account::opened
// leno: cflags="-std=c++17 -O2" verdict=bug kind=race object=bank::Account::opened
// leno: cflags="-std=c++17 -DFIELD" verdict=bug kind=race object=bank::shared.parts[1].second
#include <thread>
#include <utility>

#define INCREMENT(what) (what)++

namespace bank {
struct Account {
    static int opened;
    static inline void open() { INCREMENT(opened); }
};
int Account::opened;

template <class T> struct Box {
    std::pair<char, T> parts[2];
    void touch() { INCREMENT(parts[1].second); }
};
Box<int> shared;
}

int main()
{
#ifdef FIELD
    std::thread thread([] { bank::shared.touch(); });
    bank::shared.touch();
#else
    std::thread thread([] { bank::Account::open(); });
    bank::Account::open();
#endif
    thread.join();
}
