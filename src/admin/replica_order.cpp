#include "admin/replica_order.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/nearest.h"
#include "base/result.h"
#include "fleet/provider.h"
#include "gateway/snapshot.h"
#include "json/reader.h"
#include "json/string.h"
#include "json/utf8.h"

namespace penstock::admin {
namespace {

constexpr std::size_t kShownMax = 128;  // of a name that a caller made up

Error unknown(std::string_view kind, std::string_view name,
              const std::vector<std::string_view>& known) {
  Error error(ErrorCode::kNotFound);
  error.message = "There is no " + std::string(kind) + " \"" +
                  std::string(name.substr(0, kShownMax)) + "\" here.";
  if (const std::optional<std::string_view> near = nearest(name, known))
    error.hint = "Did you mean \"" + std::string(*near) + "\"?";
  return error;
}

std::string_view without_slash(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

}  // namespace

Result<std::string> read_order(std::string_view body) {
  json::Reader reader(body);
  std::optional<std::string> replica;
  bool strange = reader.peek() != json::Kind::kObject;
  std::string_view key;
  if (reader.enter_object()) {
    while (reader.next_key(key)) {
      if (json::equals(key, "replica") && !replica && reader.peek() == json::Kind::kString) {
        replica = json::unescape(reader.read_string());
        continue;
      }
      strange = true;
      reader.skip_value();
    }
  } else if (json::valid(body)) {
    return fail(ErrorCode::kInvalidRequest, "An order is an object: {\"replica\": URL}.");
  }
  if (!reader.finish() || !json::valid_utf8(body)) return fail(ErrorCode::kInvalidJson);
  if (strange || !replica)
    return fail(ErrorCode::kInvalidRequest, "An order says one thing: {\"replica\": URL}.");
  return *replica;
}

Result<const fleet::Provider*> find_provider(const gateway::Snapshot& snapshot,
                                             std::string_view name) {
  if (const fleet::Provider* provider = snapshot.find_provider(name)) return provider;
  std::vector<std::string_view> known;
  for (const fleet::Provider& provider : snapshot.providers) known.push_back(provider.name);
  return fail(unknown("provider", name, known));
}

Result<std::size_t> find_replica(const fleet::Provider& provider, std::string_view url) {
  const auto& replicas = provider.replicas;
  for (std::size_t i = 0; i < replicas.size(); ++i)
    if (without_slash(replicas[i].url) == without_slash(url)) return i;
  const auto named = [url](const fleet::Replica& replica) { return replica.name == url; };
  if (std::ranges::count_if(replicas, named) == 1)
    return static_cast<std::size_t>(std::ranges::find_if(replicas, named) - replicas.begin());
  std::vector<std::string_view> known;
  for (const fleet::Replica& replica : replicas) known.push_back(replica.url);
  return fail(unknown("replica", url, known));
}

}  // namespace penstock::admin
