#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock::lab {

// A scrape of /metrics, for asking it one thing at a time.
class MetricsText {
 public:
  explicit MetricsText(std::string text) : text_(std::move(text)) {}

  // A label and what its value must contain.
  using Wanted = std::pair<std::string_view, std::string_view>;
  // The sum over the series of this name whose labels contain what is wanted. `name` is whole,
  // prefix included. 0 when there is none.
  [[nodiscard]] double sum(std::string_view name,
                           const std::vector<Wanted>& wanted = std::vector<Wanted>()) const;
  // How many series that are.
  [[nodiscard]] std::size_t count(std::string_view name,
                                  const std::vector<Wanted>& wanted = std::vector<Wanted>()) const;

 private:
  struct Found {
    double sum = 0;
    std::size_t count = 0;
  };
  [[nodiscard]] Found find(std::string_view name, const std::vector<Wanted>& wanted) const;

  std::string text_;
};

}  // namespace penstock::lab
