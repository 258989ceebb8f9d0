#include "json/splice.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"

namespace penstock::json {

void Splice::add(Edit edit) noexcept {
  PENSTOCK_ASSERT(count_ < kEditsMax);
  PENSTOCK_ASSERT(edit.at <= source_.size() && edit.cut <= source_.size() - edit.at);
  std::size_t place = count_;
  while (place > 0 && edits_[place - 1].at > edit.at) {
    edits_[place] = edits_[place - 1];
    --place;
  }
  edits_[place] = edit;
  ++count_;
  PENSTOCK_ASSERT(place == 0 || edits_[place - 1].at + edits_[place - 1].cut <= edit.at);
  PENSTOCK_ASSERT(place + 1 == count_ || edit.at + edit.cut <= edits_[place + 1].at);
}

void Splice::add_owned(std::size_t at, std::size_t cut, std::string put) {
  kept_.push_front(std::move(put));
  add(Edit{.at = at, .cut = cut, .put = kept_.front()});
}

std::size_t Splice::size() const noexcept {
  std::size_t size = source_.size();
  for (const Edit& edit : edits()) size = size - edit.cut + edit.put.size();
  return size;
}

std::span<const std::string_view> Splice::segments(Segments& into) const noexcept {
  std::size_t used = 0;
  std::size_t from = 0;
  const auto list = [&](std::string_view piece) {
    if (!piece.empty()) into[used++] = piece;
  };
  for (const Edit& edit : edits()) {
    list(source_.substr(from, edit.at - from));
    list(edit.put);
    from = edit.at + edit.cut;
  }
  list(source_.substr(from));
  return {into.data(), used};
}

void Splice::append_to(std::string& out) const {
  Segments room;
  for (const std::string_view piece : segments(room)) out += piece;
}

}  // namespace penstock::json
