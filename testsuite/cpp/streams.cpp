// Standard streams are nobody's object; other streams are memory.
// leno: cflags="-std=c++17" verdict=safe executions=1
// leno: cflags="-std=c++17 -O2" verdict=safe executions=1
// leno: cflags="-std=c++17 -DSHARED" verdict=bug kind=race object~lines
// leno: cflags="-std=c++17 -DREAD" verdict=bug kind=race object~number
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>

static std::ostringstream lines;
static int number;

static void work(int i)
{
    std::cout << "thread " << std::setw(3) << i << std::endl;
    std::cerr << 1.5 * i << '\n';
    std::ostringstream own;
    own << i << std::string(" is mine");
#ifdef SHARED
    lines << own.str();
#endif
#ifdef READ
    std::istringstream(std::to_string(i)) >> number;
#endif
}

int main()
{
    std::thread thread(work, 1);
    work(2);
    thread.join();
    return number > 2;
}
