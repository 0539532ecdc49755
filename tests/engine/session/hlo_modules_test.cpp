// SPDX-License-Identifier: Apache-2.0
// HLO modules in the forms that compilers print, whose values follow from their text by hand.
#include <gtest/gtest.h>

#include "engine/numerics/data/array_text.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_run.h"

namespace shardscope::hlo_modules_test {
namespace {

Result<ModuleRun> ran(const std::string& text, const std::vector<std::string>& arguments = {}) {
  TRY(const HloText module, read_hlo(text));
  ModuleRunOptions how;
  for (const std::string& argument : arguments) {
    TRY(TypedArgument typed, parse_typed_argument(argument));
    how.arguments.push_back(std::move(typed));
  }
  how.values = !arguments.empty();
  return execute_module(module.program, how, {});
}

std::string result_of(const std::string& text, const std::vector<std::string>& arguments) {
  const auto done = ran(text, arguments);
  if (!done.ok()) return done.error().text();
  EXPECT_TRUE(done->run->numerics.allclose || !done->run->numerics.checked);
  return numpy_text(done->results.front().arrays.front());
}

// Two of them lie in a byte, and rows of odd length begin in its middle.
TEST(HloModules, FourBitIntegersMoveAsAnyOtherType) {
  EXPECT_EQ(result_of("HloModule t\nENTRY e { p = s4[2,3] parameter(0)\n"
                      "ROOT r = s4[3,2] transpose(p), dimensions={1,0} }\n",
                      {"p=[[-8,7,1],[2,-3,4]]"}),
            "[[-8  2]\n [ 7 -3]\n [ 1  4]]");
  EXPECT_EQ(result_of("HloModule t\nENTRY e { p = s4[2,3] parameter(0)\nq = s4[2,2] parameter(1)\n"
                      "ROOT r = s4[2,5] concatenate(p, q), dimensions={1} }\n",
                      {"p=[[1,-2,3],[4,5,6]]", "q=[[7,-8],[-1,0]]"}),
            "[[ 1 -2  3  7 -8]\n [ 4  5  6 -1  0]]");
  EXPECT_EQ(result_of("HloModule t\nENTRY e { p = s4[3,3] parameter(0)\nq = s4[1,2] parameter(1)\n"
                      "o = s32[] constant(1)\nROOT r = s4[3,3] dynamic-update-slice(p, q, o, o) }\n",
                      {"p=[[1,2,3],[4,5,6],[7,0,-1]]", "q=[[-8,-7]]"}),
            "[[ 1  2  3]\n [ 4 -8 -7]\n [ 7  0 -1]]");
}

// p lies in memory column by column, so that its bytes read row by row are its transpose.
TEST(HloModules, ABitcastGivesTheElementsAsTheyLieInMemory) {
  EXPECT_EQ(result_of("HloModule t\nENTRY e { p = f32[2,3]{0,1} parameter(0)\n"
                      "ROOT r = f32[3,2]{1,0} bitcast(p) }\n",
                      {"p=[[0,1,2],[3,4,5]]"}),
            "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
}

TEST(HloModules, ComplexProductsArePartitionedAndProved) {
  const auto done =
      ran("HloModule c64\nENTRY e { x = c64[32,16] parameter(0), sharding={devices=[1,2]<=[2]}\n"
          "y = c64[16,8] parameter(1), sharding={devices=[2,1]<=[2]}\n"
          "ROOT r = c64[32,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n");
  ASSERT_TRUE(done.ok()) << done.error().text();
  EXPECT_TRUE(done->run->numerics.checked);
  EXPECT_TRUE(done->run->numerics.allclose);
}

constexpr const char* kAdd =
    "add { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT r = f32[] add(a, b) }\n";

// XLA:GPU gives a start of one operand a tuple of one.
TEST(HloModules, AStartOfOneOperandMayCarryATupleOfOne) {
  EXPECT_EQ(result_of(std::string("HloModule ars1, num_partitions=8, is_scheduled=true\n") + kAdd +
                          "ENTRY e { x = f32[3] parameter(0)\n"
                          "s = ((f32[3]), f32[3]) all-reduce-start(x), channel_id=1, "
                          "replica_groups=[2,4]<=[8], use_global_device_ids=true, to_apply=add\n"
                          "ROOT d = f32[3] all-reduce-done(s) }\n",
                      {"x=[1,2,3]"}),
            "[ 4.  8. 12.]");
}

// Devices in the mesh's order: 0 2, 1 3, 4 6, 5 7. The inner half of axis_0 pairs rows of it.
TEST(HloModules, GroupsAlongPartOfAnAxisAreThoseOfTheMesh) {
  const auto module = read_hlo(
      "HloModule meshgroups, num_partitions=8\nENTRY e { x = f32[2,16] parameter(0)\n"
      "ROOT g = f32[2,16] all-to-all(x), channel_id=1, replica_groups=mesh['axis_0'=4,'axis_1'=2], "
      "device_ids=([2,2,2]T(0,2,1)) {'axis_0':(2)2}, dimensions={0} }\n");
  ASSERT_TRUE(module.ok()) << module.error().text();
  const ReplicaGroups& groups = module->program.entry_computation().root_instruction().replica_groups;
  EXPECT_EQ(groups.tiles.dims, (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(*groups.tiles.devices, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace shardscope::hlo_modules_test
