#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock {

// Named things in the order they were written, such as the providers of a config file. Names are
// unique. Look-up is linear: for start-up and control work, not for the request path.
template <class T>
class Named {
 public:
  struct Entry {
    std::string name;
    T value;
  };

  // Appends an entry; the caller has seen to it that the name is new.
  T& add(std::string name) { return entries_.emplace_back(std::move(name), T{}).value; }

  // Null when nothing has that name. Valid until the next add().
  [[nodiscard]] const T* find(std::string_view name) const noexcept {
    const auto at = std::ranges::find(entries_, name, &Entry::name);
    return at == entries_.end() ? nullptr : &at->value;
  }
  [[nodiscard]] T* find(std::string_view name) noexcept {
    const auto at = std::ranges::find(entries_, name, &Entry::name);
    return at == entries_.end() ? nullptr : &at->value;
  }

  [[nodiscard]] auto begin() const noexcept { return entries_.begin(); }
  [[nodiscard]] auto end() const noexcept { return entries_.end(); }
  [[nodiscard]] auto begin() noexcept { return entries_.begin(); }
  [[nodiscard]] auto end() noexcept { return entries_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace penstock
