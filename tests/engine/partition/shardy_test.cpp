// SPDX-License-Identifier: Apache-2.0
// Axes spread through factors as Shardy spreads them: rules by operation, directions, conflicts, priorities.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/partition/propagate/propagation.h"
#include "engine/partition/shardy/axis_lists.h"
#include "engine/partition/shardy/factor_rule.h"
#include "engine/partition/shardy/reshape_factors.h"
#include "engine/partition/types/spmd_mesh.h"
#include "engine/program/mlir/module_text.h"

namespace shardscope::shardy_test {
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
            "([i, j, k, m], [n, o, m, l])->([i, j, k, l]) {i=4, j=8, k=8, l=6, m=2, n=3, o=3} reduction={m}");
}

TEST(FactorRule, OfConvolutionsInGroupsHasTheGroupsInFront) {
  EXPECT_EQ(rule_of(parameters({"f32[4,8,8,6]", "f32[3,3,2,12]"}) +
                    "ROOT r = f32[4,8,8,12] convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, "
                    "dim_labels=b01f_01io->b01f, feature_group_count=3"),
            "([i, j, k, lm], [o, p, m, ln])->([i, j, k, ln]) {i=4, j=8, k=8, l=3, m=2, n=4, o=3, p=3} "
            "reduction={m}");
  EXPECT_EQ(rule_of(parameters({"f32[6,8,2]", "f32[3,2,9]"}) +
                    "ROOT r = f32[2,8,9] convolution(p0, p1), window={size=3 pad=1_1}, "
                    "dim_labels=b0f_0io->b0f, batch_group_count=3"),
            "([ij, k, l], [n, l, im])->([j, k, im]) {i=3, j=2, k=8, l=2, m=3, n=3} reduction={l}");
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

TEST(AxisLists, AShardingOfXlaIsReadBackOnAxesAndPartsOfThem) {
  AxisMesh mesh{{"x", "y"}, {8, 4}, {}};
  for (int64_t d = 0; d < 32; ++d) mesh.devices.push_back(d);
  for (const char* text :
       {"{devices=[4,8]<=[8,4]T(1,0)}", "{devices=[4,2,4]<=[2,2,2,4]T(3,1,0,2) last_tile_dim_replicate}",
        "{devices=[32,1]<=[32]}", "{devices=[2,2,8]<=[16,2]T(1,0) last_tile_dim_replicate}"}) {
    const HloSharding sharding = *HloSharding::parse(text);
    const auto axes = from_hlo(mesh, sharding, 2);
    ASSERT_TRUE(axes.ok()) << text << axes.error().text();
    const auto back = to_hlo(mesh, *axes);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->text(), text) << array_axes_text(mesh, *axes);
  }
  const auto parts = from_hlo(
      mesh, *HloSharding::parse("{devices=[4,2,4]<=[2,2,2,4]T(3,1,0,2) last_tile_dim_replicate}"), 2);
  EXPECT_EQ(array_axes_text(mesh, *parts), "[{'y'}, {'x':(2)2}]");
}

// A module of one function with meshes x=2,y=2 (@m) and a=4 (@q).
PropagatedModule spread(const std::string& function) {
  const auto module = read_stablehlo("sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n" + function);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return {};
  auto out = propagate(*module, {});
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? *std::move(out) : PropagatedModule();
}

// What cuts the array of the only instruction of that opcode, or of a parameter of that name, in the
// module's axes.
std::string axes(const PropagatedModule& m, const std::string& which) {
  for (const Computation& c : m.program->computations) {
    for (const Instruction& i : c.instructions) {
      if (i.name != which && opcode_text(i.opcode) != which) continue;
      const auto mesh = user_mesh(*m.program, m.devices);
      if (!mesh) return "no mesh";
      const auto cut = from_hlo(mesh->axes, i.sharding ? *i.sharding : HloSharding(), i.shape.rank());
      if (!cut.ok()) return cut.error().text();
      ArrayAxes open = *cut;
      return array_axes_text(mesh->axes, open);
    }
  }
  return "no " + which;
}

#define SDY(spec) "{sdy.sharding = #sdy.sharding<@m, " spec ">}"
#define SDY_OP(spec) "{sdy.sharding = #sdy.sharding_per_value<[<@m, " spec ">]>}"

