#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "base/units.h"

namespace penstock::telemetry {

// One thing that was chosen or changed. nullopt is written as null.
struct AuditChange {
  std::string_view path;
  std::optional<std::string_view> from{};
  std::optional<std::string_view> to{};
};

// What is told of one decision that somebody may have to answer for. Holds neither content nor
// credentials. Empty names are written as null.
struct AuditRecord {
  WallTime at{};
  std::string_view rule{};    // which one decided: `admin`, `tools`, `explicit_provider`, …
  std::string_view action{};  // `refuse`, `choose`; of the admin plane: `patch`, `reload`,
                              // `drain`, `enable`, `reset`, `drain process`
  std::optional<ErrorCode> code{};
  std::string_view tenant{};
  std::string_view workload{};
  std::string_view key_id{};
  std::string_view request_id{};
  std::string_view provider{};
  std::string_view replica{};
  std::string_view model{};  // as the client named it: one that exists, or `provider/model`
  std::span<const AuditChange> changes{};
};

// Appends one JSON object with `"audit":true`, no line end. Whatever bytes a member holds, it is
// one line of JSON.
void append_line(std::string& out, const AuditRecord& record);

}  // namespace penstock::telemetry
