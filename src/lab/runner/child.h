#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "base/units.h"

namespace penstock::lab {

struct ChildOptions {
  std::vector<std::string> arguments;         // the program first, by its path
  std::vector<std::string> environment = {};  // NAME=value, beside what this process has
  std::string out;                            // files that get its output
  std::string err;
  int inherit = -1;  // one more descriptor that it keeps; -1: none
};

// A process of ours. Ends with its owner, and with this process if that dies first; signalled by
// its id and no other way.
class Child {
 public:
  // errors: kInternal when it could not be started.
  [[nodiscard]] static Result<std::unique_ptr<Child>> start(const ChildOptions& options);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Kills it if it still runs.
  ~Child();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  // False once it has ended; its exit is then known.
  [[nodiscard]] bool running();
  // To a process that runs; nothing otherwise.
  void signal(int number);
  // Its exit code, or 128 + the signal that ended it; nullopt while it runs.
  [[nodiscard]] std::optional<int> exit_code() const noexcept { return exit_; }
  // User and system time so far, or of its whole life.
  [[nodiscard]] Duration cpu_time();
  // The file that gets its standard error, as it is now.
  [[nodiscard]] std::string error_text() const;
  [[nodiscard]] std::string output_text() const;

 private:
  Child(pid_t pid, ChildOptions options) : pid_(pid), options_(std::move(options)) {}

  pid_t pid_;
  ChildOptions options_;
  std::optional<int> exit_;
  Duration cpu_time_{};  // once it has ended
};

}  // namespace penstock::lab
