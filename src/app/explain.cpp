#include "app/explain.h"

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/explanation.h"
#include "base/error_code.h"
#include "base/label.h"
#include "base/result.h"
#include "base/seams.h"
#include "base/secret.h"
#include "config/compile.h"
#include "config/load.h"
#include "gateway/snapshot.h"
#include "runtime/system.h"

namespace penstock::app {
namespace {

struct Flags {
  std::string file;
  std::string key;  // the key, env:NAME, file:path or -
  std::string tenant;
  std::string workload;
  std::string model;
  std::string provider;
  std::string format = "text";
  bool stream = false;
};

// Keys that do not stand on the command line stay out of shell histories and process lists.
Result<Secret> key_of(const std::string& given, const SecretSource& secrets) {
  if (given.starts_with("env:") || given.starts_with("file:")) return secrets.read(given);
  if (given != "-") return Secret(given);
  std::string line;
  if (!std::getline(std::cin, line))
    return fail(ErrorCode::kInvalidRequest, "there is no key on standard input");
  if (line.ends_with('\r')) line.pop_back();
  return Secret(std::move(line));
}

int explain_file(const Flags& flags) {
  const runtime::SystemSecrets secrets(".");
  const config::LoadResult loaded = config::load(flags.file, runtime::SystemDisk(), secrets);
  for (const std::string& line : config::rendered(loaded.problems, flags.file))
    fmt::print(stderr, "{}\n", line);
  if (!loaded.ok()) return config::kExitConfig;
  const runtime::SystemClock clock;
  LabelNames labels;
  const Result<std::shared_ptr<const gateway::Snapshot>> snapshot =
      config::compile(loaded.config, secrets, labels, clock.wall());
  if (!snapshot) {
    fmt::print(stderr, "{}: {}\n", flags.file, snapshot.error().message);
    return config::kExitConfig;
  }
  Result<Secret> key = key_of(flags.key, secrets);
  if (!key) {
    fmt::print(stderr, "penstock: --key: {}\n", key.error().message);
    return 1;
  }
  const Question question{
      .key = *std::move(key),
      .tenant = flags.tenant,
      .workload = flags.workload,
      .model = flags.model,
      .provider = flags.provider.empty() ? std::nullopt : std::optional(flags.provider),
      .stream = flags.stream};
  const Explanation told = explain(question, loaded, **snapshot, clock.now(), clock.wall());
  fmt::print("{}", flags.format == "json" ? json_of(told, question) : text_of(told, question));
  return told.refused ? 1 : 0;
}

}  // namespace

void add_explain(CLI::App& app, int& code) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* verb =
      app.add_subcommand("explain", "Tell what would become of a request, without calling anyone");
  verb->add_option("-c,--config", flags->file, "The config file (YAML)")->required();
  verb->add_option("--key", flags->key,
                   "The caller's key; better env:NAME, file:path or - (standard input)");
  verb->add_option("--model", flags->model, "The model asked for")->required();
  verb->add_option("--provider", flags->provider, "As in x-penstock-provider");
  verb->add_option("--tenant", flags->tenant,
                   "As in x-tenant-id in dev mode, or as a token claims it");
  verb->add_option("--workload", flags->workload, "As a token claims it");
  verb->add_option("--format", flags->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  verb->add_flag("--stream", flags->stream, "A streamed request");
  verb->callback([flags, &code] { code = explain_file(*flags); });
}

}  // namespace penstock::app
