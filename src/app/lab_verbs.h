#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
}

namespace penstock::app {

// Adds `mock` and `load`. Their exit code is written to `code`, which outlives the parse.
void add_lab_verbs(CLI::App& app, int& code);

}  // namespace penstock::app
