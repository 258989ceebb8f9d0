#pragma once

#include <string>
#include <vector>

#include "base/seams.h"
#include "config/config.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/yaml_tree.h"

namespace penstock::config {

// The exit code for a config that is refused: EX_CONFIG of sysexits.h.
inline constexpr int kExitConfig = 78;

struct LoadResult {
  std::string file;  // as the caller named it
  Config config;     // to be used only when ok()
  Origins origins;
  std::vector<Problem> problems;  // by place; not empty: the config is refused
  std::vector<Problem> warnings;  // by place
  Node tree;                      // as parsed; what live changes are laid over

  [[nodiscard]] bool ok() const noexcept { return problems.empty(); }
};

// Reads and judges a config file: syntax, keys, types, ranges, cross references, presence of
// secrets. Finds all problems at once; a file that cannot be read is one.
// Blocks on the disk. Never throws.
[[nodiscard]] LoadResult load(const std::string& path, const Disk& disk,
                              const SecretSource& secrets);

// The same for what is parsed already, but for the presence of secrets: those are read once, at the
// start. A broken syntax has no tree to judge.
[[nodiscard]] LoadResult judge(const std::string& path, Node tree);

// The lines to print, each with the file's name and place.
[[nodiscard]] std::vector<std::string> rendered(const std::vector<Problem>& problems,
                                                const std::string& file);

}  // namespace penstock::config
