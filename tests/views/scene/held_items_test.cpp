// SPDX-License-Identifier: Apache-2.0
// What a chip holds in ever fewer letters: nothing is left out, pieces are not called blocks, a sum in the
// making is called one.
#include "views/scene/story/held_items.h"

#include <gtest/gtest.h>

namespace shardscope::held_items_test {
namespace {

std::vector<std::string> names_of(const std::vector<HeldItem>& items) {
  std::vector<std::string> out;
  for (const HeldItem& item : items)
    out.push_back(item.name + (item.ends_group && !item.terms.empty() ? " (" + item.terms + ")" : ""));
  return out;
}

using Names = std::vector<std::string>;
const std::vector<HeldItem> kHeld{{"a0–a3", "", false},
                                  {"a5", "", true},
                                  {"w2.1", "", false},
                                  {"w3.1/2", "", true},
                                  {"y0", "2 of 4", true}};

TEST(HeldItems, GetShorterWithoutLosingAny) {
  const auto forms = shorter_items(kHeld);
  ASSERT_EQ(forms.size(), 6U);
  EXPECT_EQ(names_of(forms[0]), (Names{"a0–a3", "a5", "w2.1", "w3.1/2", "y0 (2 of 4)"}));
  EXPECT_EQ(names_of(forms[1]), (Names{"a0–3", "a5", "w2.1", "w3.1/2", "y0 (2/4)"}));
  EXPECT_EQ(names_of(forms[2]), (Names{"5 a", "2 pieces", "1 y (2/4)"}));
  EXPECT_EQ(names_of(forms[3]), (Names{"5a", "2pieces", "Σ1y"}));
  EXPECT_EQ(names_of(forms[4]), (Names{"a", "w2", "w3", "Σy"}));
  EXPECT_EQ(names_of(forms[5]), (Names{"a", "w", "Σy"}));
}

TEST(HeldItems, BeforeAClassAllOfThemOrASignThatTheyDoNotFit) {
  Scene scene;
  const Canvas canvas{400, 300, presented(light_theme(), 720)};
  const Pen pen(scene, canvas);
  const auto width = [&](const std::string& text) { return pen.width(text, 1) + 1; };
  EXPECT_EQ(lines_of_items(pen, kHeld, width("5a 2pieces Σ1y"), 1, 1), Names{"5a 2pieces Σ1y"});
  EXPECT_EQ(lines_of_items(pen, kHeld, width("a w Σy"), 1, 1), Names{"a w Σy"});
  EXPECT_EQ(lines_of_items(pen, kHeld, 10, 1, 1), Names{"…"});
  EXPECT_EQ(lines_of_items(pen, kHeld, width("5a 2pieces Σ1y"), 0, 1), Names{"…"});
}

TEST(HeldItems, NamesOfATransferAreCounted) {
  EXPECT_EQ(counted_names("a0–a2 w1.1/2 w2.1/2"), "3 a, 2 pieces");
  EXPECT_EQ(counted_names("x.0"), "1 piece");
}

}  // namespace
}  // namespace shardscope::held_items_test
