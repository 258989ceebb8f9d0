#include "tests/support/scripted_upstream.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error_code.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "tests/support/loopback.h"
#include "tests/support/loopback_net.h"
#include "tests/support/peer.h"
#include "wire/chunked.h"
#include "wire/head_limits.h"
#include "wire/head_writer.h"
#include "wire/request_head.h"

namespace penstock::test {

Answer json_answer(int status, std::string_view body) {
  std::string text;
  wire::append_status_line(text, status);
  wire::append_header(text, "content-type", "application/json");
  wire::append_header(text, "content-length", static_cast<std::uint64_t>(body.size()));
  text += wire::kHeadEnd;
  text += body;
  return Answer{.steps = {step::Send{std::move(text)}}, .from = Answer::From::kBody};
}

Answer json_answer(std::string_view body) { return json_answer(200, body); }

Step stream_head() {
  return step::Send{
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"};
}

std::string ScriptedUpstream::Request::field(std::string_view name) const {
  wire::RequestHeadParser parser{wire::HeadLimits{}};
  wire::RequestHead parsed;
  const auto length = parser.parse(head, parsed);
  if (!length || !*length) return {};
  return std::string(parsed.headers.find(name).value_or(std::string_view()));
}

// Reads requests and answers them in order, one at a time.
class ScriptedUpstream::Connection {
 public:
  Connection(ScriptedUpstream& upstream, std::size_t index, std::unique_ptr<net::ByteStream> stream)
      : upstream_(upstream),
        index_(index),
        timer_(upstream.loop_.timers(), &Connection::on_time, this),
        peer_(upstream.loop_, std::move(stream), Peer::Reading::kPaused) {
    peer_.on_arrival([this] { on_bytes(); });
    peer_.resume_reading();
  }
  [[nodiscard]] bool open() const noexcept { return !peer_.left(); }
  [[nodiscard]] std::size_t unsent() const noexcept { return peer_.unsent(); }

 private:
  static void on_time(void* self) { static_cast<Connection*>(self)->act(); }

  void on_bytes() {
    bytes_ += peer_.take();
    read();
    if (!peer_.over()) return;
    if (request_ != nullptr && !request_->answered) request_->peer_left = true;
    timer_.disarm();
    answer_.reset();
    peer_.leave();
  }

  void read() {
    while (peer_is_here() && (request_ == nullptr ? read_head() : read_body())) {
    }
  }
  [[nodiscard]] bool peer_is_here() const noexcept { return !peer_.left(); }

  // True when there may be more to read.
  bool read_head() {
    if (bytes_.empty()) return false;
    Result<std::optional<std::size_t>> length = parser_.parse(bytes_, head_);
    if (!length) return refuse();
    if (!*length) return false;
    Request& request = add_request();
    request.head = bytes_.substr(0, **length);
    request.method = head_.method;
    request.target = head_.target;
    framing_ = head_.framing;
    body_left_ = framing_.length;
    decoder_.reset();
    if (head_.expect_continue) peer_.send("HTTP/1.1 100 Continue\r\n\r\n");
    bytes_.erase(0, **length);
    Answer answer = upstream_.next_answer();
    from_head_ = answer.from == Answer::From::kHead;
    answer_ = std::move(answer);
    step_ = 0;
    if (from_head_) act();
    return true;
  }

  bool read_body() {
    if (request_->body_complete) return false;  // a pipelined request waits for its turn
    bool complete = framing_.kind == wire::Framing::Kind::kNone;
    if (framing_.kind == wire::Framing::Kind::kLength) {
      const std::string_view part = std::string_view(bytes_).substr(0, body_left_);
      request_->body += part;
      body_left_ -= part.size();
      bytes_.erase(0, part.size());
      complete = body_left_ == 0;
    }
    while (framing_.kind == wire::Framing::Kind::kChunked && !complete && !bytes_.empty()) {
      const Result<wire::ChunkedDecoder::Piece> piece = decoder_.next(bytes_);
      if (!piece) return refuse();
      request_->body += piece->data;
      bytes_.erase(0, piece->consumed);
      complete = piece->done;
    }
    if (!complete) return false;
    request_->body_complete = true;
    if (!from_head_) act();
    end_request();
    return request_ == nullptr;
  }

  bool refuse() {
    (request_ == nullptr ? add_request() : *request_).malformed = true;
    peer_.leave();
    return false;
  }

  Request& add_request() {
    request_ = &upstream_.requests_.emplace_back();
    request_->connection = index_;
    request_->begun = upstream_.loop_.now();
    return *request_;
  }

  // Takes steps until one of them waits.
  void act() {
    while (answer_ && peer_is_here()) {
      if (step_ == answer_->steps.size()) {
        answer_.reset();
        request_->answered = true;
        if (request_->body_complete && end_request()) read();
        return;
      }
      const Step step = answer_->steps[step_++];
      if (!std::visit([this](const auto& s) { return take(s); }, step)) return;
    }
  }

  bool end_request() {
    if (request_ == nullptr || !request_->answered || !request_->body_complete) return false;
    request_ = nullptr;
    return true;
  }

  // Each is true when the next step may follow at once.
  bool take(const step::Send& s) {
    peer_.send(s.bytes);
    return true;
  }
  bool take(const step::Chunk& s) {
    std::string chunk;
    wire::append_chunk_head(chunk, s.bytes.size());
    peer_.send(chunk + s.bytes + std::string(wire::kChunkEnd));
    return true;
  }
  bool take(const step::Event& s) { return take(step::Chunk{"data: " + s.data + "\n\n"}); }
  bool take(step::LastChunk) {
    peer_.send(wire::kLastChunk);
    return true;
  }
  bool take(step::Wait s) {
    timer_.arm(upstream_.loop_.now() + s.time);
    return false;
  }
  bool take(step::Cut) {
    request_->answered = true;
    peer_.leave_after_sending();
    return false;
  }
  bool take(step::Reset) {
    request_->answered = true;
    peer_.leave_with_reset();
    return false;
  }
  bool take(step::Hang) { return false; }

  ScriptedUpstream& upstream_;
  std::size_t index_;
  runtime::Timer timer_;
  std::string bytes_;  // received, not read yet
  wire::RequestHeadParser parser_{wire::HeadLimits{}};
  wire::RequestHead head_;
  wire::Framing framing_;
  wire::ChunkedDecoder decoder_{ErrorCode::kInvalidRequest};
  std::uint64_t body_left_ = 0;
  Request* request_ = nullptr;  // being read or answered
  std::optional<Answer> answer_;
  std::size_t step_ = 0;
  bool from_head_ = false;
  Peer peer_;
};

ScriptedUpstream::ScriptedUpstream(ManualLoop& loop, LoopbackNet& net, const std::string& place,
                                   LoopbackOptions to_server, LoopbackOptions to_client)
    : loop_(loop) {
  net.listen(
      place,
      [this](std::unique_ptr<net::ByteStream> stream) {
        connections_.push_back(
            std::make_unique<Connection>(*this, connections_.size(), std::move(stream)));
      },
      to_server, to_client);
}

ScriptedUpstream::~ScriptedUpstream() = default;

Answer ScriptedUpstream::next_answer() {
  if (answers_.empty()) return always_;
  Answer answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

std::size_t ScriptedUpstream::open() const noexcept {
  std::size_t count = 0;
  for (const std::unique_ptr<Connection>& connection : connections_) count += connection->open();
  return count;
}

std::size_t ScriptedUpstream::unsent() const noexcept {
  std::size_t bytes = 0;
  for (const std::unique_ptr<Connection>& connection : connections_) bytes += connection->unsent();
  return bytes;
}

}  // namespace penstock::test
