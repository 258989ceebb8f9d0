#pragma once

#include <vector>

#include "config/config.h"
#include "config/path.h"
#include "config/problem.h"

namespace penstock::config {

struct Findings {
  std::vector<Problem> problems;  // the config is refused
  std::vector<Problem> warnings;  // worth a line on stderr
};

// The rules that hold between values: references by name, uniqueness, exposure of the listeners,
// time-outs that compose badly. Values that failed to bind hold their default and are judged as
// that.
void validate(const Config& config, const Origins& origins, Findings& findings);

// The part about limits of callers and the queue: rules that can never bind.
void validate_limits(const Config& config, const Origins& origins, Findings& findings);

// The part about where state is kept.
void validate_store(const Config& config, const Origins& origins, Findings& findings);

// The part about what workloads and tiers may use: rules that can never bind.
void validate_rules(const Config& config, const Origins& origins, Findings& findings);

// The part about auth.jwt: there where it is needed, and nowhere else.
void validate_auth(const Config& config, const Origins& origins, Findings& findings);

// The part about names: providers of targets, workloads of keys, hashes used twice.
void validate_names(const Config& config, const Origins& origins, std::vector<Problem>& problems);

// The part about redaction: expressions that cannot be looked for, sections that look for nothing.
void validate_redaction(const Config& config, const Origins& origins,
                        std::vector<Problem>& problems);

}  // namespace penstock::config
