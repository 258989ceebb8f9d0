#include "lab/runner/child.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdlib.h>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "lab/runner/proc.h"

namespace penstock::lab {
namespace {

constexpr int kCannotRun = 127;  // as shells say it

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> whole_environment(const std::vector<std::string>& more) {
  std::vector<std::string> out;
  for (char** at = environ; *at != nullptr; ++at) out.emplace_back(*at);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

// Between fork and exec: calls that are safe there, and nothing else.
[[noreturn]] void become(char** arguments, char** environment, const ChildOptions& options,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotRun);
  ::setpgid(0, 0);  // the terminal's ^C is for the lab, which ends its children in order
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = ::open(options.out.c_str(), flags, 0644);
  const int err = ::open(options.err.c_str(), flags, 0644);
  if (in < 0 || out < 0 || err < 0) ::_exit(kCannotRun);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (options.inherit >= 0) ::fcntl(options.inherit, F_SETFD, 0);
  ::execve(arguments[0], arguments, environment);
  ::_exit(kCannotRun);
}

Duration time_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

Result<std::unique_ptr<Child>> Child::start(const ChildOptions& options) {
  std::vector<std::string> arguments = options.arguments;
  std::vector<std::string> environment = whole_environment(options.environment);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0)
    return fail(ErrorCode::kInternal,
                std::string("cannot start a process: ") + std::strerror(errno));
  if (pid == 0)
    become(const_cast<char**>(argv.data()), const_cast<char**>(envp.data()), options, parent);
  return std::unique_ptr<Child>(new Child(pid, options));
}

Child::~Child() {
  if (!running()) return;
  signal(SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
}

bool Child::running() {
  if (exit_) return false;
  int status = 0;
  rusage usage{};
  if (::wait4(pid_, &status, WNOHANG, &usage) != pid_) return true;
  exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  cpu_time_ = time_of(usage.ru_utime) + time_of(usage.ru_stime);
  return false;
}

void Child::signal(int number) {
  if (running()) ::kill(pid_, number);
}

Duration Child::cpu_time() { return running() ? process_cpu_time(pid_) : cpu_time_; }

std::string Child::error_text() const { return file_text(options_.err); }
std::string Child::output_text() const { return file_text(options_.out); }

}  // namespace penstock::lab
