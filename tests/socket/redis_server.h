#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace penstock::store::redis {

// A redis-server of our own, on a port of its own, in a folder of its own; killed when it ends. The
// program must be there: without it every test that needs it fails.
class RedisServer {
 public:
  // options: as in redis.conf, such as {"maxmemory", "1mb"}. Returns once it takes commands, or
  // once it has its socket where it must load first.
  struct Option {
    std::string name;
    std::string value;
  };
  explicit RedisServer(std::vector<Option> options = {});
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer();

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

  // Stops it dead, as kill -9 does, and starts it again on the same port and folder.
  void kill();
  void start();
  // Starts it and returns while it reads what it had saved, which takes it a millisecond a key.
  void start_slowly();
  // SIGSTOP and SIGCONT.
  void freeze();
  void thaw();

  // Sends a command over a connection of its own, waits for the reply and gives its text: of an
  // error with its "-", of a list one line a value.
  std::string ask(std::string_view command) const;

 private:
  [[nodiscard]] bool try_start(std::string_view until, const std::vector<Option>& more);

  std::vector<Option> options_;
  std::string folder_;
  std::uint16_t port_ = 0;
  pid_t pid_ = -1;
};

// The same for a server somewhere on 127.0.0.1; empty when it cannot be reached.
std::string ask_redis(std::uint16_t port, std::string_view command);

// Sends a command and does not wait for the reply, on a connection that lasts as long as this.
class RedisTold {
 public:
  RedisTold(std::uint16_t port, std::string_view command);
  RedisTold(const RedisTold&) = delete;
  RedisTold& operator=(const RedisTold&) = delete;
  ~RedisTold();

 private:
  int socket_;
};

// A port that was free a moment ago.
[[nodiscard]] std::uint16_t free_port();

}  // namespace penstock::store::redis
