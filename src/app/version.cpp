#include "app/version.h"

#include <string>

#include <fmt/format.h>

#include "app/commit.h"  // written by the build

namespace penstock::app {

std::string version_and_commit() {
  if (kCommit.empty()) return std::string(kVersion);
  return fmt::format("{} ({})", kVersion, kCommit);
}

}  // namespace penstock::app
