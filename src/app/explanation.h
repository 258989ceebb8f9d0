#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/secret.h"
#include "base/units.h"
#include "config/load.h"
#include "config/values.h"
#include "control/retry_plan.h"
#include "gateway/snapshot.h"

namespace penstock::app {

// The request to be explained.
struct Question {
  Secret key;            // empty: none is shown
  std::string tenant;    // in dev mode, or as a token would name it
  std::string workload;  // likewise; empty: none is named
  std::string model;
  std::optional<std::string> provider;  // as in x-penstock-provider
  bool stream = false;
};

// One replica that the request could go to.
struct ExplainedReplica {
  std::string url;
  std::uint32_t weight = 1;
  bool in = true;
  std::string why;  // it is in or out
};

// One place in the request's route, in the order of the plan.
struct ExplainedTarget {
  control::TargetRole role = control::TargetRole::kWeighted;
  std::string provider;
  std::string model;  // the name used there
  double share = 0;   // of the model's requests, while all is well; 0 for a fallback
  std::string balance{};
  std::vector<config::Value> settings{};  // of the provider, as far as they bind
  std::string barred{};                   // the rule that keeps the caller away from it, or empty
  std::vector<ExplainedReplica> replicas{};
};

// What one rule of the caller makes of the request, as far as its model and provider decide.
struct ExplainedRule {
  std::string rule;
  std::string verdict;
};

// What the gateway would decide, as far as it came.
struct Explanation {
  std::string tenant;  // empty: none
  std::string workload;
  std::string key_id;
  std::string tier;
  bool named = false;                 // the provider was asked for explicitly: never replaced
  std::vector<config::Value> limits;  // that the request must pass, outermost first
  std::vector<ExplainedRule> rules;   // of the workload and the tier
  std::vector<config::Value> retry;
  Duration deadline{};
  std::vector<ExplainedTarget> targets;
  std::optional<Error> refused;  // why it ends before anybody is called
};

// Decides as the pipeline does, by the same functions, and calls nobody. Nothing is known of the
// replicas of a gateway that does not run: their health is unknown and their breakers are closed.
// now, wall: when the request comes. The explanation never holds the key.
[[nodiscard]] Explanation explain(const Question& question, const config::LoadResult& loaded,
                                  const gateway::Snapshot& snapshot, TimePoint now, WallTime wall);

// For people, in lines; and one JSON object.
[[nodiscard]] std::string text_of(const Explanation& explanation, const Question& question);
[[nodiscard]] std::string json_of(const Explanation& explanation, const Question& question);

}  // namespace penstock::app
