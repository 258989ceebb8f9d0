#pragma once

#include <string_view>
#include <vector>

#include "base/field_type.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/yaml_tree.h"

namespace penstock::config {

// Fills a struct from a tree as its field table says; what is not written keeps its default.
//
// target:    of `type`, default constructed.
// folder:    where relative paths of secrets start.
// origins:   gets the place of every value that was written.
// problems:  gets every unknown key, wrong type, value out of range and missing key; binding goes
//            on after each, so that all of them are told at once.
void bind_tree(const Node& root, const TypeInfo& type, void* target, std::string_view folder,
               Origins& origins, std::vector<Problem>& problems);

}  // namespace penstock::config
