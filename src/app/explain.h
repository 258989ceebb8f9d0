#pragma once

#include <CLI/CLI.hpp>

namespace penstock::app {

// Adds the verb `explain`: what a running gateway of that config would decide for a request,
// without calling anyone. Its exit code goes into `code`: 0; 1 when the request would be refused,
// or its key cannot be read; 78.
void add_explain(CLI::App& app, int& code);

}  // namespace penstock::app
