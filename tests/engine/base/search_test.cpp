// SPDX-License-Identifier: Apache-2.0
#include "engine/base/search.h"

#include <gtest/gtest.h>

namespace shardscope::search_test {
namespace {

std::vector<std::string> found(const std::string& words, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const size_t at : found_in(names, Search(words), [](const std::string& n) { return Searched({n}); }))
    out.push_back(names[at]);
  return out;
}

TEST(Search, WhatIsCalledByTheWordsComesBeforeNamesThatHaveThem) {
  EXPECT_EQ(
      found("ring", {"all-gather over a ring", "string", "of rings", "ring all-reduce", "mesh", "ring"}),
      (std::vector<std::string>{"ring", "ring all-reduce", "all-gather over a ring", "of rings", "string"}));
}

TEST(Search, ANameWithThePhraseComesBeforeOneWithItsWords) {
  EXPECT_EQ(found("one all-reduce", {"all of one layer, then reduce it", "MLP: one all-reduce"}),
            (std::vector<std::string>{"MLP: one all-reduce", "all of one layer, then reduce it"}));
}

TEST(Search, NamesComeBeforeWhatIsSaidOfAThing) {
  const Search search("reduce scatter");
  const Searched named({"scatter", "and reduce"}), phrase({"other"}, "a reduce-scatter"),
      said({"other"}, "scatter, then reduce"), nothing({"reduce"}, "all");
  EXPECT_LT(search.distance(named), search.distance(phrase));
  EXPECT_LT(search.distance(phrase), search.distance(said));
  EXPECT_FALSE(search.finds(nothing));
}

TEST(Search, WhatJoinsWordsIsABlankAndLettersAreAlikeLargeAndSmall) {
  for (const char* typed : {"megatron mlp", "Megatron.MLP", "megatron_mlp", "megatron-mlp"})
    for (const char* name : {"megatron.mlp", "megatron_mlp_8", "Megatron MLP"})
      EXPECT_LE(Search(typed).distance(Searched({name})), 1) << typed << " in " << name;
  EXPECT_TRUE(Search(".").finds(Searched({"Ctrl+."}))) << "a mark by itself stays one";
  EXPECT_FALSE(Search(".").finds(Searched({"Ctrl+K"})));
}

TEST(Search, ASearchForNothingFindsAllAsTheyCome) {
  EXPECT_EQ(found("  ", {"b", "a"}), (std::vector<std::string>{"b", "a"}));
}

}  // namespace
}  // namespace shardscope::search_test
