#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/result.h"
#include "base/seams.h"
#include "base/secret.h"

namespace penstock::support {

// A disk of texts. What was not put there cannot be read.
class MemoryDisk final : public Disk {
 public:
  void put(std::string path, std::string bytes) {
    files_.insert_or_assign(std::move(path), std::move(bytes));
  }
  [[nodiscard]] Result<std::string> read(const std::string& path) const override {
    const auto at = files_.find(path);
    if (at == files_.end()) return fail(ErrorCode::kInvalidRequest, "no such file");
    return at->second;
  }

 private:
  std::map<std::string, std::string> files_;
};

// Secrets by reference, such as `env:NAME`.
class MemorySecrets final : public SecretSource {
 public:
  void put(std::string reference, std::string bytes) {
    secrets_.insert_or_assign(std::move(reference), std::move(bytes));
  }
  [[nodiscard]] Result<Secret> read(std::string_view reference) const override {
    const auto at = secrets_.find(reference);
    if (at == secrets_.end()) return fail(ErrorCode::kInvalidRequest, std::string(reference));
    return Secret(at->second);
  }

 private:
  std::map<std::string, std::string, std::less<>> secrets_;
};

}  // namespace penstock::support