TEST(Shardy, AxesGoThroughAProductsFactorsBothWays) {
  const auto m = spread("func.func @main(%a: tensor<8x8xf32> " SDY(
      "[{\"x\"}, {\"y\"}]") ", %b: tensor<8x8xf32>, %c: tensor<8x16xf32>) "
                            "-> tensor<8x16xf32> {\n %0 = stablehlo.add %a, %b : tensor<8x8xf32>\n"
                            " %1 = stablehlo.dot_general %0, %c, contracting_dims = [1] x [0] : "
                            "(tensor<8x8xf32>, tensor<8x16xf32>) -> "
                            "tensor<8x16xf32>\n return %1 : tensor<8x16xf32>\n}\n");
  EXPECT_EQ(m.by, Propagation::shardy);
  EXPECT_EQ(axes(m, "b"), "[{'x'}, {'y'}]");
  EXPECT_EQ(axes(m, "add"), "[{'x'}, {'y'}]");
  EXPECT_EQ(axes(m, "c"), "[{'y'}, {}]");
  EXPECT_EQ(axes(m, "dot"), "[{'x'}, {}]");
  EXPECT_EQ(
      reasons_of(m, "c").at(0),
      "takes 'y' in dimension 0 from %0 (add.1) (dimension 1) through %1 (dot.2)'s factor k; it began at a "
      "(dimension 1)");
  EXPECT_EQ(reasons_of(m, "b").at(0),
            "takes 'x' in dimension 0 from a (dimension 0) through %0 (add.1)'s factor i");
}

TEST(Shardy, ClosedDimensionsAreNotCutFurther) {
  const auto m = spread(
      "func.func @main(%a: tensor<8x8xf32> " SDY("[{\"x\"}, {}]") ", %b: tensor<8x16xf32> " SDY("[{}, {\"y\"}]") ") -> "
      "tensor<8x16xf32> {\n %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] " SDY_OP("[{}, {?}]")
      " : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>\n return %1 : tensor<8x16xf32>\n}\n");
  EXPECT_EQ(axes(m, "dot"), "[{}, {'y'}]");
}

// Inside of the module a dimension of 3 may be cut by 2, with padding; callers hold none.
TEST(Shardy, ResultsAreCutByWhatDividesThem) {
  const auto m = spread(
      "func.func @main(%a: tensor<8x3xf32>) -> tensor<8x3xf32> {\n"
      " %0 = stablehlo.negate %a " SDY_OP("[{\"x\"}, {\"y\"}]") " : tensor<8x3xf32>\n"
      " return %0 : tensor<8x3xf32>\n}\n");
  EXPECT_EQ(axes(m, "negate"), "[{'x'}, {'y'}]");
  EXPECT_EQ(axes(m, "copy"), "[{'x'}, {}]");
  EXPECT_EQ(m.program->entry_computation().root_instruction().opcode, Opcode::copy);
}

TEST(Shardy, ReplicatedAxesStayUnused) {
  const auto m = spread(
      "func.func @main(%a: tensor<8x8xf32> " SDY("[{\"x\"}, {\"y\"}]") ", %b: tensor<8x8xf32> "
      SDY("[{?}, {?}], replicated={\"y\"}") ") -> tensor<8x8xf32> {\n %0 = stablehlo.add %a, %b : tensor<8x8xf32>\n"
      " return %0 : tensor<8x8xf32>\n}\n");
  EXPECT_EQ(axes(m, "b"), "[{'x'}, {}]");
  EXPECT_EQ(axes(m, "add"), "[{'x'}, {'y'}]");
}

TEST(Shardy, AConflictInOneFactorIsLeftForTheLaterReshard) {
  const auto m = spread(
      "func.func @main(%a: tensor<8x8xf32> " SDY("[{\"x\", ?}, {}]") ", %b: tensor<8x8xf32> " SDY("[{\"y\", ?}, {}]")
      ") -> tensor<8x8xf32> {\n %0 = stablehlo.add %a, %b : tensor<8x8xf32>\n return %0 : tensor<8x8xf32>\n}\n");
  EXPECT_EQ(axes(m, "add"), "[{}, {}]");
}

TEST(Shardy, TheLargerArraysFactorWinsAnAxis) {
  const auto product = [](const char* n) {
    return spread(fmt::format(
        "func.func @main(%a: tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@m, [{{\"x\"}}, {{?}}]>}}, %b: "
        "tensor<4x{0}xf32> {{sdy.sharding = #sdy.sharding<@m, [{{?}}, {{\"x\"}}]>}}) -> tensor<8x{0}xf32> "
        "{{\n"
        " %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
        "tensor<4x{0}xf32>) -> "
        "tensor<8x{0}xf32>\n return %0 : tensor<8x{0}xf32>\n}}\n",
        n));
  };
  EXPECT_EQ(axes(product("16"), "dot"), "[{}, {'x'}]");
  EXPECT_EQ(axes(product("2"), "dot"), "[{'x'}, {}]");
}

