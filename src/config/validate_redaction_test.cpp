#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/label.h"
#include "config/compile_tenants.h"
#include "config/load.h"
#include "config/problem.h"
#include "gateway/snapshot.h"
#include "gateway/workload_redaction.h"
#include "policy/redact_config.h"
#include "policy/redactor.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

LoadResult judged(std::string_view redact) {
  support::MemoryDisk disk;
  const support::MemorySecrets secrets;
  disk.put(
      "penstock.yaml",
      "version: 1\nlisten: {}\nauth: { mode: dev }\ntenants:\n  a: { workloads: { w: { redact: " +
          std::string(redact) + " } } }\n");
  return load("penstock.yaml", disk, secrets);
}

std::string fault(std::string_view redact) {
  const LoadResult got = judged(redact);
  EXPECT_EQ(got.problems.size(), 1U) << redact;
  return got.problems.empty() ? "" : render(got.problems.front(), "f");
}

TEST(ValidateRedaction, AdmitsWhatCanBeLookedFor) {
  EXPECT_TRUE(
      judged("{ patterns: [email, phone, card, iban, ssn, ipv4, ipv6, api_key, private_key] }")
          .ok());
  EXPECT_TRUE(judged("{ patterns: [email], on: [request], action: block }").ok());
  EXPECT_TRUE(judged("{ custom: { staff: 'E-\\d{6}', other: { expression: 'x{2,9}' } } }").ok());
}

TEST(ValidateRedaction, NamesThePlaceOfABadExpression) {
  const std::string told = fault("{ custom: { staff: 'E-\\d+' } }");
  EXPECT_TRUE(told.starts_with("f:5:")) << told;
  EXPECT_NE(told.find("tenants.a.workloads.w.redact.custom.staff: has no bound"),
            std::string::npos);
  for (const char* bad : {"'('", "'a?'", "'a{2,}'", "'^a'", "'[a-z]{3}'"})
    EXPECT_NE(fault(std::string("{ custom: { abc: ") + bad + " } }"), "") << bad;
}

TEST(ValidateRedaction, RefusesASectionThatLooksForNothing) {
  EXPECT_NE(fault("{ action: mask }"), "");
  EXPECT_FALSE(judged("{ patterns: [emial] }").ok());
  EXPECT_FALSE(judged("{ patterns: [email], on: [replies] }").ok());
  EXPECT_FALSE(judged("{ patterns: [email], action: hide }").ok());
  EXPECT_FALSE(judged("{ custom: { staff: {} } }").ok());
}

TEST(CompileRedaction, EachWorkloadHasItsOwn) {
  const LoadResult loaded =
      judged("{ patterns: [email], custom: { staff: 'E-\\d{6}' }, on: [response] } }, none: { ");
  ASSERT_TRUE(loaded.ok());
  gateway::Snapshot snapshot;
  LabelNames labels;
  ASSERT_TRUE(compile_tenants(loaded.config, labels, nullptr, snapshot));
  const auto& workloads = snapshot.tenants.at("a").workloads;
  EXPECT_EQ(workloads.at("none").redaction, nullptr);
  const gateway::WorkloadRedaction* const redaction = workloads.at("w").redaction.get();
  ASSERT_NE(redaction, nullptr);
  EXPECT_EQ(redaction->redactor.size(), 2U);
  EXPECT_EQ(redaction->kinds.size(), 2U);
  EXPECT_EQ(redaction->redactor.mask(1), "[staff]");
  EXPECT_FALSE(redaction->redactor.on(policy::Direction::kRequest));
  EXPECT_TRUE(redaction->redactor.on(policy::Direction::kResponse));
}

}  // namespace
}  // namespace penstock::config
