#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/seams.h"
#include "base/units.h"
#include "runtime/thread.h"

namespace penstock::telemetry {

struct LineWriterOptions {
  std::size_t bytes_max = 4 << 20;  // memory for lines on their way, in two halves
  std::size_t vital_bytes = 0;      // of a half, kept free for write_vital()
  Duration batch = 10ms;            // how long lines gather before they are written
  Duration drain_max = 2s;          // how long close() waits for a reader that does not read
};

// Writes lines to a descriptor from a thread of its own. Workers only copy into a buffer: what
// does not fit, or cannot be written, is dropped and counted. No order is kept between threads
// beyond that of their calls; lines are never mixed.
class LineWriter final : public LogSink {
 public:
  // fd: open for writing, borrowed; a file, pipe, socket or terminal, blocking or not.
  LineWriter(int fd, LineWriterOptions options);
  explicit LineWriter(int fd) : LineWriter(fd, LineWriterOptions()) {}
  ~LineWriter() override;
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Any thread. line: without line end. cost: about 50 ns; never waits for the descriptor.
  void write(std::string_view line) noexcept override;

  // The same for lines that others must not crowd out, counted apart.
  void write_vital(std::string_view line) noexcept;

  // Waits until every line written before is out, or `at_most` has passed (then false).
  [[nodiscard]] bool flush(Duration at_most);

  // Writes all that is left, within `drain_max`, and ends the thread. Lines written later are
  // dropped. Safe to call twice.
  void close();

  // Lines lost so far, whether they found no place or could not be written. Any thread.
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return dropped_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t dropped_vital() const noexcept {
    return dropped_vital_.load(std::memory_order_relaxed);
  }

 private:
  enum class Phase : std::uint8_t { kOpen, kClosing };

  enum class Target : std::uint8_t { kFile, kPipe, kSocket };  // a terminal is taken for a pipe

  [[nodiscard]] static Target target(int fd) noexcept;
  // Where a half's vital lines end, in order: their number has a bound, as its bytes have.
  struct Ends {
    static constexpr std::size_t kMax = 8192;
    std::unique_ptr<std::uint32_t[]> at;
    std::size_t count = 0;
  };

  enum class Kind : std::uint8_t { kPlain, kVital };

  [[nodiscard]] bool take(std::string_view line, Kind kind) noexcept;
  void run();
  void write_out(std::string_view batch);
  [[nodiscard]] std::ptrdiff_t write_some(std::string_view bytes) const noexcept;
  [[nodiscard]] bool wait_writable();
  void drop_rest(std::string_view batch, std::string_view rest);

  const int fd_;
  const LineWriterOptions options_;
  const Target target_;
  const std::size_t half_bytes_;
  const std::size_t chunk_bytes_;    // most that one write may take without blocking
  std::unique_ptr<char[]> filling_;  // the halves change places under mutex_
  std::unique_ptr<char[]> writing_;  // the thread's alone between exchanges
  Ends filling_vital_;               // these go with them
  Ends writing_vital_;
  std::mutex mutex_;
  std::condition_variable filled_;   // filling_ is no longer empty, or it is time to hurry
  std::condition_variable written_;  // done_bytes_ has grown
  std::size_t filled_bytes_ = 0;     // in filling_; guarded by mutex_, as are the next three
  std::uint64_t taken_bytes_ = 0;    // accepted since the start
  std::uint64_t done_bytes_ = 0;     // of these, written or given up
  std::uint32_t flushes_ = 0;        // waiting now: do not batch
  std::atomic<Phase> phase_{Phase::kOpen};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> dropped_vital_{0};
  Duration waited_closing_{};  // the thread's alone, as is the next
  bool mid_line_ = false;      // a write failed inside a line: the next one starts on a fresh line
  runtime::Thread thread_;     // last: it uses all of the above
};

}  // namespace penstock::telemetry
