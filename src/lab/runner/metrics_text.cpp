#include "lab/runner/metrics_text.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace penstock::lab {
namespace {

// The value of a label within `{…}`, as written; nullopt without it.
std::optional<std::string_view> label(std::string_view labels, std::string_view name) {
  for (const char before : {'{', ','}) {
    const std::string start = fmt::format("{}{}=\"", before, name);
    const std::size_t at = labels.find(start);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = labels.substr(at + start.size());
    return rest.substr(0, rest.find('"'));
  }
  return std::nullopt;
}

// Whether the wanted text stands in the value, and not as the beginning of a longer number: a port
// must not be found in another.
bool holds(std::string_view value, std::string_view wanted) {
  const std::size_t at = value.find(wanted);
  if (at == std::string_view::npos) return false;
  const std::size_t end = at + wanted.size();
  return end == value.size() || value[end] < '0' || value[end] > '9';
}

}  // namespace

MetricsText::Found MetricsText::find(std::string_view name,
                                     const std::vector<Wanted>& wanted) const {
  Found found;
  std::string_view rest = text_;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.starts_with(name) || line.size() == name.size()) continue;
    const char after = line[name.size()];
    if (after != '{' && after != ' ') continue;
    const std::size_t blank = line.rfind(' ');
    const std::string_view labels = line.substr(name.size(), blank - name.size());
    const bool matches = std::ranges::all_of(wanted, [&](const Wanted& one) {
      const auto value = label(labels, one.first);
      return value && holds(*value, one.second);
    });
    if (!matches) continue;
    const std::string_view number = line.substr(blank + 1);
    double value = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc())
      continue;
    found.sum += value;
    ++found.count;
  }
  return found;
}

double MetricsText::sum(std::string_view name, const std::vector<Wanted>& wanted) const {
  return find(name, wanted).sum;
}

std::size_t MetricsText::count(std::string_view name, const std::vector<Wanted>& wanted) const {
  return find(name, wanted).count;
}

}  // namespace penstock::lab
