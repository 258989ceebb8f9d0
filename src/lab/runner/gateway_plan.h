#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock::lab {

// A gateway's configuration, as far as experiments differ in it. Texts are YAML in flow style.
struct ProviderPlan {
  std::string name;
  std::vector<std::string> replicas;  // base URLs
  std::string more;                   // further members: "balance: least_request, limits: {…}"
};
struct ModelPlan {
  std::string name = "chat";
  std::string targets;  // "{ provider: stable, model: mock, weight: 90 }, …"
  std::string more;
};
struct GatewayPlan {
  std::string name = "gateway";
  std::vector<ProviderPlan> providers;
  std::vector<ModelPlan> models;
  // Whole top-level lines: "retry: { budget: 10% }". Without one for `drain` it leaves at once.
  std::vector<std::string> sections;
  std::string tenants;          // the section's content; empty: auth.mode dev
  std::uint16_t data_port = 0;  // 0: any free one
  std::uint16_t admin_port = 0;
  unsigned workers = 1;
};

// The plan for one provider named `stable` that serves the model `chat`.
[[nodiscard]] GatewayPlan one_provider(std::vector<std::string> replicas, std::string more);

// The YAML. access_log: the file that gets a line a request.
[[nodiscard]] std::string config_text(const GatewayPlan& plan, const std::string& access_log);

// The lines of a tenant with one key, whose workload is `main`. key: as clients send it. limits:
// flow style, or empty.
[[nodiscard]] std::string tenant_text(const std::string& name, const std::string& key,
                                      const std::string& limits);

}  // namespace penstock::lab
