// SPDX-License-Identifier: Apache-2.0
// Shardings spread from annotated arrays as XLA spreads them, and every cut says where it came from.
#include "engine/partition/propagate/propagation.h"

#include <gtest/gtest.h>

namespace shardscope::propagation_test {
namespace {

PropagatedModule spread(const std::string& body, const std::string& called = "",
                        const PropagationOptions& options = {{}, Results::free}) {
  const auto module = parse_program("HloModule m\n" + called + "\nENTRY e {\n" + body + "\n}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return {};
  auto out = propagate(*module, options);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? *std::move(out) : PropagatedModule();
}

const Instruction* find(const PropagatedModule& m, const std::string& name) {
  for (const Computation& c : m.program->computations)
    for (const Instruction& i : c.instructions)
      if (i.name == name) return &i;
  return nullptr;
}

std::string sharding(const PropagatedModule& m, const std::string& name) {
  const Instruction* i = find(m, name);
  if (i == nullptr) return "no " + name;
  if (i->sharding) return i->sharding->text();
  for (const VerbatimAttribute& a : i->verbatim)
    if (a.key == "sharding") return a.value;
  return "{replicated}";
}

const std::string kRows = ", sharding={devices=[4,1]<=[4]}\n";

TEST(Propagation, GoesForwardThroughWhatPassesArrays) {
  const auto m =
      spread("p0.1 = f32[8,12] parameter(0)" + kRows +
             "n = f32[8,12] negate(p0.1)\nt = f32[12,8] transpose(n), dimensions={1,0}\n"
             "r = f32[12,2,4] reshape(t)\nc = f32[12,2,4] add(r, r)\nROOT k = f32[12,2,4] copy(c)");
  EXPECT_EQ(sharding(m, "n"), "{devices=[4,1]<=[4]}");
  EXPECT_EQ(sharding(m, "t"), "{devices=[1,4]<=[4]}");
  EXPECT_EQ(sharding(m, "r"), "{devices=[1,2,2]<=[4]}");
  EXPECT_EQ(sharding(m, "k"), "{devices=[1,2,2]<=[4]}");
  EXPECT_EQ(reasons_of(m, "n"),
            (std::vector<std::string>{"dimension 0 is split by x because of p0.1 (dimension 0)"}));
  EXPECT_EQ(reasons_of(m, "t").at(0), "dimension 1 is split by x because of p0.1 (dimension 0), by way of n");
}

TEST(Propagation, GoesThroughConvolutionsByBatchFeaturesAndRows) {
  const auto m = spread(
      "x = f32[4,8,8,2] parameter(0), sharding={devices=[2,2,1,1]<=[4]}\n"
      "w = f32[3,3,2,6] parameter(1)\nv = f32[3,3,2,2] parameter(2)\n"
      "same = f32[4,8,8,2] convolution(x, v), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n"
      "ROOT half = f32[4,4,8,6] convolution(same, w), window={size=3x3 stride=2x1 pad=1_0x1_1}, "
      "dim_labels=b01f_01io->b01f");
  EXPECT_EQ(sharding(m, "same"), "{devices=[2,2,1,1]<=[4]}");
  EXPECT_EQ(sharding(m, "half"), "{devices=[2,1,1,1,2]<=[4] last_tile_dim_replicate}");
}

TEST(Propagation, TheLargestOfEachRowAreCutLikeTheRows) {
  const auto m = spread("x = f32[8,12] parameter(0)" + kRows +
                        "top = (f32[8,2], s32[8,2]) custom-call(x), custom_call_target=\"TopK\"\n"
                        "ROOT v = f32[8,2] get-tuple-element(top), index=0");
  EXPECT_EQ(sharding(m, "top"), "{{devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}}");
  EXPECT_EQ(sharding(m, "v"), "{devices=[4,1]<=[4]}");
}

TEST(Propagation, StopsAtManualRegions) {
  const auto m = spread("x = f32[8,12] parameter(0)" + kRows +
                        "in = f32[2,12] custom-call(x), custom_call_target=\"SPMDFullToShardShape\", "
                        "sharding={manual}\nn = f32[2,12] negate(in)\n"
                        "out = f32[8,12] custom-call(n), custom_call_target=\"SPMDShardToFullShape\"" +
                        kRows + "ROOT k = f32[8,12] negate(out)");
  EXPECT_EQ(sharding(m, "n"), "{replicated}");
  EXPECT_EQ(sharding(m, "k"), "{devices=[4,1]<=[4]}");
}

TEST(Propagation, GoesBackwardFromUsers) {
  const auto m = spread(
      "x = f32[8,12] parameter(0)\nt = f32[12,8] transpose(x), dimensions={1,0}\n"
      "ROOT k = f32[12,8] copy(t), sharding={devices=[1,4]<=[4]}");
  EXPECT_EQ(sharding(m, "t"), "{devices=[1,4]<=[4]}");
  EXPECT_EQ(sharding(m, "x"), "{devices=[4,1]<=[4]}");
  ASSERT_FALSE(m.steps.empty());
  EXPECT_EQ(m.steps[0].pass, PropagationStep::Pass::backward);
  EXPECT_EQ(instruction_of(m, m.steps[0].origin).name, "k");
}

constexpr const char* kDot =
    "ROOT z = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}";

// x[4,16] and y[16,4] on mesh a=4,b=2.
std::string product(const std::string& x, const std::string& y) {
  const auto m = spread("x = f32[4,16] parameter(0), sharding=" + x +
                        "\ny = f32[16,4] parameter(1), sharding=" + y + "\n" + kDot);
  return sharding(m, "z");
}

TEST(Propagation, OfProductsGivesTheOutputsThatPjitPrinted) {
  const std::string inner_x = "{devices=[1,4,2]<=[8] last_tile_dim_replicate}";
  const std::string outer_y = "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}";
  const std::string both = "{devices=[2,4]<=[4,2]T(1,0)}";
  EXPECT_EQ(product(inner_x, "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"), "{replicated}");
  EXPECT_EQ(product(inner_x, outer_y), "{replicated}");
  EXPECT_EQ(product(both, outer_y), "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(product(both, both), "{devices=[2,4]<=[4,2]T(1,0)}");
}

TEST(Propagation, OfProductsNamesBothOrigins) {
  const auto m = spread(
      "x = f32[4,16] parameter(0), sharding={devices=[2,4]<=[4,2]T(1,0)}\n"
      "y = f32[16,4] parameter(1), sharding={devices=[2,4]<=[4,2]T(1,0)}\n" +
      std::string(kDot));
  const auto reasons = reasons_of(m, "z");
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_NE(reasons[0].find("because of x (dimension 0)"), std::string::npos) << reasons[0];
  EXPECT_NE(reasons[1].find("because of y (dimension 1)"), std::string::npos) << reasons[1];
}

TEST(Propagation, OfProductsGoesBackToBothSides) {
  const auto m = spread(
      "x = f32[4,16] parameter(0)\ny = f32[16,4] parameter(1)\n"
      "z = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "sharding={devices=[2,2]<=[4]}\nROOT r = f32[4,4] copy(z), sharding={devices=[2,2]<=[4]}");
  EXPECT_EQ(sharding(m, "x"), "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_EQ(sharding(m, "y"), "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}");
  const auto contracted =
      spread("x = f32[4,16] parameter(0), sharding={devices=[1,4]<=[4]}\ny = f32[16,4] parameter(1)\n" +
             std::string(kDot));
  EXPECT_EQ(sharding(contracted, "y"), "{devices=[4,1]<=[4]}");
}

TEST(Propagation, ReductionsDropDimensionsAndBroadcastsAddThem) {
  const std::string add = "add { u = f32[] parameter(0)\nv = f32[] parameter(1)\nROOT w = f32[] add(u, v) }";
  const auto m = spread(
      "x = f32[8,4] parameter(0), sharding={devices=[4,2]<=[8]}\nz = f32[] constant(0)\n"
      "r = f32[8] reduce(x, z), dimensions={1}, to_apply=add\n"
      "b = f32[8,3] broadcast(r), dimensions={0}\nROOT k = f32[8,3] copy(b)",
      add);
  EXPECT_EQ(sharding(m, "r"), "{devices=[4,2]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(sharding(m, "b"), "{devices=[4,1,2]<=[8] last_tile_dim_replicate}");
  for (const PropagationStep& step : m.steps) {
    if (instruction_of(m, step.to).name == "r") {
      EXPECT_EQ(step.level, 1);
    }
    if (instruction_of(m, step.to).name == "b") {
      EXPECT_EQ(step.level, 2);
    }
  }
}

TEST(Propagation, SlicesPadsAndConcatenationsKeepWhatTheyDoNotCut) {
  const auto m = spread(
      "x = f32[8,8] parameter(0), sharding={devices=[2,2]<=[4]}\nz = f32[] constant(0)\n"
      "s = f32[8,4] slice(x), slice={[0:8], [0:4]}\n"
      "p = f32[8,10] pad(x, z), padding=0_0x1_1\nc = f32[16,8] concatenate(x, x), dimensions={0}\n"
      "ROOT t = (f32[8,4], f32[8,10], f32[16,8]) tuple(s, p, c)");
  EXPECT_EQ(sharding(m, "s"), "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_EQ(sharding(m, "p"), "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_EQ(sharding(m, "c"), "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(sharding(m, "t"),
            "{" + sharding(m, "s") + ", " + sharding(m, "p") + ", " + sharding(m, "c") + "}");
}

TEST(Propagation, ALoopsStateHasOneSharding) {
  const std::string loop = R"(body {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[8] get-tuple-element(s), index=1
  o = s32[] constant(1)
  j = s32[] add(i, o)
  w = f32[8] add(v, v)
  ROOT n = (s32[], f32[8]) tuple(j, w)
}
cond {
  u = (s32[], f32[8]) parameter(0)
  k = s32[] get-tuple-element(u), index=0
  m = s32[] constant(3)
  ROOT l = pred[] compare(k, m), direction=LT
}
)";
  const auto m = spread(
      "x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\nz = s32[] constant(0)\n"
      "t = (s32[], f32[8]) tuple(z, x)\nq = (s32[], f32[8]) while(t), condition=cond, body=body\n"
      "ROOT r = f32[8] get-tuple-element(q), index=1",
      loop);
  for (const char* name : {"v", "w", "r"}) EXPECT_EQ(sharding(m, name), "{devices=[4]<=[4]}") << name;
  for (const char* name : {"s", "n", "u", "q"})
    EXPECT_EQ(sharding(m, name), "{{replicated}, {devices=[4]<=[4]}}") << name;
}

TEST(Propagation, PartialCutsOfTwoOperandsAreMerged) {
  const auto m = spread(
      "x = f32[8,8] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}\n"
      "y = f32[8,8] parameter(1), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}\n"
      "s = f32[8,8] add(x, y)\nROOT r = f32[8,8] negate(s)");
  EXPECT_EQ(sharding(m, "s"), "{devices=[2,2]<=[4]}");
}

TEST(Propagation, AnnotationsAndTheResultStayAsTheyAre) {
  const std::string body =
      "x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
      "n = f32[8] negate(x), sharding={replicated}\nROOT r = f32[8] negate(x)";
  const auto fixed = spread(body, "", {});
  EXPECT_EQ(sharding(fixed, "n"), "no n");  // nobody reads it
  EXPECT_EQ(sharding(fixed, "r"), "{replicated}");
  EXPECT_EQ(sharding(spread(body, "", {{}, Results::free}), "r"), "{devices=[4]<=[4]}");
  const auto annotated = spread(
      "x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
      "n = f32[8] negate(x), sharding={replicated}\nROOT r = f32[8] negate(n)");
  EXPECT_EQ(sharding(annotated, "n"), "{replicated}");
  EXPECT_EQ(sharding(annotated, "r"), "{replicated}");
}

// Of a module with this header and two results that rows could split.
std::string results(const std::string& header, const PropagationOptions& options = {}) {
  const auto module =
      parse_program("HloModule " + header + "\nENTRY e {\nx = f32[8,12] parameter(0)" + kRows +
                    "y = f32[8,12] parameter(1)\na = f32[8,12] add(x, y)\n"
                    "n = f32[8,12] negate(a)\nROOT t = (f32[8,12], f32[8,12]) tuple(a, n)\n}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  const auto out = module.ok() ? propagate(*module, options) : Result<PropagatedModule>(module.error());
  if (!out.ok()) return out.error().text();
  return sharding(*out, "t") + " " + sharding(*out, "y");
}

const std::string kCut = "{devices=[4,1]<=[4]}", kBoth = "{{devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}}";

TEST(Propagation, TheHeaderSaysWhichEndsMayBeSplit) {
  const std::string output = "allow_spmd_sharding_propagation_to_output=",
                    parameters = "allow_spmd_sharding_propagation_to_parameters=";
  EXPECT_EQ(results("m"), "{replicated} " + kCut);
  EXPECT_EQ(results("m, " + output + "{true}"), kBoth + " " + kCut);
  EXPECT_EQ(results("m, " + output + "{false}"), "{replicated} " + kCut);
  EXPECT_EQ(results("m, " + output + "{true,false}"), "{" + kCut + ", {replicated}} " + kCut);
  EXPECT_EQ(results("m, " + output + "{false,true}"), "{{replicated}, " + kCut + "} " + kCut);
  EXPECT_EQ(results("m, " + parameters + "{false}"), "{replicated} {replicated}");
  EXPECT_EQ(results("m, " + parameters + "{false,true}"), "{replicated} " + kCut);
  EXPECT_EQ(results("m, " + parameters + "{true,false}"), "{replicated} {replicated}");
}

// JAX writes {replicated} at a result only where its user asks for it, and compiles all others free.
TEST(Propagation, ResultsOfJaxWithoutShardyAreFreeUnlessItIsAsked) {
  EXPECT_EQ(results("jit_step"), kBoth + " " + kCut);
  EXPECT_EQ(results("jit_step", {{}, Results::replicated}), "{replicated} " + kCut);
  EXPECT_EQ(results("jit_step, allow_spmd_sharding_propagation_to_output={false}"), "{replicated} " + kCut);
}

TEST(Propagation, ResultsOfPyTorchAreFreeUnlessItIsAsked) {
  const std::string torch = "IrToHlo.17, entry_computation_layout={(f32[8,12]{1,0})->f32[8,12]{1,0}}";
  EXPECT_EQ(results("IrToHlo.8"), "{replicated} " + kCut);  // of 2022
  EXPECT_EQ(results(torch), kBoth + " " + kCut);
  EXPECT_EQ(results(torch, {{}, Results::replicated}), "{replicated} " + kCut);
  EXPECT_EQ(results(torch + ", allow_spmd_sharding_propagation_to_output={false}"), "{replicated} " + kCut);
  EXPECT_EQ(results("m", {{}, Results::free}), kBoth + " " + kCut);
  const auto notes = [](const std::string& name, const PropagationOptions& options) {
    const auto module = parse_program("HloModule " + name + "\nENTRY e {\nx = f32[8,12] parameter(0)" +
                                      kRows + "ROOT n = f32[8,12] negate(x)\n}\n");
    return propagate(*module, options)->notes.size();
  };
  EXPECT_EQ(notes(torch, {}), 2U);  // who spreads, and that the results are free
  EXPECT_EQ(notes(torch, {{}, Results::free}), 1U);
  EXPECT_EQ(notes("m", {}), 1U);
}

TEST(Propagation, ThePropagatedModuleIsAModule) {
  const auto m = spread("x = f32[8,12] parameter(0)" + kRows + "ROOT n = f32[8,12] negate(x)");
  EXPECT_TRUE(verify(*m.program).ok());
  const auto again = parse_program(print_program(*m.program));
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(*again, *m.program);
  EXPECT_EQ(m.devices, 4);
}

// What jax 0.10.2 says of these results on data=2, model=4.
TEST(Propagation, ArgumentsAndResultsAreSplitByWholeAxes) {
  const auto result = [](const std::string& from, const std::string& axes, const std::string& to,
                         bool whole_axes = true) {
    const auto module =
        read_stablehlo("sdy.mesh @mesh = <[\"data\"=2, \"model\"=4]>\nfunc.func public @main(%arg0: tensor<" +
                       from + "xf32> {sdy.sharding = #sdy.sharding<@mesh, [" + axes + "]>}) -> tensor<" + to +
                       "xf32> {\n %0 = stablehlo.reshape %arg0 : (tensor<" + from + "xf32>) -> tensor<" + to +
                       "xf32>\n return %0 : tensor<" + to + "xf32>\n}\n");
    EXPECT_TRUE(module.ok());
    const auto out = propagate(*module, {.whole_axes_at_ends = whole_axes});
    EXPECT_TRUE(out.ok());
    const Instruction& root = out->program->entry_computation().root_instruction();
    return root.sharding->text() + (out->notes.size() > 1 ? " noted" : "");
  };
  const std::string by_data = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}";
  EXPECT_EQ(result("64", R"({"data", "model"})", "2x32"), "{devices=[2,4]<=[8]}");
  EXPECT_EQ(result("64", R"({"data", "model"})", "4x16"), by_data + " noted");
  EXPECT_EQ(result("64", R"({"data", "model"})", "4x16", false), "{devices=[4,2]<=[8]}");
  EXPECT_EQ(result("64", R"({"model", "data"})", "2x32"), "{replicated} noted");
  EXPECT_EQ(result("16x64", R"({"data"}, {"model"})", "16x2x32"),
            "{devices=[2,1,1,4]<=[8] last_tile_dim_replicate} noted");
}

}  // namespace
}  // namespace shardscope::propagation_test
