#include "net/system_resolver.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "net/address.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/thread.h"

namespace penstock::net {
namespace {

using Answer = Result<std::vector<Address>>;

std::optional<Address> address_of(const addrinfo& found) {
  Address address;
  if (found.ai_family == AF_INET) {
    const auto& v4 = *reinterpret_cast<const sockaddr_in*>(found.ai_addr);
    std::memcpy(address.ip.data(), &v4.sin_addr, sizeof v4.sin_addr);
  } else if (found.ai_family == AF_INET6) {
    const auto& v6 = *reinterpret_cast<const sockaddr_in6*>(found.ai_addr);
    std::memcpy(address.ip.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
    address.v6 = true;
  } else {
    return std::nullopt;
  }
  return address;
}

std::unexpected<Error> unknown(std::string why) {
  Error error(ErrorCode::kUpstreamUnavailable);
  error.detail = std::move(why);
  return fail(std::move(error));
}

// Keeps the system's order, which follows RFC 6724.
Answer ask_system(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* list = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &list); code != 0)
    return unknown(::gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    const std::optional<Address> address = address_of(*at);
    if (address && std::ranges::find(addresses, *address) == addresses.end())
      addresses.push_back(*address);
    if (addresses.size() == SystemResolver::kAddressesMax) break;
  }
  if (addresses.empty()) return unknown("the name has no address");
  return addresses;
}

// Somebody who waits for an answer. Shared with the thread that will bring it, for it may come when
// the caller has left.
struct Waiter {
  Waiter(runtime::EventLoop& its_loop, runtime::Alarm& its_alarm)
      : loop(its_loop), alarm(&its_alarm) {}

  runtime::EventLoop& loop;      // posted to only while the names list the waiter
  runtime::Alarm* alarm;         // on the loop's thread; nullptr: nobody is there any more
  std::optional<Answer> answer;  // on the loop's thread
};

}  // namespace

// What is known of names, and what is being asked. All under one lock, which is held for a look-up
// in a map and never while anything blocks.
class SystemResolver::Names {
 public:
  Names(const Clock& clock, Lookup lookup) : clock_(clock), lookup_(std::move(lookup)) {}

  // What is known, or nullopt: then `waiter` will be told.
  [[nodiscard]] std::optional<Answer> ask(const std::string& host,
                                          const std::shared_ptr<Waiter>& waiter);
  void leave(const std::string& host, const std::shared_ptr<Waiter>& waiter);
  // Answers questions until told to stop.
  void work(const std::stop_token& stop);
  void close();

 private:
  struct Name {
    std::vector<Address> addresses;      // the last good ones
    std::string failure;                 // why asking failed, when it did last
    TimePoint renew = TimePoint::min();  // when to ask again
    TimePoint asked = TimePoint::min();  // last by a caller
    bool in_flight = false;
    std::vector<std::shared_ptr<Waiter>> waiters;
  };
  using Map = std::map<std::string, Name>;

  [[nodiscard]] bool make_room();
  void put_question(Map::value_type& entry);
  void answer(const std::string& host, Answer got);

  const Clock& clock_;
  const Lookup lookup_;
  std::mutex mutex_;
  std::condition_variable_any asked_;
  std::deque<std::string> questions_;  // at most one for each name
  Map names_;
  bool closed_ = false;
};

std::optional<Answer> SystemResolver::Names::ask(const std::string& host,
                                                 const std::shared_ptr<Waiter>& waiter) {
  const TimePoint now = clock_.now();
  const std::lock_guard lock(mutex_);
  if (closed_) return unknown("shutting down");
  if (!names_.contains(host) && !make_room()) return unknown("too many names at once");
  auto& entry = *names_.try_emplace(host).first;
  Name& name = entry.second;
  name.asked = now;
  const bool due = now >= name.renew;
  if (due && !name.in_flight) put_question(entry);
  if (!name.addresses.empty()) return name.addresses;
  if (!due && !name.in_flight) return unknown(name.failure);
  name.waiters.push_back(waiter);
  return std::nullopt;
}

