#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gateway/snapshot.h"
#include "runtime/task.h"

namespace penstock::admin {

// One value that a change of the running config made different; nullopt: not set.
struct ConfigChange {
  std::string path;
  std::optional<std::string> before;
  std::optional<std::string> after;
};

struct PatchReport {
  std::vector<ConfigChange> changes;
  std::vector<std::string> warnings;
  std::size_t patched = 0;  // live changes in force, laid over the file
};

// How a config is written out.
enum class ConfigForm {
  kJson,  // every value with its path and origin
  kYaml,  // as a file, the origins as comments
};

// The door to the config that requests begin with. On the control thread.
class RunningConfig {
 public:
  virtual ~RunningConfig() = default;
  [[nodiscard]] virtual std::shared_ptr<const gateway::Snapshot> snapshot() const = 0;
  // The values in force; secrets as their references.
  [[nodiscard]] virtual std::string shown(ConfigForm form) const = 0;
  // Changes live fields by a JSON merge patch in the file's shape; returns once every worker serves
  // by it. All or nothing; one after the other.
  // errors: kInvalidJson, kInvalidRequest: nothing has changed.
  [[nodiscard]] virtual runtime::Task<Result<PatchReport>> patch(std::string_view merge_patch) = 0;
  // Reads the file and its secrets anew and lays the live changes over it; returns once every
  // worker serves by it. All or nothing. Blocks its thread on the disk. errors: kInvalidRequest:
  // nothing has changed.
  [[nodiscard]] virtual runtime::Task<Result<PatchReport>> reload() = 0;
};

}  // namespace penstock::admin
