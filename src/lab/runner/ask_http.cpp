#include "lab/runner/ask_http.h"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "wire/chunked.h"
#include "wire/framing.h"
#include "wire/head_limits.h"
#include "wire/response_head.h"

namespace penstock::lab {
namespace {

constexpr std::size_t kReplyBytesMax = std::size_t{16} << 20;

class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

std::unexpected<Error> unavailable(std::string_view step) {
  return fail(ErrorCode::kUpstreamUnavailable, fmt::format("{}: {}", step, std::strerror(errno)));
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

Result<std::string> whole_chunks(std::string_view bytes) {
  wire::ChunkedDecoder decoder(ErrorCode::kUpstreamBadResponse);
  std::string body;
  while (!bytes.empty()) {
    PENSTOCK_TRY(const wire::ChunkedDecoder::Piece piece, decoder.next(bytes));
    body += piece.data;
    if (piece.done) return body;
    bytes.remove_prefix(piece.consumed);
  }
  return fail(ErrorCode::kUpstreamBadResponse, "the reply is cut short");
}

Result<HttpReply> read_reply(std::string_view bytes) {
  wire::ResponseHeadParser parser{wire::HeadLimits{}};
  wire::ResponseHead head;
  PENSTOCK_TRY(const std::optional<std::size_t> size,
               parser.parse(bytes, wire::RequestMethod::kOther, head));
  if (!size) return fail(ErrorCode::kUpstreamBadResponse, "the reply is cut short");
  const std::string_view rest = bytes.substr(*size);
  HttpReply reply{.status = head.status, .body = std::string(rest)};
  if (head.framing.kind == wire::Framing::Kind::kChunked) {
    PENSTOCK_TRY(reply.body, whole_chunks(rest));
  } else if (head.framing.kind == wire::Framing::Kind::kLength) {
    if (rest.size() < head.framing.length)
      return fail(ErrorCode::kUpstreamBadResponse, "the reply is cut short");
    reply.body.resize(head.framing.length);
  }
  return reply;
}

}  // namespace

Result<HttpReply> ask_http(const HttpQuestion& question) {
  const Descriptor connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connection.number() < 0) return unavailable("no socket");
  const auto microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(question.timeout).count();
  const timeval limit{.tv_sec = microseconds / 1'000'000, .tv_usec = microseconds % 1'000'000};
  for (const int side : {SO_RCVTIMEO, SO_SNDTIMEO})
    ::setsockopt(connection.number(), SOL_SOCKET, side, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(question.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(connection.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
      0)
    return unavailable("no connection");
  const std::string request = fmt::format(
      "{} {} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\ncontent-type: {}\r\n"
      "content-length: {}\r\n\r\n{}",
      question.method, question.path, question.port, question.type, question.body.size(),
      question.body);
  if (!send_all(connection.number(), request)) return unavailable("not sent");
  std::string bytes;
  char buffer[16384];
  while (bytes.size() < kReplyBytesMax) {
    const ssize_t got = ::recv(connection.number(), buffer, sizeof buffer, 0);
    if (got < 0) return unavailable("no reply");
    if (got == 0) break;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
  return read_reply(bytes);
}

}  // namespace penstock::lab
