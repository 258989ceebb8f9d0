#include "telemetry/line_writer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock::telemetry {
namespace {

constexpr Duration kLong = 60s;  // only a bug takes so long

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }
  [[nodiscard]] int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// A file in memory that takes everything.
class LineWriterFile : public testing::Test {
 protected:
  [[nodiscard]] std::string content() const {
    std::string text;
    std::array<char, 4096> piece;
    for (off_t at = 0;;) {
      const ssize_t got = ::pread(file_.get(), piece.data(), piece.size(), at);
      if (got <= 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(got));
      at += got;
    }
  }
  Descriptor file_{::memfd_create("lines", 0)};
};

// A flood of other lines leaves room for those that matter, which are counted apart.
TEST_F(LineWriterFile, KeepsAPlaceForVitalLines) {
  LineWriter writer(file_.get(), {.bytes_max = 64, .vital_bytes = 8, .batch = kLong});
  for (int i = 0; i < 20; ++i) writer.write("other");  // 6 bytes each, of a half's 32
  EXPECT_EQ(writer.dropped(), 16U);
  writer.write_vital("vital1");
  EXPECT_EQ(writer.dropped_vital(), 0U);
  writer.write_vital("vital2");
  EXPECT_EQ(writer.dropped_vital(), 1U);
  writer.close();
  EXPECT_EQ(content(), "other\nother\nother\nother\nvital1\n");
  writer.write_vital("late");
  EXPECT_EQ(writer.dropped_vital(), 2U);
  EXPECT_EQ(writer.dropped(), 16U);
}

// What was accepted before close() is out after it; what comes later is counted.
TEST_F(LineWriterFile, DrainsOnClose) {
  LineWriter writer(file_.get());
  writer.write("one");
  writer.write("");
  writer.write("three");
  writer.close();
  EXPECT_EQ(content(), "one\n\nthree\n");
  EXPECT_EQ(writer.dropped(), 0U);
  writer.write("late");
  writer.close();
  EXPECT_EQ(content(), "one\n\nthree\n");
  EXPECT_EQ(writer.dropped(), 1U);
}

// flush() does not wait for a batch to gather, nor for anything when nothing is left.
TEST_F(LineWriterFile, FlushesWithoutWaitingForTheBatch) {
  LineWriter writer(file_.get(), {.batch = kLong});
  EXPECT_TRUE(writer.flush(kLong));
  writer.write("one");
  EXPECT_TRUE(writer.flush(kLong));
  EXPECT_EQ(content(), "one\n");
  writer.write("two");
  EXPECT_TRUE(writer.flush(kLong));
  EXPECT_EQ(content(), "one\ntwo\n");
}

// The bound is on bytes with line ends: the last line that fits is taken, the next is counted.
TEST_F(LineWriterFile, DropsWhatDoesNotFit) {
  LineWriter writer(file_.get(), {.bytes_max = 20, .batch = kLong});
  writer.write("0123456789");  // 11 bytes do not fit in half of 20
  EXPECT_EQ(writer.dropped(), 1U);
  writer.write("012345678");  // 10 do
  EXPECT_TRUE(writer.flush(kLong));
  EXPECT_EQ(content(), "012345678\n");
  EXPECT_EQ(writer.dropped(), 1U);
}

// Under TSan: several workers at once. Lines stay whole, in order for each worker, and every one
// is either written or counted.
TEST_F(LineWriterFile, KeepsLinesOfSeveralThreadsWhole) {
  constexpr int kThreads = 4;
  constexpr int kLines = 5000;
  LineWriter writer(file_.get(), {.bytes_max = 32 << 10, .batch = 1ms});
  {
    std::vector<std::jthread> workers;
    for (int t = 0; t < kThreads; ++t)
      workers.emplace_back([&writer, t] {
        for (int i = 0; i < kLines; ++i)
          writer.write(std::to_string(t) + " " + std::to_string(i) + " " + std::string(50, 'x'));
      });
  }
  writer.close();
  std::istringstream text(content());
  std::array<int, kThreads> last;
  last.fill(-1);
  std::uint64_t lines = 0;
  for (std::string line; std::getline(text, line); ++lines) {
    std::istringstream words(line);
    std::size_t thread = 0;
    int number = 0;
    std::string tail;
    ASSERT_TRUE(words >> thread >> number >> tail) << line;
    ASSERT_EQ(tail, std::string(50, 'x'));
    ASSERT_LT(thread, kThreads);
    EXPECT_GT(number, last[thread]);
    last[thread] = number;
  }
  EXPECT_EQ(lines + writer.dropped(), std::uint64_t{kThreads} * kLines);
}

