// rooms: config
// Any bytes as a config file: no crash, no hang, every problem with a text; and what `config show`
// prints of a good file is a good file again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "config/load.h"
#include "config/show.h"
#include "tests/support/memory_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock;
  support::MemoryDisk disk;
  support::MemorySecrets secrets;
  secrets.put("env:A", "secret");
  disk.put("penstock.yaml", std::string(reinterpret_cast<const char*>(data), size));
  const config::LoadResult first = config::load("penstock.yaml", disk, secrets);
  for (const std::string& line : config::rendered(first.problems, first.file))
    PENSTOCK_ASSERT(line.starts_with("penstock.yaml:"));
  if (!first.ok()) return 0;
  disk.put("penstock.yaml", config::show(first));
  const config::LoadResult second = config::load("penstock.yaml", disk, secrets);
  PENSTOCK_ASSERT(second.ok());
  return 0;
}
