// One exception, caught again in two threads at a time; copies share its text.
// leno: cflags="-std=c++17" verdict=safe
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

static int look(std::exception_ptr pointer)
{
    try {
        std::rethrow_exception(pointer);
    } catch (std::runtime_error copy) {
        return std::string(copy.what()).size();
    }
}

int main()
{
    std::exception_ptr pointer;
    try {
        throw std::runtime_error("a text that is shared by all copies");
    } catch (...) {
        pointer = std::current_exception();
    }
    int lengths[2];
    std::thread thread([&lengths, pointer] { lengths[0] = look(pointer); });
    lengths[1] = look(std::move(pointer));
    thread.join();
    return lengths[0] != 35 || lengths[1] != 35;
}
