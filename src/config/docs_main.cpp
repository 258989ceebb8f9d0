#include <cstdio>
#include <string>

#include "config/docs.h"

// Prints docs/generated/config.md. A program of its own, so that the file can be written anew
// before the gateway builds.
int main() {
  const std::string text = penstock::config::docs();
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
