// SPDX-License-Identifier: Apache-2.0
// Axes spread through factors as Shardy spreads them: rules by operation, directions, conflicts, priorities.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/partition/propagate/propagation.h"
#include "engine/partition/shardy/axis_lists.h"
#include "engine/partition/types/spmd_mesh.h"
#include "engine/program/mlir/module_text.h"

namespace shardscope::shardy_test {
namespace {

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

std::string hlo_sharding(const PropagatedModule& module, const std::string& name) {
  for (const Instruction& i : module.program->entry_computation().instructions)
    if (i.name == name) return i.sharding->text();
  return "no " + name;
}

// Along the axis that is not manual; the manual one stays out of the region.
TEST(Shardy, AxesGoThroughARegionThatIsManualAlongOthers) {
  const auto m = spread(
      "func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {\"y\"}]>}) -> "
      "tensor<8x4xf32> {\n"
      "  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\", ?}, {?}]>] out_shardings=[<@m, [{\"x\", "
      "?}, "
      "{?}]>] manual_axes={\"x\"} (%b: tensor<4x4xf32>) {\n"
      "    %1 = \"stablehlo.collective_permute\"(%b) <{channel_handle = #stablehlo.channel_handle<handle = "
      "1, type = "
      "1>, source_target_pairs = dense<[[0, 2], [1, 3], [2, 0], [3, 1]]> : tensor<4x2xi64>}> : "
      "(tensor<4x4xf32>) -> "
      "tensor<4x4xf32>\n"
      "    %2 = stablehlo.tanh %1 : tensor<4x4xf32>\n    sdy.return %2 : tensor<4x4xf32>\n"
      "  } : (tensor<8x4xf32>) -> tensor<8x4xf32>\n  return %0 : tensor<8x4xf32>\n}");
  EXPECT_EQ(hlo_sharding(m, "tanh.4"), "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}");
  EXPECT_EQ(hlo_sharding(m, "custom-call.6"), "{devices=[2,2]<=[4]}");
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
    return spread(
        fmt::format("func.func @main(%a: tensor<8x8xf32> "
                    "{{sdy.sharding = #sdy.sharding<@m, [{{\"x\", ?}}, {{?}}]>}}"
                    ", %b: tensor<8x8xf32> "
                    "{{sdy.sharding = #sdy.sharding<@m, [{{?}}, {{\"x\", ?}}]>}}"
                    ") -> tensor<8x8xf32> {{\n"
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
