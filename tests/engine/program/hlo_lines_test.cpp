// SPDX-License-Identifier: Apache-2.0
// Names and shardings found and changed in single lines of HLO.
#include "engine/program/text/hlo_lines.h"

#include <gtest/gtest.h>

#include "engine/program/ir/program.h"

namespace shardscope::hlo_lines_test {
namespace {

TEST(HloLines, ALineNamesItsInstruction) {
  EXPECT_EQ(instruction_on("  %dot.18 = f32[8,8]{1,0} dot(%a, %b)"), "dot.18");
  EXPECT_EQ(instruction_on("  ROOT z = f32[4] add(x, y)"), "z");
  EXPECT_EQ(instruction_on("# %p0 = f32[4] parameter(0)"), "p0");
  EXPECT_EQ(instruction_on("ENTRY %main (x: f32[4]) -> f32[4] {"), "");
  EXPECT_EQ(instruction_on("// a = b"), "");
  EXPECT_EQ(instruction_on("}"), "");
}

TEST(HloLines, TheShardingIsFoundAmongOtherAttributes) {
  const std::string line =
      R"(  %p = f32[4,4] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}, metadata={op_name="a, sharding={b}"})";
  const auto span = sharding_on(line);
  ASSERT_TRUE(span);
  EXPECT_EQ(line.substr(span->begin, span->end - span->begin),
            "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_FALSE(sharding_on(R"(  %p = f32[4] parameter(0), metadata={op_name="sharding={replicated}"})"));
}

TEST(HloLines, AShardingIsReplacedPutInAndTakenAway) {
  EXPECT_EQ(with_sharding("p = f32[4] parameter(0), sharding={replicated}  // why", "{devices=[2]<=[2]}"),
            "p = f32[4] parameter(0), sharding={devices=[2]<=[2]}  // why");
  EXPECT_EQ(with_sharding("p = f32[4] parameter(0), metadata={op_name=\"x\"}", "{replicated}"),
            "p = f32[4] parameter(0), sharding={replicated}, metadata={op_name=\"x\"}");
  EXPECT_EQ(with_sharding("  p = f32[4] parameter(0)  // last", "{replicated}"),
            "  p = f32[4] parameter(0), sharding={replicated}  // last");
  EXPECT_EQ(with_sharding("p = f32[4] parameter(0), sharding={replicated}, metadata={op_name=\"x\"}", ""),
            "p = f32[4] parameter(0), metadata={op_name=\"x\"}");
  EXPECT_EQ(with_sharding("}", "{replicated}"), "}");
}

// What is written into a line is what the parser then reads.
TEST(HloLines, TheParserReadsWhatWasPutIn) {
  const std::string line = with_sharding("  p = f32[4,4] parameter(0)", "{devices=[2,2]<=[4]}");
  const auto module =
      parse_program("HloModule m\nENTRY main {\n" + line + "\n  ROOT c = f32[4,4] copy(p)\n}\n");
  ASSERT_TRUE(module.ok()) << module.error().text();
  const auto& sharding = module->entry_computation().instructions.front().sharding;
  ASSERT_TRUE(sharding);
  EXPECT_EQ(sharding->text(), "{devices=[2,2]<=[4]}");
}

}  // namespace
}  // namespace shardscope::hlo_lines_test
