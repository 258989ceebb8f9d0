#include "app/dev.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "app/serve.h"
#include "base/result.h"
#include "base/seams.h"
#include "config/load.h"
#include "lab/mock.h"
#include "net/address.h"
#include "runtime/system.h"

namespace penstock::app {
namespace {

constexpr std::string_view kData = "127.0.0.1:7100";
constexpr std::string_view kAdmin = "127.0.0.1:7101";

struct KnownProvider {
  std::string_view variable;  // where its key is looked for
  std::string_view name;
  std::string_view url;
};
// Providers that speak a dialect of this version.
constexpr KnownProvider kKnown[] = {
    {"OPENAI_API_KEY", "openai", "https://api.openai.com"},
};

// The config that `dev` stands for, as text: what `serve` would be given.
std::string config_text(const std::string& mock, const std::vector<KnownProvider>& found) {
  std::string text = fmt::format(
      "version: 1\n"
      "listen: {{ data: \"{}\", admin: \"{}\" }}\n"
      "auth: {{ mode: dev }}\n"
      "telemetry: {{ access_log: stdout }}\n"
      "drain: {{ settle: 0s, timeout: 1s }}\n"
      "models:\n"
      "  mock: {{ targets: [ {{ provider: mock, model: mock }} ] }}\n"
      "providers:\n"
      "  mock: {{ dialect: openai, replicas: [ \"http://{}\" ] }}\n",
      kData, kAdmin, mock);
  for (const KnownProvider& provider : found)
    text += fmt::format("  {}: {{ dialect: openai, replicas: [ {} ], key: env:{} }}\n",
                        provider.name, provider.url, provider.variable);
  return text;
}

// Hands out the one text that is no file.
class TextDisk final : public Disk {
 public:
  explicit TextDisk(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] Result<std::string> read(const std::string&) const override { return text_; }

 private:
  std::string text_;
};

void say_hello(const std::string& data, const std::vector<KnownProvider>& found) {
  fmt::print(stderr,
             "Penstock listens on {0} (metrics on {1}), for this machine only.\n\n"
             "  curl http://{0}/v1/chat/completions -H 'content-type: application/json' \\\n"
             "    -d '{{\"model\":\"mock\",\"messages\":[{{\"role\":\"user\",\"content\":\"Say "
             "hello\"}}]}}'\n\n"
             "  Python: openai.OpenAI(base_url=\"http://{0}/v1\", api_key=\"dev\")\n\n",
             data, kAdmin);
  for (const KnownProvider& provider : found)
    fmt::print(stderr, "  {} was found: models are asked for as {}/NAME\n", provider.variable,
               provider.name);
}

}  // namespace

int dev() {
  const runtime::SystemClock clock;
  const Result<std::unique_ptr<lab::Mock>> mock = lab::Mock::start(clock, lab::MockOptions{});
  if (!mock) {
    fmt::print(stderr, "penstock: the mock provider did not start: {}\n", mock.error().message);
    return 1;
  }
  std::vector<KnownProvider> found;
  for (const KnownProvider& provider : kKnown)
    if (!runtime::environment(std::string(provider.variable)).value_or("").empty())
      found.push_back(provider);
  const runtime::SystemSecrets secrets(".");
  const TextDisk disk(config_text(net::to_text((*mock)->address()), found));
  const config::LoadResult loaded = config::load("dev", disk, secrets);
  for (const std::string& line : config::rendered(loaded.problems, "dev"))
    fmt::print(stderr, "{}\n", line);
  if (!loaded.ok()) return config::kExitConfig;
  return serve(loaded, disk, secrets,
               [&](const std::string& data, const std::string&) { say_hello(data, found); });
}

}  // namespace penstock::app
