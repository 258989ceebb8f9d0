#include "telemetry/timestamp.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/units.h"

namespace penstock::telemetry {
namespace {

void digits(char*& at, unsigned value, int width) noexcept {
  for (int i = width - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
  at += width;
}

}  // namespace

void append_timestamp(std::string& out, WallTime when) {
  using std::chrono::floor;
  const auto day = floor<std::chrono::days>(when);
  const std::chrono::year_month_day date(day);
  const auto in_day = static_cast<unsigned>(floor<std::chrono::milliseconds>(when - day).count());
  char text[26];
  char* at = text;
  *at++ = '"';
  digits(at, static_cast<unsigned>(std::clamp(static_cast<int>(date.year()), 0, 9999)), 4);
  *at++ = '-';
  digits(at, static_cast<unsigned>(date.month()), 2);
  *at++ = '-';
  digits(at, static_cast<unsigned>(date.day()), 2);
  *at++ = 'T';
  digits(at, in_day / 3'600'000, 2);
  *at++ = ':';
  digits(at, in_day / 60'000 % 60, 2);
  *at++ = ':';
  digits(at, in_day / 1000 % 60, 2);
  *at++ = '.';
  digits(at, in_day % 1000, 3);
  *at++ = 'Z';
  *at++ = '"';
  out.append(text, at);
}

}  // namespace penstock::telemetry
