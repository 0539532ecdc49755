// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/sdy_text.h"

#include <gtest/gtest.h>

namespace shardscope::sdy_text_test {
namespace {

TEST(SdyText, IsAPartitionSpecInShardysWords) {
  const auto spec = parse_sdy_sharding("#sdy.sharding<@mesh, [{\"x\"}, {}, {\"y\", \"z\"}]>");
  ASSERT_TRUE(spec.ok()) << spec.error().text();
  EXPECT_EQ(spec->text(), "P('x',None,('y','z'))");
  EXPECT_EQ(sdy_sharding_text(*spec, 3, "mesh"), "#sdy.sharding<@mesh, [{\"x\"}, {}, {\"y\", \"z\"}]>");
  EXPECT_EQ(sdy_sharding_text(P("x"), 2, "m"), "#sdy.sharding<@m, [{\"x\"}, {}]>");
  EXPECT_EQ(parse_sdy_sharding("<@m, [{\"x\", ?}, {?}]>")->text(), "P('x',None)");
  EXPECT_EQ(parse_sdy_sharding(" #sdy.sharding<@m, []> ")->dims.size(), 0U);
}

TEST(SdyText, SaysTheColumnOfWhatItDoesNotTake) {
  const auto column = [](const char* text) { return parse_sdy_sharding(text).error().what; };
  EXPECT_EQ(column("#sdy.sharding<mesh>"), "expected the mesh, as in @mesh at column 15");
  EXPECT_EQ(column("<@m, [{x}]>"), "expected an axis, as in \"x\" at column 8");
  EXPECT_EQ(column("<@m, [{\"x\"}"), "expected ',' or ']' at column 12");
  EXPECT_EQ(column("<@m, [{\"x\"}]> more"), "expected the end at column 15");
  EXPECT_NE(column("<@m, [{\"x\":(1)2}]>").find("whole axes"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::sdy_text_test
