#include "runtime/cancellation.h"

namespace penstock::runtime {

void Cancellation::request(StopReason why) noexcept {
  if (requested()) return;
  reason_ = why;
  while (CancellationHook* hook = first_) {
    hook->unlink();
    hook->call_(hook->context_);
  }
}

CancellationHook::CancellationHook(Cancellation& cancellation, Call call, void* context) noexcept
    : cancellation_(&cancellation), call_(call), context_(context), next_(cancellation.first_) {
  if (next_ != nullptr) next_->previous_ = this;
  cancellation.first_ = this;
}

CancellationHook::~CancellationHook() {
  if (cancellation_ != nullptr) unlink();
}

void CancellationHook::unlink() noexcept {
  if (previous_ != nullptr)
    previous_->next_ = next_;
  else
    cancellation_->first_ = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  cancellation_ = nullptr;
}

}  // namespace penstock::runtime
