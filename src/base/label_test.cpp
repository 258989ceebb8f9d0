#include "base/label.h"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

namespace penstock {
namespace {

// Rows written before any config is read still need a text.
TEST(LabelNames, KnowsTheBuiltInLabels) {
  const LabelNames names;
  EXPECT_EQ(names.text(kNoLabel), "");
  EXPECT_EQ(names.text(kOtherLabel), "other");
}

// Two snapshots must count into the same series.
TEST(LabelNames, GivesTheSameNameTheSameLabel) {
  LabelNames names;
  const Label first = names.intern("retail");
  EXPECT_EQ(names.intern(std::string("retail")), first);
  EXPECT_NE(names.intern("wholesale"), first);
  EXPECT_EQ(names.text(first), "retail");
  EXPECT_EQ(names.intern(""), kNoLabel);
  EXPECT_EQ(names.intern("other"), kOtherLabel);
}

// The name's owner, a config snapshot, may be gone when it is shown.
TEST(LabelNames, KeepsItsOwnCopy) {
  LabelNames names;
  std::string name = "short";
  const Label label = names.intern(name);
  name = "gone!";
  EXPECT_EQ(names.text(label), "short");
}

// A config with endless names must not make endless series.
TEST(LabelNames, FallsBackToOtherBeyondTheCap) {
  LabelNames names;
  for (std::size_t i = 2; i < LabelNames::kNamesMax; ++i) {
    const std::string name = "name-" + std::to_string(i);
    const Label label = names.intern(name);
    ASSERT_EQ(label.index, i);
    ASSERT_EQ(names.text(label), name);
  }
  EXPECT_EQ(names.intern("one more"), kOtherLabel);
  EXPECT_EQ(names.intern("name-2").index, 2);
}

// An index that was never given out is our own bug; the scrape must survive it.
TEST(LabelNames, ShowsAnUnknownIndexAsOther) {
  const LabelNames names;
  EXPECT_EQ(names.text(Label{77}), "other");
}

}  // namespace
}  // namespace penstock
