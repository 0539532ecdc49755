// SPDX-License-Identifier: Apache-2.0
// Which factors Shardy sees in an operation.
#include "engine/partition/shardy/factor_rule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/partition/shardy/reshape_factors.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::factor_rule_test {
namespace {

// The rule of the instruction `r` of an entry.
std::string rule_of(const std::string& body, const std::string& called = "") {
  const auto module = parse_program("HloModule m\n" + called + "\nENTRY e {\n" + body + "\n}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return "";
  const Computation& c = module->entry_computation();
  for (const Instruction& i : c.instructions) {
    if (i.name != "r") continue;
    const auto rule = factor_rule(c, i);
    return rule ? rule->text() : "none";
  }
  return "no r";
}

std::string parameters(const std::vector<std::string>& shapes) {
  std::string out;
  for (size_t k = 0; k < shapes.size(); ++k) out += fmt::format("p{} = {} parameter({})\n", k, shapes[k], k);
  return out;
}

const std::string kAdd =
    "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}";

TEST(FactorRule, OfElementwiseIsAFactorEachDimension) {
  EXPECT_EQ(rule_of(parameters({"f32[8,4]", "f32[8,4]"}) + "ROOT r = f32[8,4] add(p0, p1)"),
            "([i, j], [i, j])->([i, j]) {i=8, j=4}");
  EXPECT_EQ(rule_of(parameters({"pred[]", "f32[8]", "f32[8]"}) + "ROOT r = f32[8] select(p0, p1, p2)"),
            "([], [i], [i])->([i]) {i=8}");
}

TEST(FactorRule, OfAProductHasBatchFreeAndContractedFactors) {
  EXPECT_EQ(rule_of(parameters({"f32[8,4]", "f32[4,6]"}) +
                    "ROOT r = f32[8,6] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            "([i, k], [k, j])->([i, j]) {i=8, j=6, k=4} reduction={k}");
  EXPECT_EQ(rule_of(parameters({"f32[2,8,4]", "f32[2,6,4]"}) +
                    "ROOT r = f32[2,8,6] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                    "lhs_contracting_dims={2}, rhs_contracting_dims={2}"),
            "([i, j, l], [i, k, l])->([i, j, k]) {i=2, j=8, k=6, l=4} reduction={l}");
}

TEST(FactorRule, OfMovementsKeepsWhatStaysTogether) {
  EXPECT_EQ(rule_of(parameters({"f32[8,4]"}) + "ROOT r = f32[4,8] transpose(p0), dimensions={1,0}"),
            "([j, i])->([i, j]) {i=4, j=8}");
  EXPECT_EQ(rule_of(parameters({"f32[4]"}) + "ROOT r = f32[8,4] broadcast(p0), dimensions={1}"),
            "([i])->([j, i]) {i=4, j=8}");
  EXPECT_EQ(rule_of(parameters({"f32[8,4]"}) + "ROOT r = f32[8,2] slice(p0), slice={[0:8], [0:2]}"),
            "([i, j])->([i, j]) {i=8, j=4} permutation={j}");
  EXPECT_EQ(rule_of(parameters({"f32[8,4]", "f32[]"}) + "ROOT r = f32[8,6] pad(p0, p1), padding=0_0x1_1"),
            "([i, j], [])->([i, j]) {i=8, j=4} permutation={j}");
  EXPECT_EQ(
      rule_of(parameters({"f32[8,4]", "f32[8,2]"}) + "ROOT r = f32[8,6] concatenate(p0, p1), dimensions={1}"),
      "([i, j], [i, j])->([i, j]) {i=8, j=6} need_replication={j}");
  EXPECT_EQ(rule_of(parameters({"f32[8,4]"}) + "ROOT r = f32[8,4] sort(p0), dimensions={1}, to_apply=lt",
                    "lt { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = pred[] compare(a, b), "
                    "direction=LT\n}"),
            "([i, j])->([i, j]) {i=8, j=4} need_replication={j}");
}

TEST(FactorRule, OfReductionsAndSlicesByIndex) {
  EXPECT_EQ(rule_of(parameters({"f32[8,4]", "f32[]"}) +
                        "ROOT r = f32[4] reduce(p0, p1), dimensions={0}, to_apply=add",
                    kAdd),
            "([j, i], [])->([i]) {i=4, j=8} reduction={j}");
  EXPECT_EQ(rule_of(parameters({"f32[8,4]", "s32[]", "s32[]"}) +
                    "ROOT r = f32[1,4] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={1,4}"),
            "([i, j], [], [])->([i, j]) {i=8, j=4} need_replication={i} blocked_propagation={i}");
  EXPECT_EQ(rule_of(parameters({"f32[8,4]", "f32[1,4]", "s32[]", "s32[]"}) +
                    "ROOT r = f32[8,4] dynamic-update-slice(p0, p1, p2, p3)"),
            "([i, k], [j, k], [], [])->([i, k]) {i=8, j=1, k=4} need_replication={j}");
  EXPECT_EQ(rule_of(parameters({"f32[32,4]", "s32[8,1]"}) +
                    "ROOT r = f32[8,4] gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, "
                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}"),
            "([k, j], [i, l])->([i, j]) {i=8, j=4, k=32, l=1} reduction={k} need_replication={l}");
  EXPECT_EQ(rule_of(parameters({"f32[32,4]", "s32[8,1]", "f32[8,4]"}) +
                        "ROOT r = f32[32,4] scatter(p0, p1, p2), update_window_dims={1}, "
                        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
                        "to_apply=add",
                    kAdd),
            "([k, j], [i, l], [i, j])->([k, j]) {i=8, j=4, k=32, l=1} reduction={i} need_replication={l}");
}

TEST(FactorRule, OfConvolutionsIsBatchFeaturesAndSpace) {
  EXPECT_EQ(rule_of(parameters({"f32[4,8,8,2]", "f32[3,3,2,6]"}) +
                    "ROOT r = f32[4,8,8,6] convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, "
                    "dim_labels=b01f_01io->b01f"),
            "([i, j, k, l], [n, o, l, m])->([i, j, k, m]) {i=4, j=8, k=8, l=2, m=6, n=3, o=3} reduction={l} "
            "permutation={j, k}");
}

// Windows are the result's places, places in a window the kernel's: the more of them are the major factor.
TEST(FactorRule, OfConvolutionsThatChangeSpaceHasBothItsFactors) {
  EXPECT_EQ(
      rule_of(parameters({"f32[4,16,2]", "f32[3,2,6]"}) +
              "ROOT r = f32[4,8,6] convolution(p0, p1), window={size=3 stride=2 pad=0_1}, "
              "dim_labels=b0f_0io->b0f"),
      "([i, jk, l], [k, l, m])->([i, j, m]) {i=4, j=8, k=2, l=2, m=6} reduction={k, l} permutation={j}");
  // A kernel's gradient.
  EXPECT_EQ(rule_of(parameters({"f32[2,16,4]", "f32[16,6,2]"}) +
                    "ROOT r = f32[3,6,4] convolution(p0, p1), window={size=16 pad=1_1}, "
                    "dim_labels=f0b_0oi->0fb"),
            "([k, j, i], [j, l, k])->([m, l, i]) {i=4, j=16, k=2, l=6, m=3} reduction={j, k}");
}

TEST(FactorRule, OfConvolutionsInGroupsHasTheGroupsInFront) {
  EXPECT_EQ(rule_of(parameters({"f32[4,8,8,6]", "f32[3,3,2,12]"}) +
                    "ROOT r = f32[4,8,8,12] convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, "
                    "dim_labels=b01f_01io->b01f, feature_group_count=3"),
            "([i, j, k, lm], [o, p, m, ln])->([i, j, k, ln]) {i=4, j=8, k=8, l=3, m=2, n=4, o=3, p=3} "
            "reduction={m} permutation={j, k}");
  EXPECT_EQ(rule_of(parameters({"f32[6,8,2]", "f32[3,2,9]"}) +
                    "ROOT r = f32[2,8,9] convolution(p0, p1), window={size=3 pad=1_1}, "
                    "dim_labels=b0f_0io->b0f, batch_group_count=3"),
            "([ij, k, l], [n, l, im])->([j, k, im]) {i=3, j=2, k=8, l=2, m=3, n=3} reduction={l} "
            "permutation={k}");
}

std::string reshape_text(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  std::string out;
  for (const ReshapeFactor& f : reshape_factors(from, to))
    out += fmt::format("{}>{}:{} ", f.from, f.to, f.size);
  return out;
}

TEST(FactorRule, OfAReshapeHasCommonFactorsWhereBothSidesGoOnAlike) {
  EXPECT_EQ(reshape_text({8}, {2, 4}), "0>0:2 0>1:4 ");
  EXPECT_EQ(reshape_text({2, 4}, {8}), "0>0:2 1>0:4 ");
  EXPECT_EQ(reshape_text({4, 1, 6}, {1, 24}), "-1>0:1 0>1:4 1>-1:1 2>1:6 ");
  // 6·4 and 8·3 share 2, part, and meet at the end.
  EXPECT_EQ(reshape_text({6, 4}, {8, 3}), "0>0:2 0>-1:3 -1>0:4 1>-1:4 -1>1:3 ");
  EXPECT_EQ(reshape_text({2, 3}, {3, 2}), "0>-1:2 -1>0:3 1>-1:3 -1>1:2 ");
  EXPECT_EQ(reshape_text({0, 3}, {3, 0}), "");
}

}  // namespace
}  // namespace shardscope::factor_rule_test
