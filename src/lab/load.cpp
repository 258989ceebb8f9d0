#include "lab/load.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "lab/load_run.h"
#include "lab/load_target.h"
#include "lab/load_totals.h"
#include "lab/load_worker.h"
#include "lab/on_stop.h"
#include "lab/pacer.h"
#include "net/dialer.h"
#include "net/system_resolver.h"
#include "net/tcp_dialer.h"
#include "net/tls.h"
#include "runtime/asio_loop.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/thread.h"

namespace penstock::lab {
namespace {

using runtime::Task;

// A loop with its worker. Made on the main thread, run on its own.
class LoadThread {
 public:
  LoadThread(LoadRun& run, net::Dialer& dialer) : loop_(run.clock), worker_(run, loop_, dialer) {}

  // Runs until the worker's share is done. concurrency: 0: open loop.
  void run(std::uint32_t concurrency) {
    loop_.post([this, concurrency] { main_.spawn(work(concurrency)); });
    loop_.run();
  }
  // Any thread.
  void post(std::function<void(LoadWorker&)> what) {
    loop_.post([this, what = std::move(what)] { what(worker_); });
  }
  [[nodiscard]] const LoadTotals& totals() const noexcept { return worker_.totals(); }

 private:
  Task<void> work(std::uint32_t concurrency) {
    co_await (concurrency == 0 ? worker_.run_open() : worker_.run_closed(concurrency));
    loop_.stop();
  }

  runtime::AsioLoop loop_;
  LoadWorker worker_;
  runtime::TaskGroup main_;
};

// Counts threads that have ended, for whoever waits and shows progress meanwhile.
class Finish {
 public:
  void thread_ended() {
    const std::lock_guard lock(mutex_);
    ++ended_;
    changed_.notify_all();
  }
  // Calls `each_second` until `threads` have ended.
  void wait_for(std::size_t threads, const std::function<void()>& each_second) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, 1s, [&] { return ended_ == threads; })) each_second();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t ended_ = 0;
};

// Whom a stop reaches: the run while there is one.
struct StopTarget {
  std::mutex mutex;
  std::function<void()> stop;  // empty: nothing runs
  bool stopped = false;        // before it began

  void call() {
    const std::lock_guard lock(mutex);
    stopped = true;
    if (stop) stop();
  }
  void set(std::function<void()> call_this) {
    const std::lock_guard lock(mutex);
    stop = std::move(call_this);
    if (stopped && stop) stop();
  }
};

std::uint32_t share(std::uint32_t whole, unsigned parts, unsigned part) {
  return whole / parts + (part < whole % parts ? 1 : 0);
}

std::unique_ptr<Pacer> start_pacer(LoadRun& run, std::vector<LoadThread*> threads) {
  // Whole ranges go to the threads in turn, so that a wake costs one post.
  auto due = [threads, turn = std::size_t{0}](std::uint64_t first, std::uint64_t last) mutable {
    threads[turn++ % threads.size()]->post(
        [first, last](LoadWorker& worker) { worker.begin(first, last); });
  };
  auto done = [threads] {
    for (LoadThread* const thread : threads)
      thread->post([](LoadWorker& worker) { worker.no_more_arrivals(); });
  };
  return std::make_unique<Pacer>(run.clock, run.plan, std::move(due), std::move(done));
}

// Runs all threads to their end and adds up what they saw.
std::unique_ptr<LoadTotals> run_threads(LoadRun& run, net::Dialer& dialer, StopTarget& target) {
  const LoadOptions& options = run.options;
  std::list<LoadThread> loads;
  std::vector<LoadThread*> all;
  for (unsigned i = 0; i < options.threads; ++i) all.push_back(&loads.emplace_back(run, dialer));
  Finish finish;
  std::vector<runtime::Thread> threads;
  for (unsigned i = 0; i < options.threads; ++i) {
    const bool open = options.open_loop();
    const std::uint32_t concurrency = open ? 0 : share(options.concurrency, options.threads, i);
    if (!open && concurrency == 0) continue;
    threads.emplace_back("load", [load = all[i], concurrency, &finish] {
      load->run(concurrency);
      finish.thread_ended();
    });
  }
  std::unique_ptr<Pacer> pacer;
  if (options.open_loop()) pacer = start_pacer(run, all);
  target.set([&run, &pacer, &all] {
    run.stop();
    if (pacer != nullptr) pacer->stop();
    for (LoadThread* const load : all) load->post([](LoadWorker& worker) { worker.stop(); });
  });
  const bool show = ::isatty(STDERR_FILENO) == 1;
  finish.wait_for(threads.size(), [&run, show] {
    if (!show) return;
    fmt::print(stderr, "\r{} ended, {} failed ", run.ended.load(), run.failed.load());
    std::fflush(stderr);
  });
  if (show) fmt::print(stderr, "\r\033[K");
  target.set({});
  for (runtime::Thread& thread : threads) thread.join();
  auto totals = std::make_unique<LoadTotals>();
  for (const LoadThread& load : loads) totals->add(load.totals());
  return totals;
}

int print_report(const LoadRun& run, const LoadTotals& totals) {
  LoadRates rates;
  rates.time = std::max<Duration>(run.clock.now() - run.measured_from, 1ns);
  const bool early = run.stopped() || run.options.requests_max != 0;
  if (!early) rates.time = std::max<Duration>(rates.time, run.end - run.measured_from);
  const double time = std::chrono::duration<double>(rates.time).count();
  rates.offered = run.options.rps > 0 ? run.options.rps : static_cast<double>(totals.all()) / time;
  rates.started = run.start;
  const std::string table = report_table(totals, rates);
  std::FILE* const to = run.options.json ? stderr : stdout;
  ignore(std::fwrite(table.data(), 1, table.size(), to), "nobody is left to be told");
  if (!run.options.json) return 0;
  const std::string json = report_json(totals, rates);
  ignore(std::fwrite(json.data(), 1, json.size(), stdout), "nobody is left to be told");
  return 0;
}

int complain(const Error& error) {
  fmt::print(stderr, "penstock load: {}\n",
             error.message.empty() ? info(error.code).message : error.message);
  return 1;
}

}  // namespace

int run_load(const Clock& clock, const LoadOptions& options, const OnStop& on_stop) {
  const auto stop = std::make_shared<StopTarget>();  // a stop may come late
  on_stop([stop] { stop->call(); });
  Result<LoadTarget> target = load_target(options);
  if (!target) return complain(target.error());
  std::shared_ptr<net::TlsClient> tls;
  if (target->url.scheme == "https") {
    Result<std::shared_ptr<net::TlsClient>> made = net::TlsClient::create({});
    if (!made) return complain(made.error());
    tls = *std::move(made);
  }
  std::unique_ptr<RecordFile> records;
  if (!options.records.empty()) {
    Result<std::unique_ptr<RecordFile>> opened = RecordFile::open(options.records);
    if (!opened) return complain(opened.error());
    records = *std::move(opened);
  }
  runtime::raise_descriptor_limit();
  net::SystemResolver resolver(clock);
  net::TcpDialer dialer(resolver);
  LoadRun run(clock, options, *std::move(target), std::move(records));
  run.origin.tls = tls.get();
  const std::unique_ptr<LoadTotals> totals = run_threads(run, dialer, *stop);
  return print_report(run, *totals);
}

}  // namespace penstock::lab
