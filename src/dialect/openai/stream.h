#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "dialect/openai/chunk.h"
#include "dialect/openai/error.h"
#include "json/splice.h"
#include "llm/usage.h"

namespace penstock::dialect::openai {

enum class HideUsage : std::uint8_t { kKeep, kHide };

struct StreamOptions {
  // The name every chunk is to bear, unescaped; empty: chunks keep theirs.
  std::string_view public_model = {};
  // kHide: the client did not ask for the usage chunk that we had the provider send.
  HideUsage hide_usage = HideUsage::kKeep;
  // How many choices must finish (RequestView::choices).
  std::uint32_t choices = 1;
};

// One event as the SSE parser yields it. Views live as long as the parser says.
struct StreamEvent {
  std::string_view raw = {};   // every byte of it, line ends and the blank line included
  std::string_view data = {};  // its data lines joined, without field names
  bool has_data = false;       // false: comments, or fields without data
};

enum class StreamFailure : std::uint8_t {
  kNone,
  kInterrupted,    // the end came with neither a finish nor the terminal
  kErrorObject,    // the provider said so: see StreamReader::provider_error()
  kFailingFinish,  // a finish reason that means failure
  kMalformed,      // the fourth event that is no JSON
};

// What to do with an event.
enum class StreamStep : std::uint8_t {
  kForward,   // send Verdict::bytes; before the first content: hold them
  kDrop,      // send nothing of it
  kComplete,  // send Verdict::bytes, which hold the terminal; the stream is over, well
  kFail,      // send nothing of it; the stream is over, see Verdict::failure
};

// `bytes` view the event and the StreamReader: to be used before the next call and before either
// moves.
struct Verdict {
  StreamStep step = StreamStep::kDrop;
  StreamFailure failure = StreamFailure::kNone;
  // Something that a client would show or act on: it commits, stops the first-byte time-out and
  // restarts the idle one. Comments, roles and usage are none.
  bool content = false;
  bool malformed = false;  // to be counted
  json::Splice bytes = {};
};

// How the upstream's bytes ended, when no event did it.
enum class StreamEnd : std::uint8_t {
  kComplete,     // the finish had come; the client still needs kDoneEvent
  kInterrupted,  // it had not; the client needs error_event()
  kOver,         // an event had ended it already; nothing is to be sent
};

// One provider's stream, event by event: what is passed on, what is left out, and how it ends.
// Pure: no I/O, no clock. Grace, idle and first-byte times are the caller's.
//
// The endings: [DONE] completes the stream, with a finish or without; a finish and then any end
// of the bytes completes it too; neither is an interruption. An error object, a failing finish or
// a fourth malformed event fail it at once. What comes after the end is dropped.
class StreamReader {
 public:
  static constexpr std::uint32_t kMalformedMax = 3;  // so many are dropped; one more ends it

  // options.public_model is copied.
  explicit StreamReader(const StreamOptions& options);
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  // cost: one pass over the data; no allocation but for an error object.
  [[nodiscard]] Verdict on_event(const StreamEvent& event);

  // The upstream closed, reset or was cut by us (grace or a time-out ran out).
  [[nodiscard]] StreamEnd on_end() noexcept;

  [[nodiscard]] bool over() const noexcept { return over_; }
  [[nodiscard]] bool content_seen() const noexcept { return content_seen_; }
  // Every choice seen so far has its finish.
  [[nodiscard]] bool finished() const noexcept {
    return choices_finished_.any() && (choices_seen_ & ~choices_finished_).none();
  }
  // All choices that were asked for have it: only usage and the terminal may still come, and the
  // caller's grace for them runs, for as long as this is true and the stream is not over.
  [[nodiscard]] bool settled() const noexcept {
    return finished() && choices_finished_.count() >= choices_;
  }
  // Completed by [DONE] although no choice had finished.
  [[nodiscard]] bool finish_missing() const noexcept { return done_seen_ && !finished(); }
  [[nodiscard]] std::uint32_t malformed() const noexcept { return malformed_; }
  [[nodiscard]] StreamFailure failure() const noexcept { return failure_; }
  // The last of each count that the stream told.
  [[nodiscard]] const llm::Usage& usage() const noexcept { return usage_; }
  // After kErrorObject; else it says nothing.
  [[nodiscard]] const ProviderError& provider_error() const noexcept { return provider_error_; }

 private:
  Verdict on_chunk(const StreamEvent& event, const ChunkView& chunk);
  Verdict on_malformed();
  Verdict fail(StreamFailure failure);
  void restamp(Verdict& verdict, const StreamEvent& event, const ChunkView& chunk) const;

  std::string model_;  // escaped: goes between a chunk's quotes as it is; empty: no restamp
  HideUsage hide_usage_;
  std::uint32_t choices_;
  ChoiceSet choices_seen_;
  ChoiceSet choices_finished_;
  std::uint32_t malformed_ = 0;
  bool over_ = false;
  bool content_seen_ = false;
  bool done_seen_ = false;
  StreamFailure failure_ = StreamFailure::kNone;
  llm::Usage usage_;
  ProviderError provider_error_;
};

// Whether anything of a stream went to the client.
enum class Sent : std::uint8_t { kNothing, kContent };

// The error of a failed stream, for a status or for error_event(): with the provider's own type
// and reason in its message where it gave one.
//
// code:  kStreamInterrupted once the client has got content; before that, one that may be retried.
[[nodiscard]] Error stream_error(StreamFailure failure, const ProviderError& said, Sent sent);

}  // namespace penstock::dialect::openai
