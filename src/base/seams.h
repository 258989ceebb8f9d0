#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

// The small doors to the outside that never wait for a peer. Real ones live in runtime/, fakes in
// tests/support.
namespace penstock {

// Where a reference such as `env:NAME` or `file:path` becomes a secret.
class SecretSource {
 public:
  virtual ~SecretSource() = default;
  // errors: kInvalidRequest, its message naming the reference (never the value).
  [[nodiscard]] virtual Result<Secret> read(std::string_view reference) const = 0;
};

// Files, read whole. Blocks for as long as the disk does: start-up and the control thread only.
class Disk {
 public:
  virtual ~Disk() = default;
  [[nodiscard]] virtual Result<std::string> read(const std::string& path) const = 0;
};

// Takes finished lines (no line end). Must not block: what does not fit is dropped and counted.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(std::string_view line) noexcept = 0;
};

}  // namespace penstock
