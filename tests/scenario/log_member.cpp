#include "tests/scenario/log_member.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::scenario {

std::optional<std::string_view> log_member(std::string_view line, std::string_view key) {
  const std::string quoted = "\"" + std::string(key) + "\":";
  const std::size_t at = line.find(quoted);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + quoted.size());
  if (line.starts_with('"')) return line.substr(1, line.find('"', 1) - 1);
  return line.substr(0, line.find_first_of(",}"));
}

}  // namespace penstock::scenario
