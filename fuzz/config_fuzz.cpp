// rooms: config
// Any bytes as a config file: no crash, no hang, every problem with a text; and what `config show`
// prints of a good file is a good file again, with the same values.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "config/load.h"
#include "config/show.h"
#include "tests/support/memory_files.h"

namespace {

namespace config = penstock::config;
namespace support = penstock::support;

// `config show` without the origin behind each value: what was a default the first time stands in
// the file the second time.
std::string values_of(std::string_view shown) {
  std::string out;
  while (!shown.empty()) {
    const std::string_view line = shown.substr(0, shown.find('\n'));
    PENSTOCK_ASSERT(line.size() < shown.size());  // the last line ends, too
    out.append(line.substr(0, line.rfind("  # "))).append("\n");
    shown.remove_prefix(line.size() + 1);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  support::MemoryDisk disk;
  support::MemorySecrets secrets;
  secrets.put("env:A", "secret");
  disk.put("penstock.yaml", std::string(reinterpret_cast<const char*>(data), size));
  const config::LoadResult first = config::load("penstock.yaml", disk, secrets);
  for (const std::string& line : config::rendered(first.problems, first.file))
    PENSTOCK_ASSERT(line.starts_with("penstock.yaml:"));
  if (!first.ok()) return 0;
  const std::string shown = config::show(first);
  disk.put("penstock.yaml", shown);
  const config::LoadResult second = config::load("penstock.yaml", disk, secrets);
  PENSTOCK_ASSERT(second.ok());
  PENSTOCK_ASSERT(values_of(config::show(second)) == values_of(shown));
  return 0;
}
