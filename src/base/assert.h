#pragma once

namespace penstock {

// Prints the failed condition with its place to stderr and aborts. Never returns, never allocates.
[[noreturn]] void assert_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace penstock

// States what must be true of our own code; stays on in release builds. Never used to judge input.
#define PENSTOCK_ASSERT(condition)                               \
  do {                                                           \
    if (!(condition)) [[unlikely]]                               \
      ::penstock::assert_failed(#condition, __FILE__, __LINE__); \
  } while (false)
