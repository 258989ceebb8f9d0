#include "base/fold_case.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(FoldCase, LettersThatReadersTakeForOneAreOne) {
  EXPECT_EQ(fold_case("Kimi-SECRET_9"), "kimi-secret_9");
  EXPECT_EQ(fold_case("\u212Aimi-\u017Fecret"), "kimi-secret");
  EXPECT_EQ(fold_case("\u017F\u017F"), "ss");
  EXPECT_EQ(fold_case(""), "");
}

TEST(FoldCase, AllElseStays) {
  EXPECT_EQ(fold_case("\u00C4\u00DF\u212B"), "\u00C4\u00DF\u212B") << "no letter of ASCII";
  EXPECT_EQ(fold_case("\xE2\x84"), "\xE2\x84") << "cut in a letter";
  EXPECT_EQ(fold_case("\xC5"), "\xC5");
}

}  // namespace
}  // namespace penstock
