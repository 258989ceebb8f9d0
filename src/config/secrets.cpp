#include "config/secrets.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error_code.h"
#include "base/field_type.h"
#include "base/result.h"
#include "base/seams.h"
#include "base/secret.h"
#include "base/secret_ref.h"
#include "config/path.h"
#include "config/problem.h"

namespace penstock::config {
namespace {

constexpr std::string_view kFile = "file:";

class SecretChecker {
 public:
  SecretChecker(const Origins& origins, const SecretSource& source, std::vector<Problem>& problems)
      : origins_(origins), source_(source), problems_(problems) {}

  void visit(const TypeInfo& type, const void* value, const std::string& path) {
    if (type.kind == Kind::kSecret) {
      check(*static_cast<const SecretRef*>(value), path);
    } else if (type.kind == Kind::kStruct) {
      for (const Row& row : type.rows) visit(*row.type, row.get(value), path_of(path, row.key));
    } else if (type.element != nullptr) {
      for (std::size_t i = 0; i < type.size(value); ++i)
        visit(*type.element, type.at(value, i), element_path(type, value, path, i));
    }
  }

 private:
  static std::string element_path(const TypeInfo& type, const void* value, const std::string& path,
                                  std::size_t index) {
    if (type.kind == Kind::kNamed) return path_of(path, type.name_at(value, index));
    return type.kind == Kind::kList ? path_of(path, index) : path;
  }

  void check(const SecretRef& reference, const std::string& path) {
    if (reference.empty()) return;
    const Result<Secret> secret = resolve(reference, source_);
    if (!secret)
      problems_.push_back(
          {origins_.nearest(path), fmt::format("{}: {}", path, secret.error().message), ""});
  }

  const Origins& origins_;
  const SecretSource& source_;
  std::vector<Problem>& problems_;
};

}  // namespace

std::string located(const SecretRef& reference) {
  if (!reference.text.starts_with(kFile)) return reference.text;
  const std::string_view path = std::string_view(reference.text).substr(kFile.size());
  if (path.starts_with('/') || reference.folder.empty()) return reference.text;
  return fmt::format("{}{}/{}", kFile, reference.folder, path);
}

Result<Secret> resolve(const SecretRef& reference, const SecretSource& source) {
  Result<Secret> secret = source.read(located(reference));
  const bool file = reference.text.starts_with(kFile);
  // The words of the source may name more than the reference; ours cannot.
  if (!secret)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("{} {}", reference.text, file ? "cannot be read" : "is not set"));
  if (secret->empty())
    return fail(ErrorCode::kInvalidRequest, fmt::format("{} is empty", reference.text));
  return secret;
}

Result<Secret> resolve_word(const SecretRef& reference, const SecretSource& source) {
  PENSTOCK_TRY(Secret secret, resolve(reference, source));
  const bool visible =
      std::ranges::all_of(secret.reveal(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!visible)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("{} holds a blank, a line break or another character that cannot stand "
                            "in a key",
                            reference.text));
  return secret;
}

void check_secrets(const TypeInfo& type, const void* value, const Origins& origins,
                   const SecretSource& source, std::vector<Problem>& problems) {
  SecretChecker(origins, source, problems).visit(type, value, "");
}

}  // namespace penstock::config
