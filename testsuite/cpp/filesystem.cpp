// Paths are memory: what the library does to one that threads share is seen.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DAPPEND" verdict=bug kind=race
// leno: cflags="-std=c++17 -DEXISTS" verdict=bug kind=race
// Not with libc++: its functions on files have no models.
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace fs = std::filesystem;

static const fs::path folder = fs::temp_directory_path() / "leno-testsuite-filesystem";
static fs::path shared = folder / "shared";

static void write(int number)
{
    fs::path own = folder / ("file" + std::to_string(number));
    own.replace_extension(".txt");
    std::ofstream(own) << "line " << number << '\n';
#ifdef APPEND
    shared /= own.filename();
#endif
#ifdef EXISTS
    if (number == 1)
        shared.remove_filename();
    else
        fs::exists(shared);
#endif
}

int main()
{
    fs::create_directories(folder);
    std::thread thread(write, 1);
    write(2);
    thread.join();
    int files = 0;
    for (const auto &entry : fs::directory_iterator(folder))
        files += entry.is_regular_file() && entry.file_size() == 7;
    fs::remove_all(folder);
    return files != 2;
}
