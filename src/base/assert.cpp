#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace penstock {

void assert_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "penstock: assertion failed: %s at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace penstock