TEST(Shardy, OfArraysAlikeTheFirstOnesFactorWinsAnAxis) {
  const auto m = [](const char* first, const char* second) {
    return spread(fmt::format(
        "func.func @main(%a: tensor<8x8xf32> " "{{sdy.sharding = #sdy.sharding<@m, [{{\"x\", ?}}, {{?}}]>}}" ", %b: tensor<8x8xf32> "
        "{{sdy.sharding = #sdy.sharding<@m, [{{?}}, {{\"x\", ?}}]>}}" ") -> tensor<8x8xf32> {{\n"
        " %0 = stablehlo.add {}, {} : tensor<8x8xf32>\n return %0 : tensor<8x8xf32>\n}}\n",
        first, second));
  };
  EXPECT_EQ(axes(m("%a", "%b"), "add"), "[{'x'}, {}]");
  EXPECT_EQ(axes(m("%b", "%a"), "add"), "[{}, {'x'}]");
}

TEST(Shardy, ElementwiseOperationsComeBeforeProducts) {
  const auto m = spread(
      "func.func @main(%a: tensor<8x8xf32> " SDY("[{\"x\", ?}, {?}]") ", %b: tensor<8x8xf32>) -> (tensor<8x8xf32> "
      SDY("[{?}, {\"x\", ?}]") ") {\n %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n %1 = stablehlo.negate %0 : tensor<8x8xf32>\n"
      " return %1 : tensor<8x8xf32>\n}\n");
  EXPECT_EQ(axes(m, "dot"), "[{}, {'x'}]");
  EXPECT_EQ(axes(m, "b"), "[{}, {'x'}]");
}

TEST(Shardy, WhatUsersPutFirstCountsFirst) {
  const auto m = [](const char* first, const char* second) {
    return spread(
        fmt::format("func.func @main(%a: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@m, [{{\"x\", ?}}{}, "
                    "{{?}}]>}}, %b: "
                    "tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@m, [{{\"y\", ?}}{}, {{?}}]>}}) -> "
                    "tensor<8x8xf32> {{\n"
                    " %0 = stablehlo.add %a, %b : tensor<8x8xf32>\n return %0 : tensor<8x8xf32>\n}}\n",
                    first, second));
  };
  EXPECT_EQ(axes(m("", "p1"), "add"), "[{'x'}, {}]");
  EXPECT_EQ(axes(m("p1", ""), "add"), "[{'y'}, {}]");
}

TEST(Shardy, ABarrierLetsAxesPassOneWayOnly) {
  const auto m = [](const char* direction) {
    return spread(fmt::format(
        "func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {{\n %0 = stablehlo.negate %a "
        "{{sdy.sharding = #sdy.sharding_per_value<[<@m, [{{\"x\", ?}}, {{?}}]>]>}} : tensor<8x8xf32>\n"
        " %1 = sdy.propagation_barrier %0 allowed_direction={} : tensor<8x8xf32>\n"
        " %2 = stablehlo.abs %1 : tensor<8x8xf32>\n return %2 : tensor<8x8xf32>\n}}\n",
        direction));
  };
  EXPECT_EQ(axes(m("FORWARD"), "abs"), "[{'x'}, {}]");
  EXPECT_EQ(axes(m("BACKWARD"), "abs"), "[{}, {}]");
  EXPECT_EQ(axes(m("NONE"), "abs"), "[{}, {}]");
}

TEST(Shardy, ArraysOfAGroupHaveOneSharding) {
  const auto m = spread("func.func @main(%a: tensor<8x8xf32> " SDY(
      "[{\"x\", ?}, {?}]") ", %b: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
                           " sdy.sharding_group %a group_id=3 : tensor<8x8xf32>\n sdy.sharding_group %b "
                           "group_id=3 : tensor<8x8xf32>\n"
                           " return %b : tensor<8x8xf32>\n}\n");
  EXPECT_EQ(axes(m, "b"), "[{'x'}, {}]");
}

TEST(Shardy, PartsOfAnAxisGoThroughAReshape) {
  const auto module = read_stablehlo(
      "sdy.mesh @m = <[\"x\"=8]>\nfunc.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, "
      "[{\"x\"}]>}) -> "
      "tensor<2x8xf32> {\n %0 = stablehlo.reshape %a : (tensor<16xf32>) -> tensor<2x8xf32>\n return %0 : "
      "tensor<2x8xf32>\n}\n");
  ASSERT_TRUE(module.ok()) << module.error().text();
  const auto m = propagate(*module, {});
  ASSERT_TRUE(m.ok()) << m.error().text();
  EXPECT_EQ(axes(*m, "reshape"), "[{'x':(1)2}, {'x':(2)4}]");
}

