#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/seams.h"
#include "base/secret_ref.h"
#include "config/compile_provider.h"
#include "config/config.h"
#include "config/path.h"
#include "config/problem.h"
#include "gateway/snapshot.h"

namespace penstock::config {

// The part of compile() about what workloads may ask for; comes behind providers and tenants.
//
// before: whose system prompts are taken over where `credentials` are kept; null: at the start.
// errors: as read_system_prompt().
[[nodiscard]] Result<void> compile_rules(const Config& config, const SecretSource& secrets,
                                         const gateway::Snapshot* before, Credentials credentials,
                                         gateway::Snapshot& snapshot);

// The text that a workload's `system_prompt` names, less one line end behind it.
// errors: kInvalidRequest when it cannot be read, is empty or blank, or is not UTF-8.
[[nodiscard]] Result<std::string> read_system_prompt(const SecretRef& reference,
                                                     const SecretSource& secrets);

// Adds a problem for every system prompt that can be read and is no text; the others are told of by
// check_secrets().
void check_prompts(const Config& config, const Origins& origins, const SecretSource& secrets,
                   std::vector<Problem>& problems);

}  // namespace penstock::config
