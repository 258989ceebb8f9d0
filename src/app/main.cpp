#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/dev.h"
#include "app/explain.h"
#include "app/gateway_process.h"
#include "app/keys.h"
#include "app/lab_verbs.h"
#include "app/serve.h"
#include "app/version.h"
#include "base/nearest.h"
#include "base/result.h"
#include "config/dead_keys.h"
#include "config/load.h"
#include "config/schema.h"
#include "config/show.h"
#include "runtime/system.h"

namespace penstock::app {
namespace {

constexpr int kExitUsage = 106;  // what the command-line library says for a missing verb

// Loads a config and prints what is wrong with it.
config::LoadResult load_and_report(const std::string& path) {
  const runtime::SystemSecrets secrets(".");
  config::LoadResult loaded = config::load(path, runtime::SystemDisk(), secrets);
  config::warn_of_dead_keys(loaded, runtime::SystemClock().wall());
  for (const std::string& line : config::rendered(loaded.warnings, path))
    fmt::print(stderr, "{} (warning)\n", line);
  for (const std::string& line : config::rendered(loaded.problems, path))
    fmt::print(stderr, "{}\n", line);
  return loaded;
}

int check(const std::string& path) {
  const config::LoadResult loaded = load_and_report(path);
  if (!loaded.ok()) {
    fmt::print(stderr, "{}: {} problem{}\n", path, loaded.problems.size(),
               loaded.problems.size() == 1 ? "" : "s");
    return config::kExitConfig;
  }
  const runtime::SystemSecrets secrets(".");
  const runtime::SystemDisk disk;
  if (const Result<void> usable = GatewayProcess(loaded, disk, secrets).prepare(); !usable) {
    fmt::print(stderr, "{}: {}\n", path, usable.error().message);
    return config::kExitConfig;
  }
  fmt::print("{}: fine, {} provider(s), {} model(s)\n", path, loaded.config.providers.size(),
             loaded.config.models.size());
  return 0;
}

int show(const std::string& path) {
  const config::LoadResult loaded = load_and_report(path);
  if (!loaded.ok()) return config::kExitConfig;
  fmt::print("{}", config::show(loaded));
  return 0;
}

// A verb that does not exist, told with the nearest that does; empty when the words are fine.
// command: what they stand behind, as one types it.
std::string unknown_verb(const CLI::App& app, const std::string& command,
                         std::span<char* const> words) {
  const std::vector<const CLI::App*> verbs = app.get_subcommands({});
  if (verbs.empty() || words.empty() || words.front()[0] == '-') return {};
  const std::string_view word = words.front();
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs) {
    names.push_back(verb->get_name());
    if (names.back() == word)
      return unknown_verb(*verb, fmt::format("{} {}", command, word), words.subspan(1));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::optional<std::string_view> near = nearest(word, views);
  return fmt::format("penstock: unknown verb \"{}\"{}; {} --help lists them", word,
                     near ? fmt::format(" — did you mean \"{}\"?", *near) : "", command);
}

int run(int argc, char** argv) {
  CLI::App app("Penstock: an LLM gateway. One process between programs and the models they call.",
               "penstock");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help for every verb");
  app.set_version_flag("--version", "penstock " + version_and_commit());
  int code = 0;
  std::string path;
  const auto takes_file = [&path](CLI::App* verb) {
    verb->add_option("-c,--config", path, "The config file (YAML)")->required();
    return verb;
  };
  app.add_subcommand("dev", "Serve without a config: a mock provider, and those with keys")
      ->callback([&] { code = dev(); });
  takes_file(app.add_subcommand("serve", "Serve a config in the foreground"))->callback([&] {
    code = serve_file(path);
  });
  takes_file(app.add_subcommand("check", "Print every problem of a config; exit 0 or 78"))
      ->callback([&] { code = check(path); });
  CLI::App* config = app.add_subcommand("config", "Look at configs");
  config->require_subcommand(1);
  takes_file(config->add_subcommand("show", "Effective values, each with its origin"))
      ->callback([&] { code = show(path); });
  config->add_subcommand("schema", "JSON Schema of the config file, for editors")->callback([&] {
    fmt::print("{}", config::schema());
  });
  CLI::App* keys = app.add_subcommand("keys", "API keys");
  keys->require_subcommand(1);
  keys->add_subcommand("new", "Mint a key: printed once, with the hash line for the config")
      ->callback([&] { code = new_key(); });
  add_explain(app, code);
  add_lab_verbs(app, code);
  app.add_subcommand("version", "Print the version")->callback([&] {
    fmt::print("penstock {}\n", version_and_commit());
  });
  const std::span<char* const> words(argv + 1, static_cast<std::size_t>(std::max(argc, 1) - 1));
  if (const std::string unknown = unknown_verb(app, "penstock", words); !unknown.empty()) {
    fmt::print(stderr, "{}\n", unknown);
    return kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return code;
}

}  // namespace
}  // namespace penstock::app

int main(int argc, char** argv) { return penstock::app::run(argc, argv); }
