#include "lab/runner/child.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/units.h"
#include "lab/runner/bench.h"
#include "lab/runner/proc.h"
#include "runtime/system.h"

namespace penstock::lab {
namespace {

// A folder for a child's output, and a wait for what it does.
class ChildTest : public testing::Test {
 public:
  ChildTest() { std::filesystem::create_directories(folder_); }
  ~ChildTest() override { std::filesystem::remove_all(folder_); }

 protected:
  Result<std::unique_ptr<Child>> start(std::vector<std::string> arguments) {
    return Child::start({.arguments = std::move(arguments),
                         .environment = {"LAB_WORD=water"},
                         .out = folder_ + "/out",
                         .err = folder_ + "/err"});
  }
  bool ends(Child& child) {
    const auto ended = bench_.until(10s, [&child] { return !child.running(); });
    return ended.value_or(false);
  }

  std::string folder_ = testing::TempDir() + "lab_child_" + std::to_string(::getpid());
  std::atomic<bool> stopped_ = false;
  runtime::SystemClock clock_;
  Bench bench_{.clock = clock_,
               .stopped = stopped_,
               .experiment = "test",
               .program = {},
               .evidence = folder_,
               .scratch = folder_,
               .report = {}};
};

TEST_F(ChildTest, TellsWhatItSaidAndHowItEnded) {
  auto child = start({"/bin/sh", "-c", "echo $LAB_WORD; echo oops >&2; exit 3"});
  ASSERT_TRUE(child.has_value());
  ASSERT_TRUE(ends(**child));
  EXPECT_EQ((*child)->exit_code(), 3);
  EXPECT_EQ((*child)->output_text(), "water\n");
  EXPECT_EQ((*child)->error_text(), "oops\n");
}

// A process that is killed is gone, and known to be; its owner's end is its own.
TEST_F(ChildTest, IsGoneOnceItWasKilled) {
  auto child = start({"/bin/sleep", "100"});
  ASSERT_TRUE(child.has_value());
  const pid_t pid = (*child)->pid();
  EXPECT_TRUE((*child)->running());
  EXPECT_TRUE(process_exists(pid));
  (*child)->signal(SIGKILL);
  ASSERT_TRUE(ends(**child));
  EXPECT_EQ((*child)->exit_code(), 128 + SIGKILL);
  EXPECT_FALSE(process_exists(pid));
  auto owned = start({"/bin/sleep", "100"});
  ASSERT_TRUE(owned.has_value());
  const pid_t other = (*owned)->pid();
  owned->reset();
  EXPECT_FALSE(process_exists(other));
}

TEST_F(ChildTest, SaysWhenItsProgramDoesNotExist) {
  auto child = start({"/no/such/program"});
  ASSERT_TRUE(child.has_value());
  ASSERT_TRUE(ends(**child));
  EXPECT_EQ((*child)->exit_code(), 127);
}

// A stop ends every wait with an error, so that a script does not go on.
TEST_F(ChildTest, WaitsEndWhenTheLabIsStopped) {
  stopped_ = true;
  EXPECT_FALSE(bench_.wait(10s).has_value());
}

}  // namespace
}  // namespace penstock::lab
