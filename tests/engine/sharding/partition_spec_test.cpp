// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/partition_spec.h"

#include <gtest/gtest.h>
#include <random>

namespace shardscope::partition_spec_test {
namespace {

TEST(PartitionSpec, reads_what_jax_prints) {
  const PartitionSpec expected{{{"x"}, {}, {"y", "z"}}};
  for (const char* text :
       {"P('x',None,('y','z'))", "P(\"x\", None, (\"y\", \"z\"))", "PartitionSpec('x', None, ('y', 'z'))",
        "  P( 'x' , None , ( 'y' , 'z' , ) , ) "}) {
    const auto spec = PartitionSpec::parse(text);
    ASSERT_TRUE(spec.ok()) << text << ": " << spec.error().text();
    EXPECT_EQ(*spec, expected) << text;
  }
  EXPECT_EQ(PartitionSpec::parse("P()")->dims.size(), 0u);
  EXPECT_EQ(PartitionSpec::parse("P(('x',))")->dims, (std::vector<std::vector<std::string>>{{"x"}}));
  EXPECT_EQ(PartitionSpec::parse("P((),'x')")->dims, (std::vector<std::vector<std::string>>{{}, {"x"}}));
}

TEST(PartitionSpec, prints_what_it_reads) {
  for (const char* text : {"P()", "P(None)", "P('x')", "P('x',None,('y','z'))", "P(('b','a'),None)"}) {
    EXPECT_EQ(PartitionSpec::parse(text)->text(), text);
  }
  EXPECT_EQ(P("row", "", "col").text(), "P('row',None,'col')");
}

TEST(PartitionSpec, errors_name_the_column_and_what_was_expected) {
  const auto error = [](const char* text) { return PartitionSpec::parse(text).error().text(); };
  EXPECT_EQ(error("P('x', y)"),
            "expected an axis name in quotes, a tuple of them or None, got 'y'; spec column 8");
  EXPECT_EQ(error("P('x'"), "expected ',' or ')', got the end of the text; spec column 6");
  EXPECT_EQ(error("P('x)"), "no closing '; spec column 3");
  EXPECT_EQ(error("'x'"), "expected P(...) or PartitionSpec(...), got '''; spec column 1");
  EXPECT_EQ(error("P('') "),
            "expected an axis name in quotes, a tuple of them or None, got an empty name; spec column 3");
  EXPECT_EQ(error("P() P()"), "expected the end of the text, got 'P'; spec column 5");
  EXPECT_EQ(error(""), "expected P(...) or PartitionSpec(...), got the end of the text; spec column 1");
}

TEST(PartitionSpec, any_text_is_a_spec_that_prints_back_or_an_error) {
  std::mt19937 random(1);
  const std::string good = "PartitionSpec('x', None, ('y', \"z\"),)";
  const std::string letters = "P(),'\" xyNone[]{}\\\n";
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (int k = std::uniform_int_distribution<int>(1, 4)(random); k > 0; --k) {
      const size_t at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = letters[random() % letters.size()];
      else
        text.erase(at, 1 + random() % 3);
      if (text.empty()) text = "P";
    }
    const auto spec = PartitionSpec::parse(text);
    if (spec.ok() && text.find('"') == std::string::npos) {
      EXPECT_EQ(*PartitionSpec::parse(spec->text()), *spec) << text;
    } else if (!spec.ok()) {
      EXPECT_NE(spec.error().where.find("column"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace shardscope::partition_spec_test
