// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/analysis.h"

#include <gtest/gtest.h>

#include "engine/program/ir/scalar.h"

namespace shardscope::analysis_test {
namespace {

Program entry_of(const std::string& header, const std::string& lines) {
  auto program = parse_program("HloModule m" + header + "\nENTRY main {\n" + lines + "\n}\n");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

TEST(Analysis, FlopsOfADotCountItsBatchAndAllContractedDimensions) {
  const Program p = entry_of("",
                             "x = f32[3,4,5,6] parameter(0)\n w = f32[3,5,6,7] parameter(1)\n"
                             "d = f32[3,4,7] dot(x, w), lhs_batch_dims={0}, lhs_contracting_dims={2,3}, "
                             "rhs_batch_dims={0}, rhs_contracting_dims={1,2}");
  const Computation& c = p.entry_computation();
  const DotSize size = dot_size(c, c.instructions[2]);
  EXPECT_EQ(size.batch, 3);
  EXPECT_EQ(size.m, 4);
  EXPECT_EQ(size.n, 7);
  EXPECT_EQ(size.k, 30);
  EXPECT_EQ(dot_flops(c, c.instructions[2]), 2.0 * 3 * 4 * 7 * 30);
  EXPECT_EQ(dot_flops(c, c.instructions[0]), 0.0);
}

constexpr const char* kSums =
    "x = f32[4,4] parameter(0)\n"                                                   // 0
    "z = f32[] constant(0)\n"                                                       // 1
    "b = f32[4,4] broadcast(z), dimensions={}\n"                                    // 2
    "d = f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"  // 3
    "e = f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"  // 4
    "s = f32[4,4] add(d, e)\n"                                                      // 5
    "t = f32[4,4] add(s, d)\n"                                                      // 6
    "v = f32[2,4] slice(t), slice={[0:2], [0:4]}\n"                                 // 7
    "n = f32[2,4] negate(v)\n"                                                      // 8
    "ROOT r = f32[2,4] negate(n)";                                                  // 9

TEST(Analysis, ADotThatOnlyAnAddReadsIsFusedIntoIt) {
  const Program p = entry_of("", kSums);
  const std::vector<InstructionId> dots = fused_dots(p.entry_computation());
  EXPECT_EQ(dots[5], InstructionId(4));  // d has another reader
  EXPECT_FALSE(dots[6].valid());
  EXPECT_FALSE(dots[8].valid());
}

TEST(Analysis, BuffersLiveAsLongAsTheirViews) {
  const std::vector<int32_t> last = last_use(entry_of("", kSums).entry_computation());
  EXPECT_EQ(last[0], 9);  // parameter
  EXPECT_EQ(last[2], 2);  // nobody reads it
  EXPECT_EQ(last[3], 6);
  EXPECT_EQ(last[6], 8);  // through the slice
  EXPECT_EQ(last[8], 9);
  EXPECT_EQ(last[9], 9);
}

TEST(Analysis, ScalarsAndViewsAreFree) {
  const Program p = entry_of("", kSums);
  const auto& i = p.entry_computation().instructions;
  EXPECT_TRUE(is_free(i[0]));
  EXPECT_TRUE(is_free(i[7]));
  EXPECT_FALSE(is_free(i[3]));
  EXPECT_FALSE(is_free(i[5]));
  const Program scalar =
      entry_of("", "a = s32[] constant(1)\n b = s32[] add(a, a)\n c = s32[] multiply(b, a)");
  EXPECT_TRUE(is_free(scalar.entry_computation().instructions[1]));
}

TEST(Scalars, EachDeviceComputesItsOwnPlace) {
  const Program p =
      entry_of(", num_partitions=8",
               "id = u32[] partition-id()\n i = s32[] convert(id)\n three = s32[] constant(3)\n"
               "five = s32[] constant(5)\n m = s32[] subtract(i, five)\n r = s32[] remainder(m, three)\n"
               "zero = s32[] constant(0)\n neg = pred[] compare(r, zero), direction=LT\n"
               "up = s32[] add(r, three)\n mod = s32[] select(neg, up, r)\n"
               "table = s32[8] constant({70, 60, 50, 40, 30, 20, 10, 0})\n"
               "e = s32[1] dynamic-slice(table, id), dynamic_slice_sizes={1}\n o = s32[] reshape(e)\n");
  const auto& instructions = p.entry_computation().instructions;
  for (int64_t device = 0; device < 8; ++device) {
    const auto values = evaluate_scalars(p.entry_computation(), DeviceId(device));
    ASSERT_EQ(values.size(), instructions.size());
    EXPECT_EQ(values[0], device);
    EXPECT_EQ(values[9], (device - 5 + 6) % 3) << device;
    EXPECT_FALSE(values[10].has_value());  // the table is no scalar
    EXPECT_EQ(values[12], 70 - 10 * device);
  }
}

TEST(Scalars, WrapAsTheirTypeDoes) {
  const Program p = entry_of("",
                             "a = u8[] constant(3)\n b = u8[] constant(5)\n c = u8[] subtract(a, b)\n"
                             "d = s8[] convert(c)\n zero = u8[] constant(0)\n e = u8[] divide(a, zero)\n"
                             "f = f32[] constant(1)\n g = s32[] constant(-2147483648)\n h = s32[] negate(g)");
  const auto values = evaluate_scalars(p.entry_computation(), DeviceId(0));
  EXPECT_EQ(values[2], 254);
  EXPECT_EQ(values[3], -2);
  EXPECT_FALSE(values[5].has_value());
  EXPECT_FALSE(values[6].has_value());
  EXPECT_EQ(values[8], -2147483648LL);
}

TEST(Groups, AxesOfGroupsAndPermutations) {
  const Program p = entry_of(
      ", frontend_attributes={shardscope.mesh=\"row=2,col=3\"}",
      "x = f32[6] parameter(0)\n a = f32[18] all-gather(x), replica_groups=[2,3]<=[6], dimensions={0}\n"
      "b = f32[12] all-gather(x), replica_groups={{0,3},{1,4},{2,5}}, dimensions={0}\n"
      "c = f32[36] all-gather(x), replica_groups={}, dimensions={0}\n"
      "d = f32[12] all-gather(x), replica_groups={{0,4},{1,3},{2,5}}, dimensions={0}\n"
      "e = f32[6] collective-permute(x), source_target_pairs={{0,1},{1,2},{2,0}}\n"
      "f = f32[6] collective-permute(x), source_target_pairs={{4,5},{5,2}}");
  const auto& i = p.entry_computation().instructions;
  using Names = std::vector<std::string>;
  EXPECT_EQ(collective_axes(p, i[1]), Names{"col"});
  EXPECT_EQ(collective_axes(p, i[2]), Names{"row"});
  EXPECT_EQ(collective_axes(p, i[3]), (Names{"row", "col"}));
  EXPECT_EQ(collective_axes(p, i[4]), Names{});
  EXPECT_EQ(collective_axes(p, i[5]), Names{"col"});
  const auto groups = device_groups(p, i[2]);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[1], (std::vector<DeviceId>{DeviceId(1), DeviceId(4)}));
  EXPECT_EQ(device_groups(p, i[6]),
            (std::vector<std::vector<DeviceId>>{{DeviceId(4), DeviceId(5), DeviceId(2)}}));
}

TEST(Program, NumbersInstructionsOverAllComputations) {
  const auto p = parse_program(
      "HloModule m\na { x = f32[] constant(1)\n y = f32[] constant(2) }\n"
      "ENTRY b { z = f32[] constant(3) }");
  ASSERT_TRUE(p.ok());
  EXPECT_EQ(p->instruction_count(), 3);
  EXPECT_EQ(p->global_index(ComputationId(1), InstructionId(0)), 2);
  EXPECT_EQ(p->by_global_index(2).name, "z");
  EXPECT_EQ(p->by_global_index(1).name, "y");
}

}  // namespace
}  // namespace shardscope::analysis_test
