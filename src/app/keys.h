#pragma once

namespace penstock::app {

// `penstock keys new`: mints an API key, prints it once, and the line that goes into the config.
// Returns the exit code.
[[nodiscard]] int new_key();

}  // namespace penstock::app
