#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/rng.h"
#include "base/seams.h"

// The real clock, random numbers, files and secrets. The only place that asks the system for them.
namespace penstock::runtime {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const noexcept override;
  [[nodiscard]] WallTime wall() const noexcept override;
};

// xoshiro256** seeded from the kernel, or from PENSTOCK_SEED when a run is to be repeated.
class SystemRng final : public Rng {
 public:
  SystemRng();
  explicit SystemRng(std::uint64_t seed) noexcept;
  [[nodiscard]] std::uint64_t next() override;
  [[nodiscard]] std::unique_ptr<Rng> fork(std::string_view name) override;

 private:
  std::uint64_t state_[4];
};

class SystemDisk final : public Disk {
 public:
  [[nodiscard]] Result<std::string> read(const std::string& path) const override;
};

// `env:NAME` and `file:path` (relative paths from `base_folder`; one trailing line end is dropped).
class SystemSecrets final : public SecretSource {
 public:
  explicit SystemSecrets(std::string base_folder) : base_folder_(std::move(base_folder)) {}
  [[nodiscard]] Result<Secret> read(std::string_view reference) const override;

 private:
  std::string base_folder_;
};

// An environment variable, or nullopt.
[[nodiscard]] std::optional<std::string> environment(const std::string& name);
// CPUs that this process may run on, at least 1.
[[nodiscard]] unsigned cpus_allowed() noexcept;
// Raises the soft limit of open descriptors to the hard one; returns the limit now in force.
std::uint64_t raise_descriptor_limit() noexcept;
// Lets no core dump be written: prompts, replies and keys are in memory while they pass.
void forbid_core_dumps() noexcept;
// Makes freed bodies of 64 KiB and more go back to the system at once (mmap threshold), instead of
// letting the allocator learn to keep them.
void give_back_freed_memory() noexcept;

}  // namespace penstock::runtime
