// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DLIST" verdict=bug kind=race
// leno: cflags="-std=c++17 -DTABLE" verdict=bug kind=race
// leno: cflags="-std=c++17 -DTEXT" verdict=bug kind=race object~text
// leno: cflags="-std=c++17 -DREAD" verdict=safe
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

static std::list<int> list{1};
static std::unordered_map<std::string, int> table{{"one", 1}};
static std::string text = "longer than the string itself has room for";
static std::mutex mutex;

static void work(int number)
{
#if defined LIST
    list.push_back(number);
#elif defined TABLE
    table["two"] = number;
#elif defined TEXT
    text += "!";
#elif defined READ
    if (text.size() + list.front() + table.count("one") == 0)
        number = 0;
#else
    std::lock_guard<std::mutex> guard(mutex);
    list.push_back(number);
    table["two"] = number;
    text += "!";
#endif
}

int main()
{
    std::thread thread(work, 1);
    work(2);
    thread.join();
}
