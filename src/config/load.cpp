#include "config/load.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/seams.h"
#include "config/bind.h"
#include "config/compile_rules.h"
#include "config/compile_store.h"
#include "config/problem.h"
#include "config/secrets.h"
#include "config/table.h"
#include "config/validate.h"
#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

// The folder that relative paths in the file start from; empty: the working directory.
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return "";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

LoadResult judge(const std::string& path, Node tree) {
  LoadResult result;
  result.file = path;
  result.tree = std::move(tree);
  bind_tree(result.tree, config_type(), &result.config, folder_of(path), result.origins,
            result.problems);
  Findings findings;
  validate(result.config, result.origins, findings);
  std::ranges::move(findings.problems, std::back_inserter(result.problems));
  result.warnings = std::move(findings.warnings);
  sort_by_place(result.problems);
  sort_by_place(result.warnings);
  return result;
}

LoadResult load(const std::string& path, const Disk& disk, const SecretSource& secrets) {
  LoadResult result;
  result.file = path;
  const Result<std::string> bytes = disk.read(path);
  if (!bytes) {
    result.problems.push_back({{}, "the config file cannot be read", bytes.error().message});
    return result;
  }
  Tree tree = parse_yaml(*bytes);
  if (tree.completeness == Completeness::kWhole) {
    result = judge(path, std::move(tree.root));
    check_secrets(config_type(), &result.config, result.origins, secrets, result.problems);
    check_redis(result.config, result.origins, secrets, result.problems);
    check_prompts(result.config, result.origins, secrets, result.problems);
  }
  std::ranges::move(tree.problems, std::back_inserter(result.problems));
  sort_by_place(result.problems);
  return result;
}

std::vector<std::string> rendered(const std::vector<Problem>& problems, const std::string& file) {
  std::vector<std::string> lines;
  for (const Problem& problem : problems) lines.push_back(render(problem, file));
  return lines;
}

}  // namespace penstock::config
