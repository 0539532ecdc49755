// SPDX-License-Identifier: Apache-2.0
// Operand and indices of a gather that are cut over the same devices: XLA (jax 0.10.2) gathers what is small.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/partition/entry/partition.h"

namespace shardscope::gather_cost_test {
namespace {

// What is sent to look up `places` rows of a table of so many, both in eight parts.
std::vector<std::string> collectives_of(int64_t rows, int64_t places) {
  const auto module = parse_program(
      fmt::format("HloModule m\nENTRY e {{ t = f32[{0},256] parameter(0), sharding={{devices=[8,1]<=[8]}}\n"
                  " i = s32[{1},1] parameter(1), sharding={{devices=[8,1]<=[8]}}\n"
                  " ROOT g = f32[{1},256] gather(t, i), offset_dims={{1}}, collapsed_slice_dims={{0}}, "
                  "start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1,256}}, "
                  "sharding={{devices=[8,1]<=[8]}} }}\n",
                  rows, places));
  EXPECT_TRUE(module.ok()) << module.error().text();
  const auto made = partition(*module, {});
  EXPECT_TRUE(made.ok()) << made.error().text();
  std::vector<std::string> out;
  for (const Instruction& i : made->program->entry_computation().instructions)
    if (is_collective(i.opcode))
      out.push_back(std::string(opcode_text(i.opcode)) + " " + i.shape.text_without_layout());
  return out;
}

TEST(GatherCost, ASmallTableIsGatheredForManyPlaces) {
  EXPECT_EQ(collectives_of(65536, 1048576), std::vector<std::string>{"all-gather f32[65536,256]"});
}

TEST(GatherCost, ALargeTableIsLookedUpInParts) {
  EXPECT_EQ(collectives_of(1048576, 1024),
            (std::vector<std::string>{"all-gather s32[1024,1]", "all-reduce f32[1024,256]"}));
}

}  // namespace
}  // namespace shardscope::gather_cost_test
