#include "tests/socket/redis_server.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdlib.h>

#include "store/redis/reply_parser.h"
#include "store/redis/value.h"

namespace penstock::store::redis {
namespace {

constexpr std::string_view kReady = "Ready to accept connections";

[[noreturn]] void give_up(std::string_view why) {
  std::cerr << "redis_server: " << why << std::endl;
  std::abort();
}

sockaddr_in here(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::string text_of(const Value& value) {
  switch (value.kind) {
    case ValueKind::kNil: return "(nil)";
    case ValueKind::kInteger: return std::to_string(value.integer);
    case ValueKind::kText: return value.text;
    case ValueKind::kError: return "-" + value.text;
    case ValueKind::kList: break;
  }
  std::string lines;
  for (const Value& element : value.list) lines += text_of(element) + "\n";
  return lines;
}

// What the child does: no allocation, for another thread may have been in the middle of one.
void become(const std::vector<char*>& arguments, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(arguments.front(), arguments.data());
  _exit(127);
}

// Reads what the server says until it says this; false when it ended before.
bool wait_until(int output, std::string_view word) {
  std::string said;
  std::array<char, 4096> memory;
  for (;;) {
    const ssize_t got = read(output, memory.data(), memory.size());
    if (got <= 0) break;
    said.append(memory.data(), static_cast<std::size_t>(got));
    if (said.find(word) != std::string::npos) return true;
  }
  if (said.find("Address already in use") == std::string::npos) std::cerr << said;
  return false;
}

}  // namespace

std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = here(0);
  socklen_t size = sizeof address;
  if (bind(socket, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    give_up("no free port");
  close(socket);
  return ntohs(address.sin_port);
}

RedisTold::RedisTold(std::uint16_t port, std::string_view command)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_in address = here(port);
  const std::string line = std::string(command) + "\r\n";
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      write(socket_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    give_up("nobody to tell");
}

RedisTold::~RedisTold() { close(socket_); }

std::string ask_redis(std::uint16_t port, std::string_view command) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = here(port);
  std::string text;
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string line = std::string(command) + "\r\n";
    ReplyParser parser;
    std::array<char, 4096> memory;
    bool asked = write(socket, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    while (asked) {
      const ssize_t got = read(socket, memory.data(), memory.size());
      if (got <= 0) break;
      std::string_view bytes(memory.data(), static_cast<std::size_t>(got));
      const ReplyParser::Step step = parser.next(bytes);
      if (step == ReplyParser::Step::kReply) text = text_of(parser.take());
      asked = step == ReplyParser::Step::kMore;
    }
  }
  close(socket);
  return text;
}

RedisServer::RedisServer(std::vector<Option> options) : options_(std::move(options)) {
  std::string folder = std::filesystem::temp_directory_path() / "penstock-redis-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) give_up("no folder");
  folder_ = folder;
  constexpr int kTries = 5;  // another may take the port that was free
  for (int i = 0; i < kTries; ++i) {
    port_ = free_port();
    if (try_start(kReady, {})) return;
  }
  give_up("redis-server does not start; it is the Debian package redis-server");
}

RedisServer::~RedisServer() {
  kill();
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

bool RedisServer::try_start(std::string_view until, const std::vector<Option>& more) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) give_up("no pipe");
  std::vector<std::string> words = {"redis-server", "--port",    std::to_string(port_),
                                    "--bind",       "127.0.0.1", "--dir",
                                    folder_,        "--save",    ""};
  std::vector<Option> all = options_;
  all.insert(all.end(), more.begin(), more.end());
  for (const Option& option : all) {
    words.push_back("--" + option.name);
    words.push_back(option.value);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) become(arguments, pipe_ends[1]);
  close(pipe_ends[1]);
  const bool ready = wait_until(pipe_ends[0], until);
  close(pipe_ends[0]);  // it does not mind that nobody reads the rest
  if (ready) return true;
  kill();
  return false;
}

void RedisServer::start() {
  if (!try_start(kReady, {})) give_up("redis-server does not start again");
}

void RedisServer::start_slowly() {
  const std::vector<Option> slow = {{"key-load-delay", "1000"},
                                    {"loading-process-events-interval-bytes", "1024"}};
  if (!try_start("Loading RDB", slow)) give_up("redis-server does not start again");
}

void RedisServer::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
}

void RedisServer::freeze() { ::kill(pid_, SIGSTOP); }
void RedisServer::thaw() { ::kill(pid_, SIGCONT); }

std::string RedisServer::ask(std::string_view command) const { return ask_redis(port_, command); }

}  // namespace penstock::store::redis