TEST(Shardy, ALoopsEndsShareOneSharding) {
  const auto m = spread("func.func @main(%a: tensor<8x8xf32> " SDY(
      "[{\"x\", ?}, {?}]") ") -> tensor<8x8xf32> {\n"
                           " %c = stablehlo.constant dense<0> : tensor<i32>\n"
                           " %0:2 = stablehlo.while(%i = %c, %x = %a) : tensor<i32>, tensor<8x8xf32>\n cond "
                           "{\n"
                           "  %n = stablehlo.constant dense<6> : tensor<i32>\n  %1 = stablehlo.compare LT, "
                           "%i, %n, SIGNED : (tensor<i32>, "
                           "tensor<i32>) -> tensor<i1>\n  stablehlo.return %1 : tensor<i1>\n } do {\n"
                           "  %n = stablehlo.constant dense<1> : tensor<i32>\n  %1 = stablehlo.add %i, %n : "
                           "tensor<i32>\n"
                           "  %2 = stablehlo.abs %x : tensor<8x8xf32>\n  stablehlo.return %1, %2 : "
                           "tensor<i32>, tensor<8x8xf32>\n }\n"
                           " %3 = stablehlo.negate %0#1 : tensor<8x8xf32>\n return %3 : "
                           "tensor<8x8xf32>\n}\n");
  EXPECT_EQ(axes(m, "abs"), "[{'x'}, {}]");
  EXPECT_EQ(axes(m, "negate"), "[{'x'}, {}]");
}

TEST(Shardy, XlasShardingsSpreadByFactorsWhenAsked) {
  const auto module = parse_program(
      "HloModule m\nENTRY e {\np = f32[8,8] parameter(0), sharding={devices=[2,2]<=[4]}\n"
      "ROOT n = f32[8,8] negate(p)\n}\n");
  ASSERT_TRUE(module.ok());
  PropagationOptions how;
  EXPECT_EQ(propagate(*module, how)->by, Propagation::gspmd);
  how.propagation = Propagation::shardy;
  const auto m = propagate(*module, how);
  ASSERT_TRUE(m.ok()) << m.error().text();
  EXPECT_EQ(m->by, Propagation::shardy);
  ASSERT_EQ(m->steps.size(), 2u);
  EXPECT_EQ(reason_of(*m, m->steps[0]), "takes 'x' in dimension 0 from p (dimension 0) through n's factor i");
}

TEST(Shardy, IsStoppedWhenAsked) {
  const auto module = read_stablehlo(
      "sdy.mesh @m = <[\"x\"=2]>\nfunc.func @main(%a: tensor<8xf32> "
      "{sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}) -> tensor<8xf32> {\n"
      " %0 = stablehlo.negate %a : tensor<8xf32>\n return %0 : tensor<8xf32>\n}\n");
  ASSERT_TRUE(module.ok());
  std::stop_source stop;
  stop.request_stop();
  const auto out = propagate(*module, {.stop = stop.get_token()});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().kind, ErrorKind::cancelled);
}

TEST(UserMesh, IsTheOneThatTheEntrysShardingsAreOn) {
  const auto module = read_stablehlo(
      "sdy.mesh @big = <[\"a\"=4]>\nsdy.mesh @m = <[\"data\"=2, \"model\"=2]>\n"
      "func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"data\"}, {}]>}) -> "
      "tensor<8x8xf32> {\n"
      " %0 = stablehlo.negate %a : tensor<8x8xf32>\n return %0 : tensor<8x8xf32>\n}\n");
  ASSERT_TRUE(module.ok());
  const auto mesh = user_mesh(*module, 4);
  ASSERT_TRUE(mesh && mesh->mesh);
  EXPECT_EQ(mesh->mesh->text(), "data=2,model=2");
  EXPECT_EQ(
      mesh->note,
      "axes are those of mesh @m (data=2,model=2), which most shardings of the entry are on; the module also "
      "names @big (a=4)");
}

TEST(UserMesh, IsNamedByXlasOwnNamedShardings) {
  const auto module = parse_program(
      "HloModule m\nENTRY e {\np = f32[8,8] parameter(0), sharding={mesh['b'=2,'a'=4], [{'a'}, {?}]}\n"
      "ROOT n = f32[8,8] negate(p)\n}\n");
  ASSERT_TRUE(module.ok()) << module.error().text();
  EXPECT_EQ(spmd_mesh(*module, 8).text(), "b=2,a=4");
}

}  // namespace
}  // namespace shardscope::shardy_test
