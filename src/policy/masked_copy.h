#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace penstock::policy {

// A copy of a document in which parts have given way. Nothing is copied before the first of them.
class MaskedCopy {
 public:
  // document: must outlive this.
  explicit MaskedCopy(std::string_view document) noexcept : document_(document) {}

  // `part`, a view of the document behind all earlier ones, gives way.
  void put(std::string_view part, std::string_view instead) {
    put_at(offset_of(part), part.size(), instead);
  }
  // The same by place. at: not before what gave way last; what is between is copied as it is.
  void put_at(std::size_t at, std::size_t size, std::string_view instead) {
    if (masked_.empty()) masked_.reserve(document_.size());
    masked_.append(document_.substr(copied_, at - copied_)).append(instead);
    copied_ = at + size;
  }
  [[nodiscard]] std::size_t offset_of(std::string_view part) const noexcept {
    return static_cast<std::size_t>(part.data() - document_.data());
  }

  // Whether something has given way.
  [[nodiscard]] bool begun() const noexcept { return copied_ != 0; }
  // Bytes of the copy so far.
  [[nodiscard]] std::size_t size() const noexcept { return masked_.size(); }
  // The whole of it: the document itself where nothing gave way.
  [[nodiscard]] std::string take() { return std::move(masked_.append(document_.substr(copied_))); }

 private:
  std::string_view document_;
  std::string masked_;
  std::size_t copied_ = 0;  // so much of the document is in masked_, or gave way
};

}  // namespace penstock::policy
