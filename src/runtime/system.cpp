#include "runtime/system.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <malloc.h>
#include <sched.h>
#include <sys/random.h>
#include <sys/resource.h>

#include "base/error_code.h"
#include "base/result.h"
#include "base/rng.h"
#include "base/secret.h"
#include "base/units.h"

namespace penstock::runtime {
namespace {

// splitmix64 (Steele, Lea, Flood 2014): spreads one seed over a generator's state.
std::uint64_t spread(std::uint64_t& seed) noexcept {
  std::uint64_t z = (seed += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint64_t kernel_seed() noexcept {
  if (const auto told = environment("PENSTOCK_SEED")) {
    std::uint64_t seed = 0;
    std::from_chars(told->data(), told->data() + told->size(), seed);
    return seed;
  }
  std::uint64_t seed = 0;
  while (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
  }
  return seed;
}

// Of configs, secrets and certificates; a device may have no end.
constexpr std::size_t kFileMax = std::size_t{16} << 20;

}  // namespace

TimePoint SystemClock::now() const noexcept {
  return TimePoint(std::chrono::steady_clock::now().time_since_epoch());
}

WallTime SystemClock::wall() const noexcept {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

SystemRng::SystemRng() : SystemRng(kernel_seed()) {}

SystemRng::SystemRng(std::uint64_t seed) noexcept {
  for (std::uint64_t& word : state_) word = spread(seed);
}

// xoshiro256** by Blackman and Vigna (2018).
std::uint64_t SystemRng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::unique_ptr<Rng> SystemRng::fork(std::string_view name) {
  std::uint64_t seed = state_[0] ^ 0xcbf29ce484222325;
  for (const char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return std::make_unique<SystemRng>(seed);
}

Result<std::string> SystemDisk::read(const std::string& path) const {
  std::error_code unknown;  // then opening it says more
  if (std::filesystem::is_directory(path, unknown))
    return fail(ErrorCode::kInvalidRequest, path + " is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::kInvalidRequest, "cannot read " + path);
  std::string text;
  for (std::istreambuf_iterator<char> at(file), end; at != end; ++at) {
    if (text.size() == kFileMax)
      return fail(ErrorCode::kInvalidRequest, path + " is larger than 16 MiB");
    text += *at;
  }
  if (file.bad()) return fail(ErrorCode::kInvalidRequest, "cannot read " + path);
  return text;
}

Result<Secret> SystemSecrets::read(std::string_view reference) const {
  if (reference.starts_with("env:")) {
    const std::string name(reference.substr(4));
    if (auto value = environment(name); value && !value->empty()) return Secret(*std::move(value));
    return fail(ErrorCode::kInvalidRequest, "environment variable " + name + " is not set");
  }
  if (reference.starts_with("file:")) {
    std::filesystem::path path(reference.substr(5));
    if (path.is_relative()) path = std::filesystem::path(base_folder_) / path;
    PENSTOCK_TRY(std::string text, SystemDisk().read(path.string()));
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (text.empty()) return fail(ErrorCode::kInvalidRequest, path.string() + " is empty");
    return Secret(std::move(text));
  }
  return fail(ErrorCode::kInvalidRequest, "a secret is written env:NAME or file:path");
}

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

unsigned cpus_allowed() noexcept {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

std::uint64_t raise_descriptor_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = limit.rlim_max;
  ignore(::setrlimit(RLIMIT_NOFILE, &limit), "the limit read back says what holds");
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return limit.rlim_cur;
}

// 1 is too little for a file, and the only limit that a kernel heeds which hands dumps to a program
// (core(5); fs/coredump.c). The hard limit stays, so that an operator may raise it: prlimit(1).
void forbid_core_dumps() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CORE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(1, limit.rlim_max);
  ignore(::setrlimit(RLIMIT_CORE, &limit), "lowering a soft limit is always allowed");
}

void give_back_freed_memory() noexcept {
  ::mallopt(M_MMAP_THRESHOLD, 64 * 1024);
  ::mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
  ::mallopt(M_ARENA_MAX, 8);
}

}  // namespace penstock::runtime
