#include "gateway/request_scope.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "base/label.h"
#include "base/outcome.h"
#include "base/rng.h"
#include "base/units.h"
#include "control/outcome.h"
#include "dialect/surface.h"
#include "fleet/selection.h"
#include "gateway/drain.h"
#include "gateway/token_quota.h"
#include "gateway/worker.h"
#include "net/exchange.h"
#include "telemetry/access_log.h"
#include "telemetry/gateway_metrics.h"
#include "telemetry/labels.h"
#include "wire/header_list.h"

namespace penstock::gateway {
namespace {

constexpr std::size_t kRequestIdMax = 128;

bool is_client_retry(const wire::HeaderList& headers) {
  const std::optional<std::string_view> count = headers.find("x-stainless-retry-count");
  return count && !count->empty() && *count != "0";
}

std::string mint_id(Rng& rng) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id(32, '0');
  for (std::size_t half = 0; half < 2; ++half) {
    std::uint64_t bits = rng.next();
    for (std::size_t i = 0; i < 16; ++i, bits >>= 4) id[half * 16 + i] = kDigits[bits & 15];
  }
  return id;
}

}  // namespace

bool is_request_id(std::string_view id) noexcept {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !id.empty() && id.size() <= kRequestIdMax && std::ranges::all_of(id, allowed);
}

RequestScope::RequestScope(Worker& its_worker, net::Exchange& its_exchange)
    : worker(its_worker),
      exchange(its_exchange),
      snapshot(its_worker.snapshot),
      call_id(mint_id(*its_worker.rng)) {
  const std::optional<std::string_view> given = exchange.head().headers.find("x-request-id");
  request_id = given && is_request_id(*given) ? std::string(*given) : call_id;
}

Label RequestScope::model_label() const noexcept {
  if (route.model != nullptr) return route.model->label;
  return provider != nullptr ? kOtherLabel : kNoLabel;
}

void RequestScope::begin_attempt(const fleet::Placement& placement) {
  target = &route.targets()[placement.target];
  provider = &snapshot->providers[target->provider];
  replica = &provider->replicas[placement.replica];
  rejected_at.reset();
  said = ProviderReply();
  connection_reusable = false;
  if (!exchange.begun()) status = 0;  // else a heartbeat sent it
  usage = llm::Usage();
  relayed_tokens = 0;
  stop = "refused";
  if (!content_sent) first_content.reset();
}

RequestScope::~RequestScope() {
  settle_tokens(*this);
  const Outcome outcome = control::classify(facts(code));
  const Duration took = now() - started();
  const Duration own = std::max(took - waited, Duration::zero());
  count(outcome, took, own);
  log(outcome, took, own);
  tell_if_cut(*this, took);
}

control::Facts RequestScope::facts(std::optional<ErrorCode> failed) const noexcept {
  control::Facts facts{.code = failed,
                       .provider_status = said.status,
                       .retry_after = said.retry_after,
                       .word = said.word};
  // One that left behind its reply's last byte had what it wanted.
  if (exchange.client_left() && stop != "complete") facts.client = control::Facts::Client::kGone;
  return facts;
}

void RequestScope::count(Outcome outcome, Duration took, Duration own) noexcept {
  using telemetry::TokenKind;
  telemetry::GatewayMetrics& metrics = worker.metrics;
  const Label served = provider_label();
  const Label model = model_label();
  const Label place = worker.label(surface);
  metrics.requests.at(tenant, workload, served, model, place, outcome, code).add();
  if (is_client_retry(exchange.head().headers)) metrics.client_retries.at(tenant).add();
  if (rejected_at && code) metrics.rejections.at(*rejected_at, *code).add();
  if (stream_end) metrics.streams.at(*stream_end).add();
  if (interrupted) metrics.stream_interrupted.at(*interrupted).add();
  if (attempts == 0) return;
  metrics.duration.at(served, model, place).observe(took);
  metrics.overhead.at(served, model, place).observe(own);
  if (first_content && request.streamed())
    metrics.time_to_first_token.at(served, model, place).observe(*first_content - started());
  const auto add = [&](auto& family, TokenKind kind, const std::optional<std::uint64_t>& tokens) {
    if (tokens)
      family.at(tenant, workload, served, model, kind, telemetry::Estimated::kNo).add(*tokens);
  };
  add(metrics.tokens_in, TokenKind::kInput, usage.input);
  add(metrics.tokens_in, TokenKind::kInputCached, usage.input_cached);
  add(metrics.tokens_in, TokenKind::kInputCacheWrite, usage.input_cache_write);
  add(metrics.tokens_out, TokenKind::kOutput, usage.output);
  add(metrics.tokens_out, TokenKind::kOutputReasoning, usage.output_reasoning);
}

void RequestScope::log(Outcome outcome, Duration took, Duration own) noexcept {
  telemetry::AccessRecord record;
  record.ts = worker.loop.clock().wall() - std::chrono::floor<std::chrono::microseconds>(took);
  record.call_id = call_id;
  record.request_id = request_id;
  record.tenant = principal.tenant;
  record.workload = principal.workload;
  record.key_id = principal.key_id;
  record.surface = name(surface);
  record.model = model_name();
  if (provider != nullptr) record.provider = provider->name;
  if (replica != nullptr) record.replica = replica->name;
  record.attempts = attempts;
  record.status = status;
  record.code = code;
  record.outcome = outcome;
  if (first_content) record.ttft = *first_content - started();
  record.duration = took;
  record.overhead = own;
  record.queue = queued;
  if (usage.input) record.tokens_in = Tokens{*usage.input};
  if (usage.output) record.tokens_out = Tokens{*usage.output};
  record.stop = stop;
  record.stream = request.streamed();
  worker.log_line.clear();
  telemetry::append_line(worker.log_line, record);
  worker.access_log.write(worker.log_line);
}

}  // namespace penstock::gateway
