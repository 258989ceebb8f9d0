#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/principal.h"
#include "gateway/request_scope.h"
#include "gateway/route.h"
#include "gateway/snapshot.h"

namespace penstock::gateway {

// Why a caller may not use a model or a provider: which rule says so.
enum class Barred : std::uint8_t {
  kNo,
  kModels,     // the workload's `models`
  kTiers,      // `tiers` of the model or the provider, or of all its providers
  kProviders,  // the workload's `providers`
};

// The rule as the config and the audit log name it.
[[nodiscard]] std::string_view name(Barred barred) noexcept;

// What one caller may use. Pure; borrows the snapshot and a workload of it (null: none, and no
// rules of one).
class Access {
 public:
  Access(const Snapshot& snapshot, const Workload* workload, Tier tier) noexcept
      : snapshot_(snapshot), workload_(workload), tier_(tier) {}

  // Whether a provider may serve the caller, by its index.
  [[nodiscard]] Barred provider(std::size_t index) const noexcept;
  // Whether the caller may ask for that name, as far as names go: a model's or `provider/model`.
  [[nodiscard]] Barred asked(std::string_view name) const noexcept;
  // Whether what a provider calls so may serve the caller outside of any model. Where only models
  // that are closed to its tier lead there, the place is closed to it too. Case is ignored, for
  // providers may ignore it. cost: a pass over the targets of all models.
  [[nodiscard]] Barred place(std::size_t provider, std::string_view upstream) const;
  // Whether the caller may use a model at all: its name, its tiers, and any of its places. One of
  // weight 0 is a place only for who names its provider.
  [[nodiscard]] Barred model(const Model& model,
                             Route::ChosenBy by = Route::ChosenBy::kModel) const noexcept;
  // Whether there is anything that this caller may not use, and the first rule that says so.
  // cost: a pass over all models and providers.
  [[nodiscard]] Barred anything() const noexcept;
  // The public names that the caller may use, in the config's order.
  [[nodiscard]] std::vector<std::string_view> models() const;

 private:
  const Snapshot& snapshot_;
  const Workload* workload_;
  Tier tier_;
};

[[nodiscard]] Access access_of(const RequestScope& scope) noexcept;

// Leaves of a route the places that the caller may use, if only none.
void keep_allowed(Route& route, const Access& access);

}  // namespace penstock::gateway
