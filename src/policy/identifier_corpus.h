#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/rng.h"
#include "policy/redact_config.h"
#include "policy/redactor.h"

// Identifiers made up for tests, with words around them. Of tests alone.
namespace penstock::policy::test {

// All built-in patterns and one of the config: `employee`, E- and six digits.
[[nodiscard]] RedactConfig all_patterns(RedactAction action = RedactAction::kMask);
[[nodiscard]] Redactor build(const RedactConfig& config);

struct Sample {
  std::string kind;  // the word in its mask
  std::string before;
  std::string identifier;
  std::string behind;

  [[nodiscard]] std::string text() const { return before + identifier + behind; }
  [[nodiscard]] std::string masked() const { return before + "[" + kind + "]" + behind; }
};

// So many identifiers, every kind as often as any other.
[[nodiscard]] std::vector<Sample> identifier_corpus(Rng& rng, std::size_t count);

// In which nothing is to be found, and much that resembles it.
[[nodiscard]] std::vector<std::string> lookalikes();

}  // namespace penstock::policy::test
