#include "tests/scenario/faulty_fleet.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/units.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

using test::Answer;
using test::json_answer;
namespace step = test::step;

Duration random_wait(Rng& rng, Duration most) {
  return Duration(rng.below(static_cast<std::uint64_t>(most.count())));
}

// An answer's content.
std::string word_of(std::size_t answer) { return "w" + std::to_string(answer) + "."; }

step::Event text(const std::string& word) {
  return {R"({"id":"c","model":"up","choices":[{"index":0,"delta":{"content":")" + word +
          R"("},"finish_reason":null}]})"};
}

step::Event finish() {
  return {R"({"id":"c","model":"up","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"};
}

step::Event role() {
  return {R"({"id":"c","model":"up","choices":[{"index":0,"delta":{"role":"assistant"}}]})"};
}

Answer refusal(Rng& rng) {
  if (rng.below(64) == 0)  // longer than what is held
    return json_answer(500, R"({"error":{"message":")" + std::string(300'000, 'x') + R"("}})");
  switch (rng.below(7)) {
    case 0: return json_answer(400, R"({"error":{"message":"no","code":"invalid_value"}})");
    case 1:
      return json_answer(400, R"({"error":{"message":"no","code":"context_length_exceeded"}})");
    case 2: return json_answer(401, R"({"error":{"message":"no"}})");
    case 3: return json_answer(404, R"({"error":{"message":"no","code":"model_not_found"}})");
    case 4: return json_answer(429, R"({"error":{"message":"no"}})");
    case 5: return json_answer(500, R"({"error":{"message":"no"}})");
    default:
      return {.steps = {step::Send{
                  "HTTP/1.1 503 Busy\r\nretry-after: 1\r\ncontent-length: 2\r\n\r\n{}"}}};
  }
}

// How a connection fails at whatever point it has come to.
test::Step breakdown(Rng& rng) {
  switch (rng.below(3)) {
    case 0: return step::Cut{};
    case 1: return step::Reset{};
    default: return step::Hang{};
  }
}

Answer unary(Rng& rng, const std::string& word) {
  const std::string body =
      R"({"id":"c","model":"up","choices":[{"index":0,"message":{"content":")" + word +
      R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}})";
  Answer answer = json_answer(body);
  if (rng.below(4) == 0) {  // fails within
    const std::string whole =
        "HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    answer.steps = {step::Send{whole.substr(0, rng.below(whole.size()))},
                    step::Wait{random_wait(rng, 20ms)}, breakdown(rng)};
  }
  return answer;
}

Answer stream(Rng& rng, const std::string& word) {
  Answer answer{.steps = {test::stream_head()}};
  std::vector<test::Step>& steps = answer.steps;
  if (rng.below(2) == 0) steps.emplace_back(role());
  if (rng.below(8) == 0) {
    steps.emplace_back(step::Event{R"({"error":{"message":"engine overloaded"}})"});
    steps.emplace_back(step::LastChunk{});
    return answer;
  }
  const std::uint64_t words = rng.below(5);
  for (std::uint64_t i = 0; i < words; ++i) {
    steps.emplace_back(step::Wait{random_wait(rng, rng.below(8) == 0 ? 600ms : 30ms)});
    steps.emplace_back(rng.below(20) == 0 ? step::Event{"{broken"} : text(word));
  }
  if (rng.below(4) == 0) {
    steps.emplace_back(breakdown(rng));
    return answer;
  }
  if (words == 0) steps.emplace_back(text(word));
  if (rng.below(8) != 0) steps.emplace_back(finish());
  if (rng.below(8) != 0) steps.emplace_back(step::Event{"[DONE]"});
  steps.emplace_back(step::LastChunk{});
  return answer;
}

}  // namespace

Answer random_answer(Rng& rng, Asks asks, const std::string& word) {
  if (rng.below(3) == 0) return refusal(rng);
  Answer answer = asks == Asks::kStreams ? stream(rng, word) : unary(rng, word);
  const Duration before = random_wait(rng, rng.below(6) == 0 ? 500ms : 40ms);
  answer.steps.insert(answer.steps.begin(), step::Wait{before});
  if (rng.below(12) == 0) answer.steps.insert(answer.steps.begin(), breakdown(rng));
  return answer;
}

FaultyFleet::FaultyFleet(GatewayRig& rig, Rng& rng, Asks asks, std::size_t answers)
    : answers_(answers) {
  for (std::size_t i = 0; i < kPlaces.size(); ++i) {
    upstreams_.push_back(
        std::make_unique<test::ScriptedUpstream>(rig.loop, rig.net, std::string(kPlaces[i])));
    for (std::size_t answer = 0; answer < answers; ++answer)
      upstreams_.back()->answer(random_answer(rng, asks, word_of(i * answers + answer)));
  }
}

// An upstream gives its answers to its requests in the order in which they come.
std::vector<FaultyFleet::Asked> FaultyFleet::asked() const {
  std::vector<Asked> all;
  for (std::size_t i = 0; i < kPlaces.size(); ++i) {
    const auto& requests = upstreams_[i]->requests();
    EXPECT_LE(requests.size(), answers_) << "too few answers at " << kPlaces[i];
    for (std::size_t at = 0; at < requests.size(); ++at)
      all.push_back({&requests[at], kPlaces[i], word_of(i * answers_ + at)});
  }
  return all;
}

}  // namespace penstock::scenario
