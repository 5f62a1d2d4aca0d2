// Read by clang-tidy before every source. LibTorch 1.13 names vectors of a class before the class
// is complete. In C++20 GCC's vector is constexpr, so clang wants to see inside it at once and
// gives up; it is content with the plain vector of C++17. __fill_a1 was declared constexpr before,
// hence the other name.
#include <memory>
#include <string>
#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 __fill_bits
#include <vector>
#undef __fill_a1
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")
