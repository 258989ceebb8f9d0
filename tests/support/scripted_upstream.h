#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.h"
#include "net/byte_stream.h"
#include "runtime/timer.h"
#include "tests/support/loopback_net.h"
#include "tests/support/manual_loop.h"

namespace penstock::test {

// The steps of an answer, taken one after another.
namespace step {
struct Send {  // these bytes, as they are
  std::string bytes;
};
struct Chunk {  // these bytes as one HTTP chunk
  std::string bytes;
};
struct Event {  // "data: …" as one SSE event in one HTTP chunk
  std::string data;
};
struct LastChunk {};
struct Wait {  // on virtual time
  Duration time{};
};
struct Cut {};    // a proper end of the connection
struct Reset {};  // a broken one
struct Hang {};   // no further step; the connection stays
}  // namespace step
using Step = std::variant<step::Send, step::Chunk, step::Event, step::LastChunk, step::Wait,
                          step::Cut, step::Reset, step::Hang>;

// What an upstream does with one request.
struct Answer {
  enum class From : std::uint8_t { kBody, kHead };  // begins once the body, or the head, is there
  std::vector<Step> steps;
  From from = From::kBody;
};

// A whole 200 with this JSON body.
[[nodiscard]] Answer json_answer(std::string_view body);
// A whole reply with this status and JSON body.
[[nodiscard]] Answer json_answer(int status, std::string_view body);
// The head of an event stream, to be followed by Event steps and LastChunk.
[[nodiscard]] Step stream_head();

// An HTTP/1.1 provider in memory that answers from a list, request by request, over however many
// connections they come; and keeps what it was asked. Bytes that are no request end the connection
// and are kept as a request with `malformed`.
class ScriptedUpstream {
 public:
  // place: "host:port", as LoopbackNet names it.
  ScriptedUpstream(ManualLoop& loop, LoopbackNet& net, const std::string& place,
                   LoopbackOptions to_server = LoopbackOptions(),
                   LoopbackOptions to_client = LoopbackOptions());
  ScriptedUpstream(const ScriptedUpstream&) = delete;
  ScriptedUpstream& operator=(const ScriptedUpstream&) = delete;
  ~ScriptedUpstream();

  // Answers the next request that has no answer yet.
  void answer(Answer answer) { answers_.push_back(std::move(answer)); }
  // Drops the answers that no request has taken.
  void forget_answers() { answers_.clear(); }
  // What requests get when the list is empty; until set, they hang.
  void answer_always(Answer answer) { always_ = std::move(answer); }

  struct Request {
    std::size_t connection = 0;  // 0, 1, … in the order they were made
    TimePoint begun{};           // when the head was complete
    std::string head;            // as it came, with its empty line
    std::string method;
    std::string target;
    std::string body;  // without its framing
    bool body_complete = false;
    bool answered = false;   // every step was taken
    bool peer_left = false;  // the other side ended or broke the connection before that
    bool malformed = false;

    // The value of a header field, or an empty one.
    [[nodiscard]] std::string field(std::string_view name) const;
  };
  [[nodiscard]] const std::deque<Request>& requests() const noexcept { return requests_; }
  // Connections that are open at this end.
  [[nodiscard]] std::size_t open() const noexcept;
  // Bytes of answers that no connection has taken yet.
  [[nodiscard]] std::size_t unsent() const noexcept;

 private:
  class Connection;
  friend class Connection;
  [[nodiscard]] Answer next_answer();

  ManualLoop& loop_;
  std::deque<Answer> answers_;
  Answer always_{.steps = {step::Hang{}}, .from = Answer::From::kBody};
  std::deque<Request> requests_;  // a deque: connections refer to their own request
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace penstock::test
