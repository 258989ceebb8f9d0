#include "lab/runner/kept_file.h"

#include <fstream>
#include <ios>
#include <memory>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "lab/runner/bench.h"
#include "lab/runner/child.h"

namespace penstock::lab {

// gzip is an essential package of Debian; without a date in its head the same records make the
// same file.
Result<void> keep_compressed(const Bench& bench, const std::string& file, std::string_view text) {
  const std::string path = (bench.evidence / file).string();
  std::ofstream(path, std::ios::binary) << text;
  PENSTOCK_TRY(const std::unique_ptr<Child> gzip,
               Child::start({.arguments = {"/usr/bin/env", "gzip", "-9", "-n", "-f", path},
                             .out = (bench.scratch / "gzip.out").string(),
                             .err = (bench.scratch / "gzip.err").string()}));
  PENSTOCK_TRY(const bool ended, bench.until(30s, [&gzip] { return !gzip->running(); }));
  if (ended && gzip->exit_code() == 0) return {};
  return fail(ErrorCode::kInternal, "gzip: " + gzip->error_text());
}

}  // namespace penstock::lab
