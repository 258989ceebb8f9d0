#include "telemetry/audit_log.h"

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/units.h"

namespace penstock::telemetry {
namespace {

std::string line(const AuditRecord& record) {
  std::string out;
  append_line(out, record);
  return out;
}

// The members and their order are a promise to whoever reads the log.
TEST(AuditLog, WritesEveryMember) {
  const std::array changes{AuditChange{.path = "retry.budget", .from = "10%", .to = "0%"},
                           AuditChange{.path = "x", .from = std::nullopt, .to = "\n"}};
  EXPECT_EQ(line({.at = WallTime(std::chrono::microseconds(1'700'000'000'123'999)),
                  .rule = "admin",
                  .action = "patch",
                  .code = ErrorCode::kInvalidRequest,
                  .tenant = "t",
                  .workload = "w",
                  .key_id = "k",
                  .request_id = "r",
                  .provider = "p",
                  .replica = "u",
                  .model = "p/m",
                  .changes = changes}),
            R"({"audit":true,"at":"2023-11-14T22:13:20.123Z","rule":"admin","action":"patch",)"
            R"("code":"invalid_request","tenant":"t","workload":"w","key_id":"k",)"
            R"("request_id":"r","provider":"p","replica":"u","model":"p/m",)"
            R"("changes":[{"path":"retry.budget","from":"10%","to":"0%"},)"
            R"({"path":"x","from":null,"to":"\n"}]})");
}

TEST(AuditLog, WritesNullForWhatIsNotThere) {
  EXPECT_EQ(line({}),
            R"({"audit":true,"at":"1970-01-01T00:00:00.000Z","rule":null,"action":null,)"
            R"("code":null,"tenant":null,"workload":null,"key_id":null,"request_id":null,)"
            R"("provider":null,"replica":null,"model":null,"changes":[]})");
}

}  // namespace
}  // namespace penstock::telemetry
