// Files are put back between executions; each thread has its own stream.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=race
#include <fstream>
#include <string>
#include <thread>

static std::ofstream shared;

static void write(const char *name)
{
#ifdef WRONG
    shared << name;
#else
    std::ofstream out(name);
    out << name << 1;
#endif
}

int main()
{
#ifdef WRONG
    shared.open("one.txt");
#endif
    std::thread thread(write, "one.txt");
    write("two.txt");
    thread.join();
    std::ifstream in("two.txt");
    std::string text;
    in >> text;
#ifndef WRONG
    return text != "two.txt1";
#endif
}
