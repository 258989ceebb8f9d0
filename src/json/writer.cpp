#include "json/writer.h"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "base/assert.h"
#include "json/string.h"

namespace penstock::json {

void Writer::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (filled_[depth_ - 1]) out_ += ',';
  filled_[depth_ - 1] = true;
}

void Writer::open(char bracket) {
  before_value();
  PENSTOCK_ASSERT(depth_ < kDepthMax);
  filled_[depth_++] = false;
  out_ += bracket;
}

void Writer::close(char bracket) {
  PENSTOCK_ASSERT(depth_ > 0 && !after_key_);
  --depth_;
  out_ += bracket;
}

Writer& Writer::begin_object() {
  open('{');
  return *this;
}

Writer& Writer::end_object() {
  close('}');
  return *this;
}

Writer& Writer::begin_array() {
  open('[');
  return *this;
}

Writer& Writer::end_array() {
  close(']');
  return *this;
}

Writer& Writer::key(std::string_view name) {
  PENSTOCK_ASSERT(depth_ > 0 && !after_key_);
  before_value();
  append_quoted(out_, name);
  out_ += ':';
  after_key_ = true;
  return *this;
}

Writer& Writer::string(std::string_view text) {
  before_value();
  append_quoted(out_, text);
  return *this;
}

Writer& Writer::put_signed(std::int64_t value) {
  before_value();
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

Writer& Writer::put_unsigned(std::uint64_t value) {
  before_value();
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

Writer& Writer::number(double value) {
  if (!std::isfinite(value)) return null();
  before_value();
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

Writer& Writer::boolean(bool value) {
  before_value();
  out_ += value ? "true" : "false";
  return *this;
}

Writer& Writer::null() {
  before_value();
  out_ += "null";
  return *this;
}

Writer& Writer::raw(std::string_view json) {
  before_value();
  out_ += json;
  return *this;
}

}  // namespace penstock::json