class LineWriterPipe : public testing::Test {
 protected:
  LineWriterPipe() : LineWriterPipe(make()) {}

  // Reads until the other end is closed.
  [[nodiscard]] std::string read_all() {
    std::string text;
    std::array<char, 4096> piece;
    for (;;) {
      const ssize_t got = ::read(reader_.get(), piece.data(), piece.size());
      if (got <= 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
  }
  Descriptor reader_;
  Descriptor writer_;

 private:
  explicit LineWriterPipe(std::array<int, 2> ends) : reader_(ends[0]), writer_(ends[1]) {}
  static std::array<int, 2> make() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    return ends;
  }
};

// A log reader that died must neither end the process by signal nor stop the workers.
TEST_F(LineWriterPipe, CountsLinesWhenTheReaderLeft) {
  LineWriter writer(writer_.get());
  reader_.reset();
  writer.write("one");
  writer.write("two");
  EXPECT_TRUE(writer.flush(kLong));
  EXPECT_EQ(writer.dropped(), 2U);
}

// Each line is lost as what it was, whatever stood beside it, and in a later batch too.
TEST_F(LineWriterPipe, CountsLostLinesByTheirKind) {
  LineWriter writer(writer_.get());
  reader_.reset();
  writer.write("one");
  writer.write_vital("two");
  writer.write("three");
  writer.write_vital("four");
  writer.write_vital("five");
  EXPECT_TRUE(writer.flush(kLong));
  EXPECT_EQ(writer.dropped(), 2U);
  EXPECT_EQ(writer.dropped_vital(), 3U);
  writer.write("six");
  EXPECT_TRUE(writer.flush(kLong));
  EXPECT_EQ(writer.dropped(), 3U);
  EXPECT_EQ(writer.dropped_vital(), 3U);
}

// Some lines leave, then the reader: what was written is not lost, whichever kind it was.
TEST_F(LineWriterPipe, CountsWhatDidNotLeaveInTime) {
  const std::string line(999, 'v');
  std::uint64_t plain = 0;
  std::uint64_t vital = 0;
  {
    LineWriter writer(writer_.get(), {.batch = kLong, .drain_max = 0ns});
    for (int i = 0; i < 500; ++i) {
      writer.write(std::string(999, 'p'));
      writer.write_vital(line);
    }
    writer.close();
    plain = writer.dropped();
    vital = writer.dropped_vital();
  }
  writer_.reset();
  const std::string text = read_all();
  EXPECT_EQ(plain + vital + text.size() / 1000, 1000U);
  EXPECT_GE(vital, plain);
  EXPECT_LE(vital, plain + 1);
}

// A reader that does not read costs lines, never a worker's time, and close() still returns; the
// lines that are written and those counted are all there are.
TEST_F(LineWriterPipe, GivesUpOnAReaderThatDoesNotRead) {
  const std::string line(999, 'y');
  std::uint64_t dropped = 0;
  {
    LineWriter writer(writer_.get(), {.bytes_max = 256 << 10, .batch = 0ns, .drain_max = 0ns});
    for (int i = 0; i < 1000; ++i) writer.write(line);
    writer.close();
    dropped = writer.dropped();
  }
  writer_.reset();
  const std::string text = read_all();
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(text.size() / 1000 + dropped, 1000U);  // the line cut short is among the dropped
}

// The same with a descriptor that says EAGAIN instead of blocking, and a reader that is late.
TEST_F(LineWriterPipe, WaitsForALateReader) {
  ASSERT_EQ(::fcntl(writer_.get(), F_SETFL, O_NONBLOCK), 0);
  const std::string line(999, 'z');
  std::string text;
  {
    std::optional<std::jthread> reader;
    LineWriter writer(writer_.get());
    for (int i = 0; i < 500; ++i) writer.write(line);
    EXPECT_FALSE(writer.flush(1ms));  // the pipe holds 64 KiB
    reader.emplace([&] { text = read_all(); });
    EXPECT_TRUE(writer.flush(kLong));
    writer.close();
    EXPECT_EQ(writer.dropped(), 0U);
    writer_.reset();
  }
  EXPECT_EQ(text.size(), 500U * 1000U);
}

}  // namespace
}  // namespace penstock::telemetry
