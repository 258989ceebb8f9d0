#include "base/field_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/address.h"

namespace penstock {
namespace {

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool in_model_name(char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '\\'; }

}  // namespace

std::string_view check_name(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= 64 && is_alphanumeric(text.front()) &&
                    std::ranges::all_of(text, [](char c) {
                      return is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
                    });
  return fits ? "" : "must be 1 to 64 of A-Z a-z 0-9 . _ -, a letter or digit first";
}

std::string_view check_model_glob(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= 200 && std::ranges::all_of(text, in_model_name);
  return fits ? "" : "must be 1 to 200 visible ASCII characters, no quotes or backslashes";
}

std::string_view check_model_name(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= 128 && std::ranges::all_of(text, in_model_name);
  return fits ? "" : "must be 1 to 128 visible ASCII characters, no quotes or backslashes";
}

std::string_view check_listen_address(std::string_view text) {
  if (parse_listen_address(text)) return "";
  return "must be address:port with a literal address or localhost";
}

std::string_view check_base_url(std::string_view text) {
  if (parse_base_url(text)) return "";
  if (!text.starts_with("http://") && !text.starts_with("https://"))
    return "must begin with http:// or https://";
  const std::size_t host = text.find("//") + 2;
  if (text.substr(host, text.find('/', host) - host).find('@') != std::string_view::npos)
    return "must not carry a user or a password";
  if (text.find_first_of("?#") != std::string_view::npos)
    return "must not have a query or a fragment";
  return "must be a scheme, a host, perhaps a port from 1 to 65535 and a path";
}

std::string_view check_sha256(std::string_view text) {
  const bool fits = text.size() == 64 && std::ranges::all_of(text, [](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                    });
  return fits ? "" : "must be 64 lower-case hexadecimal digits";
}

std::string_view check_log_target(std::string_view text) {
  const bool file = text.starts_with("file:") && text.size() > 5;
  if (file || text == "stdout" || text == "stderr" || text == "off") return "";
  return "must be stdout, stderr, off or file:path";
}

}  // namespace penstock
