#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/assert.h"
#include "runtime/frame_pool.h"

namespace penstock::runtime {

template <class T>
class Task;

namespace detail {

// Continues whoever awaits the task, without growing the stack.
struct FinalAwaiter {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  [[nodiscard]] std::coroutine_handle<> await_suspend(
      std::coroutine_handle<Promise> handle) const noexcept {
    return handle.promise().continuation;
  }
  void await_resume() const noexcept {}
};

struct PromiseBase {
  std::coroutine_handle<> continuation = std::noop_coroutine();
  std::exception_ptr failure;

  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }

  // Frames come and go with every request: they are kept per thread, by size.
  static void* operator new(std::size_t size) { return FramePool::allocate(size); }
  static void operator delete(void* at, std::size_t size) noexcept { FramePool::release(at, size); }
};

template <class T>
struct Promise final : PromiseBase {
  std::optional<T> value;

  Task<T> get_return_object() noexcept;
  template <class U>
    requires std::is_constructible_v<T, U&&>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  [[nodiscard]] T take() {
    if (failure) std::rethrow_exception(failure);
    PENSTOCK_ASSERT(value.has_value());
    return *std::move(value);
  }
};

template <>
struct Promise<void> final : PromiseBase {
  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void take() const {
    if (failure) std::rethrow_exception(failure);
  }
};

}  // namespace detail

// A computation that may wait. Lazy: nothing runs until it is awaited, and it is awaited where it
// is made. Move-only; the frame dies with the Task. Runs on the thread that awaits it.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;

  explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { destroy(); }

  class Awaiter {
   public:
    explicit Awaiter(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
      handle_.promise().continuation = caller;
      return handle_;
    }
    [[nodiscard]] T await_resume()
      requires(!std::is_void_v<T>)
    {
      return handle_.promise().take();
    }
    void await_resume()
      requires std::is_void_v<T>
    {
      handle_.promise().take();
    }

   private:
    std::coroutine_handle<promise_type> handle_;
  };

  Awaiter operator co_await() && noexcept { return Awaiter(handle_); }

 private:
  // Not inlined, so that the compiler cannot fold a callee's frame into its caller's: a coroutine
  // with a dozen callees would hold all their frames for as long as it waits.
  [[gnu::noinline]] void destroy() noexcept {
    if (handle_) handle_.destroy();
  }
  std::coroutine_handle<promise_type> handle_;
};

namespace detail {

template <class T>
Task<T> Promise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

}  // namespace detail
}  // namespace penstock::runtime
