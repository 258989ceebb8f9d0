// Which tests show that each row of the table is what happens, for callers of both tiers. A row
// without one fails here, and so does one whose test has gone.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "policy/posture.h"

namespace penstock::policy {
namespace {

using enum Failure;

// Whom a test asks for. kEverybody: for both, or where nothing knows of tiers yet.
enum class For : std::uint8_t { kInternal, kExternal, kEverybody };
using enum For;

struct Shown {
  Failure row;
  For whom;
  std::string_view file;  // from the top of the tree
  std::string_view name;  // of a scenario; "Suite.Name" of a C++ test; the text of a client case
};

constexpr std::string_view kRules = "tests/scenario/cases/policy_rules.yaml";
constexpr std::string_view kAccess = "tests/scenario/cases/policy_access.yaml";
constexpr std::string_view kRedaction = "tests/scenario/cases/redaction.yaml";
constexpr std::string_view kRedactionFailure = "tests/scenario/redaction_failure_test.cpp";
constexpr std::string_view kTokens = "tests/scenario/cases/tokens.yaml";
constexpr std::string_view kTokenCases = "tests/clients/token_cases.py";
constexpr std::string_view kQuotaOutage = "tests/clients/quota_outage_cases.py";
constexpr std::string_view kSharedQuota = "tests/scenario/shared_quota_test.cpp";
constexpr std::string_view kPolicyCases = "tests/clients/policy_cases.py";
constexpr std::string_view kPool = "tests/scenario/cases/pool.yaml";
constexpr std::string_view kRefusals = "tests/scenario/cases/refusals.yaml";

constexpr auto kShown = std::to_array<Shown>({
    {kRuleUnreadable, kInternal, kRules, "ToolsAreDenied"},
    {kRuleUnreadable, kExternal, kAccess, "MembersInAnotherCaseAreRefusedToExternalCallersToo"},
    {kRouteBarred, kEverybody, "tests/scenario/authorization_test.cpp",
     "Authorization.NoAttemptReachesABarredProvider"},
    {kSystemPromptNoPlace, kEverybody, kRules, "SystemPromptIsPutFirst"},
    {kRedactorFailed, kEverybody, kRedactionFailure,
     "RedactionFailureTest.ARequestThatTakesTooLongIsClosed"},
    {kRedactorFailed, kEverybody, kRedactionFailure,
     "RedactionFailureTest.AReplyThatTakesTooLongIsClosed"},
    {kRedactorFailed, kEverybody, kRedactionFailure,
     "RedactionFailureTest.AStreamWithoutMemoryEndsWithAnErrorEvent"},
    {kRedactorFailed, kInternal, kRedaction, "RepliesTooLongToBeHeldAreClosed"},
    {kRedactorFailed, kInternal, kRedaction, "UnknownCodingsAreClosed"},
    {kRedactorFailed, kInternal, kRedaction, "TextBehindItsFinishIsClosed"},
    {kRedactorFailed, kExternal, kRedaction, "ExternalRepliesTooLongToBeHeldAreClosed"},
    {kRedactorFailed, kExternal, kRedaction, "ExternalUnknownCodingsAreClosed"},
    {kRedactorFailed, kExternal, kRedaction, "ExternalTextBehindItsFinishIsClosed"},
    {kTokenInvalid, kEverybody, kTokens, "StrangersAreRefusedAtOnce"},
    {kTokenInvalid, kEverybody, "src/identity/hostile_tokens_test.cpp",
     "HostileTokens.EachIsRefusedWithinAMillisecond"},
    {kKeySetAway, kEverybody, kTokens, "AnOutageKeepsKeysForAWhile"},
    {kKeySetAway, kEverybody, kTokenCases,
     "keys older than `keep` let nobody in, and the next set does again"},
    {kKeyUnknown, kEverybody, kTokens, "AnUnknownKeyIsWaitedForASecond"},
    {kKeyUnknown, kEverybody, kTokenCases,
     "known keys outlive their issuer, and an unknown one is refused at once"},
    {kQuotaStoreAway, kInternal, kSharedQuota,
     "SharedQuotaTest.TheEmergencyLimitKeepsItsLevelAsTheStoreFlaps"},
    {kQuotaStoreAway, kExternal, kSharedQuota,
     "SharedQuotaTest.OnlyInternalTenantsSpendSlicesWhileTheStoreIsAway"},
    {kQuotaStoreAway, kEverybody, kQuotaOutage,
     "Redis frozen: each gateway's part of the limits holds, then all is shared again"},
    {kCeilingStoreAway, kEverybody, kSharedQuota,
     "SharedQuotaTest.TheCeilingTightensWhileTheStoreIsAway"},
    {kConfigInvalid, kEverybody, "tests/clients/reload_cases.py",
     "a file that is wrong, cut or asks for a restart changes nothing and says why"},
    {kSecretEmpty, kEverybody, "tests/clients/process_cases.py",
     "a config that only its secrets show to be wrong is exit code 78"},
    {kSecretEmpty, kEverybody, "src/config/validate_rules_test.cpp",
     "ValidateRules.ASystemPromptIsAText"},
    {kAuditLogFull, kEverybody, kPolicyCases,
     "an audit log that cannot be written loses lines, counts them and stops nobody"},
    {kLogsFull, kEverybody, kPolicyCases,
     "an access log that cannot be written loses lines, counts them and stops nobody"},
    {kNamesUnresolved, kEverybody, "tests/socket/system_resolver_test.cpp",
     "SystemResolverThreads.KeepsTheLastGoodAnswerOnFailure"},
    {kNamesUnresolved, kEverybody, kPool, "UnknownHostIsUnavailable"},
    {kUpstreamTls, kEverybody, "tests/clients/tls_cases.py",
     "an https replica is refused where nobody, or another authority, vouches for it"},
    {kDescriptorsOut, kEverybody, kPool, "NoDescriptorLeftIsLocal"},
    {kMemoryFull, kEverybody, kRefusals, "BodyMemoryFullRefuses"},
    {kMemoryFull, kEverybody, kRedactionFailure,
     "RedactionFailureTest.ARequestWithoutMemoryForItsCopyIsRefused"},
    {kClockStepped, kEverybody, "tests/scenario/clock_step_test.cpp",
     "ClockStepTest.NeitherGivesNorTakesAllowance"},
});

std::string text_of(std::string_view path) {
  std::ifstream file(fmt::format("{}/{}", PENSTOCK_SOURCE_DIR, path));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// As its suite writes it where it is defined.
std::string definition(const Shown& shown) {
  if (shown.file.ends_with(".yaml")) return fmt::format("- name: {}\n", shown.name);
  if (shown.file.ends_with(".py")) return fmt::format("@suite.case(\"{}\")\n", shown.name);
  const std::size_t dot = shown.name.find('.');
  return fmt::format("({}, {}) {{", shown.name.substr(0, dot), shown.name.substr(dot + 1));
}

// Where its file is made part of a run, and by which word. Scenarios are found by themselves.
bool runs(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view file = path.substr(slash + 1);
  if (file.ends_with(".yaml")) return path.starts_with("tests/scenario/cases/");
  if (file.ends_with(".py"))
    return text_of("tests/clients/run_suites.py")
        .contains(fmt::format("    {}.run(report", file.substr(0, file.size() - 3)));
  return text_of(fmt::format("{}/CMakeLists.txt", path.substr(0, slash))).contains(file);
}

bool is_shown(Failure row, For whom) {
  return std::ranges::any_of(kShown, [&](const Shown& shown) {
    return shown.row == row && (shown.whom == whom || shown.whom == kEverybody);
  });
}

TEST(PostureCases, EveryRowHasItsTests) {
  for (const PostureRow& row : posture_table()) {
    const bool now = row.built == Built::kNow;
    EXPECT_EQ(is_shown(row.failure, kInternal), now) << row.what;
    EXPECT_EQ(is_shown(row.failure, kExternal), now) << row.what;
  }
}

TEST(PostureCases, TheTestsAreThereAndRun) {
  for (const Shown& shown : kShown) {
    EXPECT_TRUE(text_of(shown.file).contains(definition(shown)))
        << shown.name << " is not in " << shown.file;
    EXPECT_TRUE(runs(shown.file)) << shown.file;
  }
}

}  // namespace
}  // namespace penstock::policy
