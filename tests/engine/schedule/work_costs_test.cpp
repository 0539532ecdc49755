// SPDX-License-Identifier: Apache-2.0
// What single instructions take, against formulas written out: bytes over the memory's bandwidth, flops over
// the peak.
#include <gtest/gtest.h>

#include "engine/backend/product_epilogue.h"
#include "engine/base/text.h"
#include "engine/plan/timed_form.h"
#include "engine/program/text/hlo_text.h"
#include "engine/run/instruction_cost.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::work_costs_test {
namespace {

constexpr double kHbm = 1e9;    // bytes/s
constexpr double kPeak = 1e12;  // flops/s

Hardware slow_chip() {
  Hardware h = chip();
  h.compute.peak_flops_per_s = {{ElementType::f32, kPeak}};
  h.memory.hbm_bytes_per_s = kHbm;
  return h;
}

Timeline timed(const std::string& computations, const std::string& body) {
  const auto program = parse_program("HloModule m\n" + computations + "ENTRY e {\n" + body + "}\n");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  if (!program.ok()) return {};
  const auto verified = verify(*program);
  EXPECT_TRUE(verified.ok()) << (verified.ok() ? "" : verified.error().text());
  const auto form = timed_form(*program, slow_chip());
  EXPECT_TRUE(form.ok()) << (form.ok() ? "" : form.error().text());
  if (!form.ok()) return {};
  Timeline out = run(form->program, slow_chip());
  out.assumptions.insert(out.assumptions.end(), form->assumptions.begin(), form->assumptions.end());
  return out;
}

bool assumes(const Timeline& t, const std::string& words) {
  for (const std::string& a : t.assumptions)
    if (a.find(words) != std::string::npos) return true;
  return false;
}

constexpr const char* kSum =
    "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n";

TEST(WorkCosts, AGatherReadsItsIndicesAndWhatItTakes) {
  const Timeline t = timed("",
                           "t = f32[1000,64] parameter(0)\n i = s32[10] parameter(1)\n"
                           "ROOT g = f32[10,64] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
                           "start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}\n");
  expect_time(t.total, (10 * 4 + 2 * 10 * 64 * 4) / kHbm, "indices, rows read, rows written");
  EXPECT_TRUE(assumes(t, "a gather reads"));
}

TEST(WorkCosts, AScatterReadsItsUpdatesAndChangesAsMuch) {
  const Timeline t = timed(kSum,
                           "t = f32[1000,64] parameter(0)\n i = s32[10] parameter(1)\n"
                           "u = f32[10,64] parameter(2)\n"
                           "ROOT g = f32[1000,64] scatter(t, i, u), update_window_dims={1}, "
                           "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
                           "to_apply=sum\n");
  expect_time(t.total, (10 * 4 + 3 * 10 * 64 * 4) / kHbm, "indices, updates, rows read and written");
  EXPECT_TRUE(assumes(t, "a scatter works in place"));
}

TEST(WorkCosts, ASortReadsAndWritesInEachPass) {
  for (const auto& [size, passes] : std::map<int, int>{{2, 1}, {8, 3}, {1000, 10}, {1024, 10}}) {
    const std::string n = std::to_string(size);
    const Timeline t = timed(
        "up { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
        " ROOT l = pred[] compare(a, b), direction=LT }\n",
        "x = f32[" + n + "] parameter(0)\nROOT s = f32[" + n + "] sort(x), dimensions={0}, to_apply=up\n");
    expect_time(t.total, passes * 2 * 4.0 * size / kHbm, n);
    EXPECT_TRUE(assumes(t, "a sort merges"));
  }
}

TEST(WorkCosts, AReduceWindowReadsEachElementOnce) {
  const Timeline t = timed(kSum,
                           "x = f32[100] parameter(0)\n z = f32[] constant(0)\n"
                           "ROOT r = f32[97] reduce-window(x, z), window={size=4}, to_apply=sum\n");
  expect_time(t.total, (100 + 1 + 97) * 4 / kHbm, "array, initial value, result");
}

// 2 · places · window · features · results, which is long enough to hide the memory.
TEST(WorkCosts, AConvolutionTakesItsFlops) {
  const Timeline t = timed("",
                           "x = f32[2,16,16,64] parameter(0)\n k = f32[3,3,64,256] parameter(1)\n"
                           "ROOT c = f32[2,16,16,256] convolution(x, k), window={size=3x3 pad=1_1x1_1}, "
                           "dim_labels=b01f_01io->b01f\n");
  const double flops = 2.0 * (2 * 16 * 16) * (3 * 3 * 64) * 256;
  const double bytes = 4.0 * (2 * 16 * 16 * 64 + 3 * 3 * 64 * 256 + 2 * 16 * 16 * 256);
  expect_time(t.total, std::max(flops / kPeak, bytes / kHbm), "roofline");
  EXPECT_EQ(mean_per_device(t).flops, flops);
  EXPECT_TRUE(assumes(t, "a convolution takes as long as the product"));
}

Picoseconds product_time(const char* chip_name, const std::string& said, bool library = false) {
  const std::string dot =
      library
          ? R"(ROOT d = (f32[4096,4096], s8[4]) custom-call(x, y), custom_call_target="__cublas$gemm", )"
            R"(backend_config={"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":)"
            R"(["1"],"rhs_contracting_dimensions":["0"]},"precision_config":{"operand_precision":[)" +
                said + R"(],"algorithm":"ALG_UNSET"}}})"
          : "ROOT d = f32[4096,4096] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}" + said;
  const auto program = parse_program(
      "HloModule m\nENTRY e {\n x = f32[4096,4096] parameter(0)\n y = f32[4096,4096] parameter(1)\n" + dot +
      "\n}\n");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  if (!program.ok()) return 0;
  const Hardware chip = *find_hardware(chip_name);
  const Picoseconds total = run(timed_form(*program, chip)->program, chip).total;
  EXPECT_GT(total, 0);
  return total;
}

// A module's f32 is what XLA makes of it: TF32 on h200, one, three or six products of bf16 on a TPU.
TEST(WorkCosts, AModulesProductTakesWhatItsPrecisionAsksFor) {
  const auto times = [](const char* chip, const std::string& said) {
    return static_cast<double>(product_time(chip, said)) / static_cast<double>(product_time(chip, ""));
  };
  const std::string high = ", operand_precision={high,default}",
                    highest = ", operand_precision={default,highest}";
  EXPECT_NEAR(times("tpu-v5e", high), 3, 0.05);
  EXPECT_NEAR(times("tpu-v5e", highest), 6, 0.05);
  EXPECT_EQ(times("h200", high), 1);
  EXPECT_GT(times("h200", highest), 4);
  EXPECT_EQ(times("h200", ", algorithm=dot_tf32_tf32_f32"), 1);
  EXPECT_EQ(times("h200", ", algorithm=dot_f32_f32_f32"), times("h200", highest));
  EXPECT_NEAR(times("h200", ", algorithm=dot_tf32_tf32_f32_x3"), 3, 0.3);
  const auto library = [](const char* said) { return product_time("h200", said, true); };
  EXPECT_GT(library(R"("HIGHEST","DEFAULT")"), 4 * library(R"("DEFAULT","DEFAULT")"));
  EXPECT_EQ(library(R"("HIGH","DEFAULT")"), library(R"("DEFAULT","DEFAULT")"));
}

// Groups share neither features nor results.
TEST(WorkCosts, AGroupedConvolutionHasFewerFlops) {
  const Timeline t = timed("",
                           "x = f32[1,8,6] parameter(0)\n k = f32[3,2,12] parameter(1)\n"
                           "ROOT c = f32[1,6,12] convolution(x, k), window={size=3}, "
                           "dim_labels=b0f_0io->b0f, feature_group_count=3\n");
  EXPECT_EQ(mean_per_device(t).flops, 2.0 * 6 * (3 * 2) * 12);
}

// Data chooses between a copy and a copy of twice the size, written back.
TEST(WorkCosts, ABranchThatDataChoosesIsTheLongest) {
  const Timeline t = timed(
      "short { x = f32[100] parameter(0)\n ROOT n = f32[100] negate(x) }\n"
      "long { x = f32[100] parameter(0)\n n = f32[100] negate(x)\n ROOT e = f32[100] exponential(n) }\n",
      "p = pred[] parameter(0)\n x = f32[100] parameter(1)\n"
      "ROOT c = f32[100] conditional(p, x, x), true_computation=short, false_computation=long\n");
  expect_time(t.total, 2 * 2 * 400 / kHbm, "negate and exponential");
  EXPECT_TRUE(assumes(t, "'c' chooses by data: timed as long"));
}

TEST(WorkCosts, ASumOfProductsIsRoundedAsItIsWrittenHoweverLong) {
  for (const int64_t panels : {1, 100, 5000}) {
    StrategyOptions options;
    options.block = 1;
    const MatmulProblem problem{8, panels, 8, ElementType::bf16, ElementType::f32};
    const Program program = plan("summa.os", mesh("row=1,col=1"), problem, options);
    const Computation& entry = program.entry_computation();
    ASSERT_EQ(entry.root_instruction().opcode, Opcode::convert);
    EXPECT_TRUE(done_by_products(program, entry, CompileAs::xla_tpu)[static_cast<size_t>(entry.root.value)])
        << panels;
    EXPECT_FALSE(done_by_products(program, entry, CompileAs::none)[static_cast<size_t>(entry.root.value)]);
  }
}

// The names of what products do as well, in a row.
std::string done_in(const std::string& body, CompileAs as) {
  const auto program = parse_program("HloModule m\nENTRY e {\n p = f32[8,8] parameter(0)\n" + body + "}\n");
  EXPECT_TRUE(program.ok()) << program.error().text();
  const Computation& entry = program->entry_computation();
  const std::vector<bool> done = done_by_products(*program, entry, as);
  std::vector<std::string> names;
  for (size_t k = 0; k < done.size(); ++k)
    if (done[k]) names.push_back(entry.instructions[k].name);
  return join(names, " ");
}

TEST(WorkCosts, WhatFollowsAProductElementByElementIsDoneByItsKernel) {
  const std::string dot = "d = f32[8,8] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  const std::string chain =
      dot +
      "z = f32[] constant(0)\n zs = f32[8,8] broadcast(z), dimensions={}\n"
      "a = f32[8,8] maximum(d, zs)\n t = f32[8,8] tanh(a)\n ROOT c = bf16[8,8] convert(t)\n";
  EXPECT_EQ(done_in(chain, CompileAs::xla_tpu), "a t c");
  EXPECT_EQ(done_in(chain, CompileAs::xla_gpu), "a") << "a library has no tanh";
  EXPECT_EQ(done_in(chain, CompileAs::none), "");
  const std::string received = "w = bf16[8,8] parameter(1)\n" + dot +
                               "u = f32[8,8] convert(w)\n s = f32[8,8] add(u, d)\n"
                               "ROOT c = bf16[8,8] convert(s)\n";
  EXPECT_EQ(done_in(received, CompileAs::xla_gpu), "u c") << "it adds to an array, read and written narrow";
}

TEST(WorkCosts, WhatIsNoProductIsWorkOfItsOwn) {
  EXPECT_EQ(done_in("s = f32[8,8] add(p, p)\n ROOT c = bf16[8,8] convert(s)\n", CompileAs::xla_tpu), "");
  EXPECT_EQ(done_in("d = f32[8,8] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                    "ROOT m = f32[8,8] multiply(d, p)\n",
                    CompileAs::xla_tpu),
            "")
      << "it reads an array more";
}

}  // namespace
}  // namespace shardscope::schedule_test::work_costs_test
