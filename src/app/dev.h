#pragma once

namespace penstock::app {

// `penstock dev`: a gateway without a config. Serves the model `mock` from a mock provider within
// this process, and `provider/model` for the providers whose keys the environment has. Loopback
// only. Prints a curl line and an SDK line.
[[nodiscard]] int dev();

}  // namespace penstock::app
