// Regular expressions use the library's locale, codes of errors its categories: virtual
// functions that have no names outside.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DTEXT" verdict=bug kind=race object~text
// leno: cflags="-std=c++17 -DCODE" verdict=bug kind=race object=code
#include <cassert>
#include <map>
#include <regex>
#include <string>
#include <system_error>
#include <thread>

static std::string text = "a=1,b=22";
static std::error_code code = std::make_error_code(std::errc::invalid_argument);

static int parse()
{
    static const std::regex pair(R"((\w+)=(\d+))");
    std::map<std::string, int> found;
    for (std::sregex_iterator at(text.begin(), text.end(), pair), end; at != end; ++at)
        found[(*at)[1]] = std::stoi((*at)[2]);
    return found["a"] + found["b"];
}

static bool fails()
{
    try {
        throw std::system_error(code, "worker");
    } catch (const std::system_error &error) {
        return error.code() == std::errc::invalid_argument && !code.message().empty();
    }
}

int main()
{
    std::thread thread([] {
        assert(fails());
#ifdef TEXT
        text[2] = '3';
#endif
#ifdef CODE
        code = std::make_error_code(std::errc::timed_out);
#endif
    });
    int sum = parse();
#ifdef CODE
    fails();
#endif
    thread.join();
    assert(sum == 23 || sum == 25);
}
