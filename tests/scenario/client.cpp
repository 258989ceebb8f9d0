#include "tests/scenario/client.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "net/byte_stream.h"
#include "tests/scenario/scenario.h"
#include "tests/support/manual_loop.h"
#include "tests/support/peer.h"
#include "wire/chunked.h"
#include "wire/head_limits.h"
#include "wire/header_list.h"
#include "wire/response_head.h"

namespace penstock::scenario {
namespace {

// Takes a chunked body apart; the bytes of it that were there.
std::size_t read_chunks(std::string_view bytes, Reply& reply) {
  wire::ChunkedDecoder decoder(ErrorCode::kUpstreamBadResponse);
  std::size_t taken = 0;
  while (taken < bytes.size() && !decoder.done()) {
    const auto piece = decoder.next(bytes.substr(taken));
    if (!piece) {
      ADD_FAILURE() << "the gateway's chunks are malformed";
      return taken;
    }
    reply.body += piece->data;
    taken += piece->consumed;
  }
  reply.whole = decoder.done();
  return taken;
}

// Reads what `bytes` hold of a reply from its beginning; how many of them are its own. An interim
// head in front is skipped.
std::size_t read_reply(std::string_view bytes, Reply& reply) {
  reply.body.clear();
  reply.headers.clear();
  wire::ResponseHeadParser parser{wire::HeadLimits{}};
  wire::ResponseHead head;
  std::size_t taken = 0;
  do {
    parser.reset();
    const auto length = parser.parse(bytes.substr(taken), wire::RequestMethod::kOther, head);
    if (!length) ADD_FAILURE() << "the gateway's head is malformed: " << bytes;
    if (!length || !*length) return taken;
    taken += **length;
  } while (head.interim());
  reply.status = head.status;
  for (const wire::Header& field : head.headers)
    reply.headers.emplace_back(field.name, field.value);
  const std::string_view rest = bytes.substr(taken);
  switch (head.framing.kind) {
    case wire::Framing::Kind::kNone: reply.whole = true; break;
    case wire::Framing::Kind::kChunked: return taken + read_chunks(rest, reply);
    case wire::Framing::Kind::kUntilClose: reply.body = rest; return bytes.size();
    case wire::Framing::Kind::kLength:
      reply.body = rest.substr(0, static_cast<std::size_t>(head.framing.length));
      reply.whole = reply.body.size() == head.framing.length;
      return taken + reply.body.size();
  }
  return taken;
}

}  // namespace

std::optional<std::string> Reply::field(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (wire::equals_ignore_case(key, name)) return value;
  return {};
}

Client::Client(test::ManualLoop& loop, std::unique_ptr<net::ByteStream> stream,
               test::Peer::Reading reading)
    : loop_(loop), peer_(loop, std::move(stream), reading) {
  peer_.on_arrival([this] { on_arrival(); });
}

void Client::send(const ClientCall& call, std::size_t place) {
  Awaited awaited;
  awaited.place = place;
  awaited.leave_after = call.leave_after;
  awaited.leave = call.leave;
  awaited_.push_back(std::move(awaited));
  peer_.send(call.bytes);
}

void Client::leave(Leave how) {
  switch (how) {
    case Leave::kClose: return peer_.leave();
    case Leave::kReset: return peer_.leave_with_reset();
    case Leave::kHalfClose: return peer_.half_close();
  }
}

bool Client::idle() const noexcept { return over() || current_ == awaited_.size(); }

const Reply& Client::reply(std::size_t place) const {
  const auto found = std::ranges::find(awaited_, place, &Awaited::place);
  EXPECT_NE(found, awaited_.end());
  return found->reply;
}

void Client::on_arrival() {
  bytes_ += peer_.take();
  while (current_ < awaited_.size()) {
    Awaited& awaited = awaited_[current_];
    Reply& reply = awaited.reply;
    reply.ended = loop_.now();
    const std::size_t own = read_reply(bytes_, reply);
    reply.bytes = bytes_.size();
    if (awaited.leave_after && bytes_.size() >= *awaited.leave_after) return leave(awaited.leave);
    if (!reply.whole) return;
    bytes_.erase(0, own);
    ++current_;
  }
  EXPECT_TRUE(bytes_.empty()) << "bytes that answer nothing: " << bytes_;
}

}  // namespace penstock::scenario
