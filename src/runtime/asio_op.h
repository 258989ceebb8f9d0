#pragma once

#include <coroutine>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/asio/async_result.hpp>

namespace penstock::runtime {

// Completion token: auto [error, count] = co_await socket.async_read_some(memory, kAsTask);
struct AsTask {};
inline constexpr AsTask kAsTask;

// One Asio operation, started when it is awaited and resumed from its handler, on the thread of its
// io_context. The result is a tuple of what the handler was given. Needs no memory but Asio's own,
// which Asio recycles.
//
// Rules: it is awaited where it is made, once. Asio's objects carry one operation of a kind at a
// time. A frame that waits here must not be destroyed: cancel the operation on its own thread, let
// the wait end (operation_aborted), and only then let the frame go.
template <class Initiation, class Arguments, class... Results>
class [[nodiscard]] AsioOp {
 public:
  AsioOp(Initiation initiation, Arguments arguments)
      : initiation_(std::move(initiation)), arguments_(std::move(arguments)) {}
  AsioOp(const AsioOp&) = delete;
  AsioOp& operator=(const AsioOp&) = delete;
  ~AsioOp() = default;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) {
    caller_ = caller;
    std::apply(
        [this](auto&... arguments) {
          std::move(initiation_)(Handler{this}, std::move(arguments)...);
        },
        arguments_);
  }
  [[nodiscard]] std::tuple<Results...> await_resume() { return *std::move(results_); }

 private:
  struct Handler {
    AsioOp* op;
    void operator()(Results... results) const {
      op->results_.emplace(std::move(results)...);
      op->caller_.resume();
    }
  };

  Initiation initiation_;
  Arguments arguments_;
  std::optional<std::tuple<Results...>> results_;
  std::coroutine_handle<> caller_;
};

}  // namespace penstock::runtime

template <class Return, class... Results>
struct boost::asio::async_result<penstock::runtime::AsTask, Return(Results...)> {
  template <class Initiation, class... Arguments>
  [[nodiscard]] static auto initiate(Initiation&& initiation, penstock::runtime::AsTask,
                                     Arguments&&... arguments) {
    using Stored = std::tuple<std::decay_t<Arguments>...>;
    return penstock::runtime::AsioOp<std::decay_t<Initiation>, Stored, std::decay_t<Results>...>(
        std::forward<Initiation>(initiation), Stored(std::forward<Arguments>(arguments)...));
  }
};