// Makes room for one name more; false when every one is being asked for.
bool SystemResolver::Names::make_room() {
  if (names_.size() < kNamesMax) return true;
  auto oldest = names_.end();
  for (auto at = names_.begin(); at != names_.end(); ++at) {
    if (at->second.in_flight) continue;
    if (oldest == names_.end() || at->second.asked < oldest->second.asked) oldest = at;
  }
  if (oldest == names_.end()) return false;
  names_.erase(oldest);
  return true;
}

void SystemResolver::Names::put_question(Map::value_type& entry) {
  entry.second.in_flight = true;
  questions_.push_back(entry.first);
  asked_.notify_one();
}

void SystemResolver::Names::leave(const std::string& host, const std::shared_ptr<Waiter>& waiter) {
  const std::lock_guard lock(mutex_);
  if (const auto found = names_.find(host); found != names_.end())
    std::erase(found->second.waiters, waiter);
}

void SystemResolver::Names::work(const std::stop_token& stop) {
  while (true) {
    std::string host;
    {
      std::unique_lock lock(mutex_);
      if (!asked_.wait(lock, stop, [this] { return !questions_.empty(); })) return;
      host = std::move(questions_.front());
      questions_.pop_front();
    }
    answer(host, lookup_(host));
  }
}

// Posting happens under the lock: who has left, perhaps with its loop, is no longer listed.
void SystemResolver::Names::answer(const std::string& host, Answer got) {
  const TimePoint now = clock_.now();
  const std::lock_guard lock(mutex_);
  Name& name = names_.at(host);  // a name in flight is never evicted
  name.in_flight = false;
  name.renew = now + (got ? kFresh : kFailureKept);
  if (got) {
    PENSTOCK_ASSERT(!got->empty());
    name.addresses = *got;
  } else {
    name.failure = got.error().detail;
  }
  for (std::shared_ptr<Waiter>& waiter : std::exchange(name.waiters, {})) {
    runtime::EventLoop& loop = waiter->loop;
    loop.post([waiter = std::move(waiter), got] {
      if (waiter->alarm == nullptr) return;
      waiter->answer = got;
      waiter->alarm->wake();
    });
  }
}

// Questions that nobody has taken up are answered here, so that no caller is left waiting.
void SystemResolver::Names::close() {
  std::deque<std::string> open;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    open = std::exchange(questions_, {});
  }
  for (const std::string& host : open) answer(host, unknown("shutting down"));
}

SystemResolver::SystemResolver(const Clock& clock) : SystemResolver(clock, &ask_system) {}

SystemResolver::SystemResolver(const Clock& clock, Lookup lookup)
    : names_(std::make_shared<Names>(clock, std::move(lookup))) {
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads_.emplace_back("resolver",
                          [names = names_](const std::stop_token& stop) { names->work(stop); });
  }
}

SystemResolver::~SystemResolver() {
  for (runtime::Thread& thread : threads_) thread.request_stop();
  names_->close();
  threads_.clear();  // joins
}

runtime::Task<Result<std::vector<Address>>> SystemResolver::resolve(runtime::EventLoop& loop,
                                                                    std::string host,
                                                                    runtime::CallContext context) {
  const std::shared_ptr<Names> names = names_;
  runtime::Alarm alarm(loop);
  const auto waiter = std::make_shared<Waiter>(loop, alarm);
  if (std::optional<Answer> known = names->ask(host, waiter)) co_return *std::move(known);
  runtime::CancellationHook hook(
      context.cancellation, [](void* at) { static_cast<runtime::Alarm*>(at)->wake_soon(); },
      &alarm);
  if (!context.cancellation.requested()) {
    ignore(co_await alarm.until(context.deadline), "the answer tells");
  }
  waiter->alarm = nullptr;
  names->leave(host, waiter);
  if (waiter->answer) co_return *std::move(waiter->answer);
  co_return fail(ErrorCode::kDeadlineExceeded, "resolving took too long");
}

}  // namespace penstock::net
