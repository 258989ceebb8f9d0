#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/seams.h"
#include "config/load.h"
#include "config/values.h"
#include "config/yaml_tree.h"

namespace penstock::config {

// The config of a running process: that of the file, and the live changes laid over it since. One
// thread.
class LiveConfig {
 public:
  // loaded: ok().
  explicit LiveConfig(LoadResult loaded);

  // A change that was judged and is not in force yet.
  struct Draft {
    LoadResult loaded;                  // with the change
    Node file;                          // the tree of the file that it rests on
    std::vector<ChangedValue> changes;  // what it makes different from now
    Node patch;                         // all live changes together, weights apart
    Node weights;
  };
  // Judges a JSON merge patch in the file's shape as `check` judges a file: live fields only, null
  // gives a field back to the file, weights of targets as in weights_patch.h. Changes nothing.
  //
  // errors: kInvalidJson; kInvalidRequest, with every problem in the words of `check`.
  [[nodiscard]] Result<Draft> draft(std::string_view merge_patch) const;
  // Judges the file as it is now, with the live changes laid over it. What only a restart can
  // change must be as it was. Changes nothing.
  //
  // fresh:  what load() made of the file.
  // errors: kInvalidRequest, with every problem in the words of `check`.
  [[nodiscard]] Result<Draft> reload(LoadResult fresh) const;
  // Puts a draft of this very state in force.
  void take(Draft draft);

  [[nodiscard]] const LoadResult& current() const noexcept { return current_; }

 private:
  // Lays the live changes over the file's tree and judges what comes of it.
  [[nodiscard]] Result<Draft> judged(Draft draft) const;

  Node file_;  // the file's tree, without changes
  Node patch_;
  Node weights_;
  LoadResult current_;
};

}  // namespace penstock::config
