#pragma once

#include <string_view>

#include "base/field.h"

// Shapes of texts that config rows share. Each check returns what is wrong, or an empty view.
namespace penstock {

// A tenant, workload, provider or key: 1 to 64 of A-Z a-z 0-9 . _ -, a letter or digit first.
// They become label values, header values and the first half of `provider/model`.
[[nodiscard]] std::string_view check_name(std::string_view text);

// A pattern over model names and `provider/model`: 1 to 200 of the characters of model names.
[[nodiscard]] std::string_view check_model_glob(std::string_view text);

// A model: 1 to 128 visible ASCII characters but quotes and backslashes.
[[nodiscard]] std::string_view check_model_name(std::string_view text);

// `address:port`: a literal IPv4 or [IPv6] address, or localhost; port 0 picks a free one.
[[nodiscard]] std::string_view check_listen_address(std::string_view text);

// `http://` or `https://`, a host, perhaps a port and a path; nothing else.
[[nodiscard]] std::string_view check_base_url(std::string_view text);

// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string_view check_sha256(std::string_view text);

// `stdout`, `stderr`, `off` or `file:path`.
[[nodiscard]] std::string_view check_log_target(std::string_view text);

inline constexpr Rule kNameRule =
    shaped(check_name, "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", "support-1");
inline constexpr Rule kModelNameRule =
    shaped(check_model_name, R"(^[!#-\[\]-~]{1,128}$)", "chat-default");
inline constexpr Rule kModelGlobRule = shaped(check_model_glob, R"(^[!#-\[\]-~]{1,200}$)", "gpt-*");
inline constexpr Rule kListenAddressRule =
    shaped(check_listen_address, R"(^(localhost|[0-9.]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}$)",
           "127.0.0.1:7100");
inline constexpr Rule kBaseUrlRule =
    shaped(check_base_url, R"(^https?://[^/?#@\s]+(/[^?#\s]*)?$)", "http://10.0.0.7:8000");
inline constexpr Rule kSha256Rule =
    shaped(check_sha256, "^[0-9a-f]{64}$", "the hash line that `penstock keys new` prints");
inline constexpr Rule kLogTargetRule =
    shaped(check_log_target, "^(stdout|stderr|off|file:.+)$", "stdout");

}  // namespace penstock
