// What new allocates delete frees; malloc and new[] have partners of their own.
// leno: cflags="-DMAKE=new(int) -DDROP=delete(p)" verdict=safe
// leno: cflags="-DMAKE=new(int[3]) -DDROP=delete[](p)" verdict=safe
// leno: cflags="-DMAKE=(int*)malloc(4) -DDROP=free(p)" verdict=safe
// leno: cflags="-DMAKE=new(int[3]) -DDROP=delete(p)" verdict=bug kind=memory message="frees with delete what was allocated with new[]" related~"allocated it here, line 15"
// leno: cflags="-DMAKE=new(int) -DDROP=delete[](p)" verdict=bug kind=memory message="frees with delete[] what was allocated with new"
// leno: cflags="-DMAKE=(int*)malloc(4) -DDROP=delete(p)" verdict=bug kind=memory message="frees with delete what was allocated with malloc"
// leno: cflags="-DMAKE=new(int) -DDROP=free(p)" verdict=bug kind=memory message="frees with free what was allocated with new"
// leno: cflags="-DMAKE=new(int) -DDROP=delete(p);delete(p)" verdict=bug kind=memory message="frees a block that has been freed"
#include <cstdlib>
#include <vector>

int main()
{
    int *p = MAKE;
    *p = 1;
    DROP;
    std::vector<int> numbers{1, 2, 3};
    numbers.resize(100);
    return 0;
}
