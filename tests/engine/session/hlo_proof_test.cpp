// SPDX-License-Identifier: Apache-2.0
#include "engine/session/hlo_proof.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/session/hlo_run.h"
#include "engine/session/proof/prove.h"
#include "tests/engine/partition/seed_modules.h"

namespace shardscope::hlo_proof_test {
namespace {

Array constant_array(const std::vector<int64_t>& dims, float value) {
  Array out = Array::allocate(ElementType::f32, dims);
  std::ranges::fill(out.mutable_as<float>(), value);
  return out;
}

// The one value that all elements of the result have.
float result_of(const std::string& text, const PartitionOptions& options, const std::vector<Array>& arguments,
                int64_t devices) {
  const auto module = parse_program(text);
  EXPECT_TRUE(module.ok()) << module.error().text();
  const auto made = partition(*module, options);
  EXPECT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(made->program->mesh.device_count(), devices);
  const Workers workers;
  const auto got = run_partitioned(*made, arguments, workers, {});
  EXPECT_TRUE(got.ok()) << got.error().text();
  EXPECT_EQ(got->disagreement, "");
  const auto values = got->leaves.front().as<float>();
  for (const float v : values) EXPECT_EQ(v, values.front());
  const auto proof = prove(*made, arguments, workers, {});
  EXPECT_TRUE(proof.ok()) << proof.error().text();
  EXPECT_TRUE(proof->bit_equal);
  EXPECT_TRUE(proof->report.allclose);
  return values.front();
}

class BothDialects : public ::testing::TestWithParam<SpmdDialect> {
 protected:
  PartitionOptions options() const { return {std::nullopt, GetParam(), std::nullopt, false}; }
};

TEST_P(BothDialects, TheShardedMatmulGives98304) {
  // k as in the notebook, so that every element is 8192 · 3 · 4.
  const std::string text = R"(HloModule m
ENTRY main {
  p1 = f32[64,8192] parameter(1), sharding={devices=[2,2]0,1,2,3}
  p0 = f32[8192,32] parameter(0), sharding={devices=[2,2]0,1,2,3}
  dot = f32[64,32] dot(p1, p0), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[2,2]0,1,2,3}
  ROOT tuple = (f32[64,32]) tuple(dot)
})";
  EXPECT_EQ(result_of(text, options(), {constant_array({8192, 32}, 3), constant_array({64, 8192}, 4)}, 4),
            98304.0F);
}

TEST_P(BothDialects, TheAnnotatedModulesOfANotebookGiveTheirValues) {
  EXPECT_EQ(result_of(testing::sharded_matmul("f32[64,64]{1,0}"), options(),
                      {constant_array({64, 64}, 3), constant_array({64, 64}, 4)}, 4),
            768.0F);
  EXPECT_EQ(result_of(testing::sharded_multiply("f32[8,16]{1,0}"), options(),
                      {constant_array({8, 16}, 3), constant_array({8, 16}, 4)}, 8),
            12.0F);
  EXPECT_EQ(
      result_of(testing::sharded_add(), options(), {constant_array({2, 2}, 3), constant_array({2, 2}, 4)}, 2),
      7.0F);
}

INSTANTIATE_TEST_SUITE_P(Spmd, BothDialects, ::testing::Values(SpmdDialect::tpu2022, SpmdDialect::current),
                         [](const auto& i) { return std::string(name(i.param)); });

TEST(PartitionProof, WhatDoesNotFitThisMachineIsSaidBeforeItIsComputed) {
  const auto module = parse_program(
      "HloModule m\nENTRY main {\n  a = f32[] parameter(0)\n  b = f32[1048576,1048576] broadcast(a), "
      "dimensions={}\n"
      "  ROOT c = f32[1048576,1048576] add(b, b), sharding={devices=[2,1]<=[2]}\n}\n");
  ASSERT_TRUE(module.ok()) << module.error().text();
  const auto made = partition(*module, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Workers workers;
  const auto proof = prove(*made, *module_arguments(*module, 1, workers), workers, {});
  ASSERT_FALSE(proof.ok());
  EXPECT_EQ(proof.error().kind, ErrorKind::too_big);
}

TEST(PartitionProof, AWrongProgramIsNoticed) {
  const auto module = parse_program(testing::sharded_add("f32[6,2]{1,0}"));
  auto made = *partition(*module, {});
  Program wrong = *made.program;
  for (Computation& c : wrong.computations)
    for (Instruction& i : c.instructions)
      if (i.opcode == Opcode::add) i.opcode = Opcode::subtract;
  change_program(std::move(wrong), made);
  const Workers workers;
  const auto proof = prove(made, *module_arguments(*module, 1, workers), workers, {});
  ASSERT_TRUE(proof.ok()) << proof.error().text();
  EXPECT_FALSE(proof->report.allclose);
  EXPECT_GT(proof->report.max_abs, 0);
}

// Sines less their mean add up to nothing but roundings, which no argument moves.
constexpr const char* kSumOfRoundings =
    "HloModule m\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
    "ENTRY main {\n  i = f32[64] iota(), iota_dimension=0\n"
    "  x = f32[64] sine(i), sharding={devices=[4]<=[4]}\n  z = f32[] constant(0)\n"
    "  s = f32[] reduce(x, z), dimensions={0}, to_apply=sum\n  n = f32[] constant(64)\n"
    "  m = f32[] divide(s, n)\n  b = f32[64] broadcast(m), dimensions={}\n"
    "  d = f32[64] subtract(x, b), sharding={devices=[4]<=[4]}\n"
    "  ROOT r = f32[] reduce(d, z), dimensions={0}, to_apply=sum\n}\n";

TEST(PartitionProof, ResultsThatAreRoundingsAloneAreNotCalledWrong) {
  const auto module = parse_program(kSumOfRoundings);
  ASSERT_TRUE(module.ok()) << module.error().text();
  const auto made = partition(*module, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Workers workers;
  const auto proof = prove(*made, {}, workers, {});
  ASSERT_TRUE(proof.ok()) << proof.error().text();
  EXPECT_FALSE(proof->bit_equal);
  EXPECT_TRUE(proof->report.allclose) << proof->report.warnings.front();

  // Nor is a wrong sum of them called rounding.
  Partitioned wrong = *made;
  Program other = *made->program;
  for (Computation& c : other.computations)
    for (Instruction& i : c.instructions)
      if (i.opcode == Opcode::subtract) i.opcode = Opcode::add;
  change_program(std::move(other), wrong);
  const auto refuted = prove(wrong, {}, workers, {});
  ASSERT_TRUE(refuted.ok()) << refuted.error().text();
  EXPECT_FALSE(refuted->report.allclose);
}

PartitionProof proof_of(const std::string& text, Partitioned* program = nullptr) {
  const auto module = parse_program(text);
  EXPECT_TRUE(module.ok()) << module.error().text();
  auto made = partition(*module, {});
  EXPECT_TRUE(made.ok()) << made.error().text();
  const Workers workers;
  const auto proof = prove(*made, *module_arguments(*module, 5, workers), workers, {});
  EXPECT_TRUE(proof.ok()) << proof.error().text();
  EXPECT_TRUE(proof->bit_equal) << print_program(*made->program);
  if (program != nullptr) *program = *std::move(made);
  return *proof;
}

// Ten rows on four devices: tiles of three, the last one with two rows of padding.
TEST(PartitionProof, UnevenRowsAreShiftedMaskedAndSummedRight) {
  Partitioned made;
  proof_of(R"(HloModule uneven

add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b)
}

ENTRY main {
  x = s32[10,3] parameter(0), sharding={devices=[4,1]<=[4]}
  cut = s32[7,3] slice(x), slice={[2:9], [0:3]}, sharding={devices=[4,1]<=[4]}
  seven = s32[] constant(7)
  wide = s32[13,3] pad(x, seven), padding=1_2x0_0, sharding={devices=[4,1]<=[4]}
  back = s32[10,3] reverse(x), dimensions={0}, sharding={devices=[4,1]<=[4]}
  number = s32[10,3] iota(), iota_dimension=0, sharding={devices=[4,1]<=[4]}
  both = s32[10,3] add(back, number), sharding={devices=[4,1]<=[4]}
  long = s32[17,3] concatenate(x, cut), dimensions={0}, sharding={devices=[4,1]<=[4]}
  zero = s32[] constant(0)
  sum = s32[3] reduce(x, zero), dimensions={0}, to_apply=add
  gram = s32[3,3] dot(x, both), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT all = (s32[7,3], s32[13,3], s32[10,3], s32[17,3], s32[3], s32[3,3]) tuple(cut, wide, both, long, sum, gram), sharding={{devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}, {replicated}, {devices=[2,2]<=[4]}}
}
)",
           &made);
  const auto halos = std::count_if(made.collectives.begin(), made.collectives.end(),
                                   [](const CollectiveOrigin& c) { return c.operand == "halo"; });
  EXPECT_GE(halos, 2);
}

// Device 2 has x and gets the sum.
// A cache of keys whose heads are cut, a token written into each sequence of the batch at a place of its own
// (vmap of dynamic_update_slice): heads are written whole, so every device writes its own. Places that do not
// fit write nothing.
TEST(PartitionProof, ATokenIsWrittenIntoACacheOfCutHeadsWithoutACollective) {
  Partitioned made;
  proof_of(R"(HloModule m, num_partitions=4
put { a = f32[] parameter(0)
 ROOT b = f32[] parameter(1) }
ENTRY main {
  cache = f32[6,16,8,2] parameter(0), sharding={devices=[1,1,4,1]<=[4]}
  at = s32[6,3] parameter(1)
  token = f32[6,1,8,2] parameter(2), sharding={devices=[1,1,4,1]<=[4]}
  ROOT out = f32[6,16,8,2] scatter(cache, at, token), update_window_dims={1,2,3}, inserted_window_dims={}, scatter_dims_to_operand_dims={1,2,3}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=put, sharding={devices=[1,1,4,1]<=[4]}
})",
           &made);
  EXPECT_TRUE(made.collectives.empty()) << print_program(*made.program);
}

// A depthwise convolution whose channels are cut.
TEST(PartitionProof, GroupsOfAConvolutionAreCutWithoutACollective) {
  Partitioned made;
  proof_of(R"(HloModule m, num_partitions=4
ENTRY main {
  image = f32[4,6,6,16] parameter(0), sharding={devices=[1,1,1,4]<=[4]}
  kernel = f32[3,3,1,32] parameter(1), sharding={devices=[1,1,1,4]<=[4]}
  ROOT out = f32[4,6,6,32] convolution(image, kernel), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=16, sharding={devices=[1,1,1,4]<=[4]}
})",
           &made);
  EXPECT_TRUE(made.collectives.empty()) << print_program(*made.program);
}

TEST(PartitionProof, WhatOneDeviceHasIsSentToAll) {
  Partitioned made;
  proof_of(R"(HloModule one

ENTRY main {
  x = s32[8,3] parameter(0), sharding={maximal device=2}
  y = s32[8,3] parameter(1), sharding={devices=[4,1]<=[4]}
  sum = s32[8,3] add(x, y), sharding={devices=[4,1]<=[4]}
  ROOT out = s32[8,3] negate(sum), sharding={maximal device=2}
}
)",
           &made);
  EXPECT_EQ(made.parameters[0].text(), "{maximal device=2}");
  EXPECT_EQ(made.results[0].text(), "{maximal device=2}");
  ASSERT_EQ(made.collectives.size(), 2U);
  EXPECT_EQ(made.collectives[0].from, "{maximal device=2}");
  EXPECT_EQ(made.collectives[0].name.substr(0, 10), "all-reduce");
}

TEST(PartitionProof, TuplesAndLoopsKeepTheirShardings) {
  Partitioned made;
  proof_of(R"(HloModule loop

body {
  s = (s32[], s32[8,3], s32[8,3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = s32[8,3] get-tuple-element(s), index=1
  y = s32[8,3] get-tuple-element(s), index=2
  sum = s32[8,3] add(x, y)
  ROOT t = (s32[], s32[8,3], s32[8,3]) tuple(next, sum, x)
}

condition {
  s.1 = (s32[], s32[8,3], s32[8,3]) parameter(0)
  i.1 = s32[] get-tuple-element(s.1), index=0
  end = s32[] constant(5)
  ROOT more = pred[] compare(i.1, end), direction=LT
}

ENTRY main {
  p = (s32[8,3], s32[8,3]) parameter(0), sharding={{devices=[4,1]<=[4]}, {devices=[2,1,2]<=[4] last_tile_dim_replicate}}
  a = s32[8,3] get-tuple-element(p), index=0, sharding={devices=[4,1]<=[4]}
  b = s32[8,3] get-tuple-element(p), index=1, sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  zero = s32[] constant(0)
  start = (s32[], s32[8,3], s32[8,3]) tuple(zero, a, b)
  loop = (s32[], s32[8,3], s32[8,3]) while(start), condition=condition, body=body, sharding={{replicated}, {devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}}
  ROOT out = s32[8,3] get-tuple-element(loop), index=1, sharding={devices=[4,1]<=[4]}
}
)",
           &made);
  EXPECT_EQ(made.parameter_names, (std::vector<std::string>{"p{0}", "p{1}"}));
  EXPECT_EQ(made.parameters[1].text(), "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
}

TEST(PartitionProof, SortedDimensionsAreWholeAndTheOthersStayCut) {
  Partitioned made;
  proof_of(R"(HloModule sorted

less {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}

ENTRY main {
  x = s32[6,9] parameter(0), sharding={devices=[2,2]<=[4]}
  ROOT y = s32[6,9] sort(x), dimensions={1}, to_apply=less, sharding={devices=[2,2]<=[4]}
}
)",
           &made);
  ASSERT_EQ(made.collectives.size(), 1U);
  EXPECT_EQ(made.collectives[0].to, "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
}

struct ProductCase {
  std::string lhs, rhs, out;
};

const std::vector<ProductCase> kWindowed = {{"N,1", "N,1", "N,1"},   // shards of the contraction pass by
                                            {"N,1", "1,N", "N,1"},   // of the right operand's columns
                                            {"1,N", "1,N", "1,N"},   // of the left operand's contraction
                                            {"1,N", "N,1", "N,1"},   // sums, scattered over rows
                                            {"1,N", "N,1", "1,N"}};  // sums, scattered over columns

// The loop of a product on `devices`, whose numbers are those of one device.
Partitioned windowed(const ProductCase& c, int64_t devices, const PartitionOptions& options,
                     const std::string& order = "") {
  const auto on = [&](std::string counts) {
    counts.replace(counts.find('N'), 1, std::to_string(devices));
    return "[" + counts + "]" + (order.empty() ? "<=[" + std::to_string(devices) + "]" : order);
  };
  const auto module = parse_program(fmt::format(
      "HloModule m\nENTRY main {{\n  a = s32[16,24] parameter(0), sharding={{devices={}}}\n"
      "  b = s32[24,48] parameter(1), sharding={{devices={}}}\n"
      "  ROOT dot = s32[16,48] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, "
      "sharding={{devices={}}}\n}}\n",
      on(c.lhs), on(c.rhs), on(c.out)));
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  auto made = partition(*module, options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  for (const CollectiveOrigin& origin : made->collectives) {
    EXPECT_EQ(origin.name.substr(0, 18), "collective-permute");
    EXPECT_NE(origin.rule.find("windowed einsum"), std::string::npos);
  }
  const Workers workers;
  const auto proof = prove(*made, *module_arguments(*module, 3, workers), workers, {});
  EXPECT_TRUE(proof.ok()) << (proof.ok() ? "" : proof.error().text());
  EXPECT_TRUE(proof->bit_equal) << print_program(*made->program);
  return *std::move(made);
}

PartitionOptions all_windowed(bool unroll = false, bool both_ways = false) {
  PartitionOptions options;
  options.windowed_einsum_mib = 0;
  options.unroll_windowed_einsum = unroll;
  options.bidirectional_windowed_einsum = both_ways;
  return options;
}

TEST(WindowedEinsum, GathersAndSumsBecomeLoopsOfPermutesWithTheSameNumbers) {
  for (const ProductCase& c : kWindowed) {
    EXPECT_EQ(windowed(c, 4, all_windowed()).collectives.size(), 1U);
    windowed(c, 4, all_windowed(), "2,0,3,1");
  }
}

TEST(WindowedEinsum, UnrolledLoopsTakeTwoStepsARound) {
  for (const ProductCase& c : kWindowed) {
    const bool sums = c.lhs == "1,N" && c.rhs == "N,1";
    for (const int64_t devices : {2, 4, 8}) {
      const Partitioned made = windowed(c, devices, all_windowed(true));
      EXPECT_EQ(made.collectives.size(), sums ? 3U : 2U) << devices;
      EXPECT_EQ(print_program(*made.program).find("conditional("), std::string::npos);
    }
    windowed(c, 4, all_windowed(true), "2,0,3,1");
  }
  // Three devices have no even number of steps.
  EXPECT_EQ(windowed(kWindowed[0], 3, all_windowed(true)).collectives.size(), 1U);
}

TEST(WindowedEinsum, LoopsBothWaysRoundHalveTheirRounds) {
  for (const ProductCase& c : kWindowed) {
    for (const int64_t devices : {4, 8}) {
      const Partitioned made = windowed(c, devices, all_windowed(false, true));
      EXPECT_EQ(made.collectives.size(), 3U) << devices;
      EXPECT_NE(print_program(*made.program).find(fmt::format("u32[] constant({})", devices / 2)),
                std::string::npos);
    }
    windowed(c, 4, all_windowed(true, true), "2,0,3,1");
  }
  EXPECT_EQ(windowed(kWindowed[0], 6, all_windowed(false, true)).collectives.size(), 1U);
}

TEST(ModuleRun, ALoopIsTimedRoundByRound) {
  const auto module = parse_program(
      "HloModule m\nENTRY main {\n  a = f32[512,1024] parameter(0), sharding={devices=[4,1]<=[4]}\n"
      "  b = f32[1024,512] parameter(1), sharding={devices=[4,1]<=[4]}\n"
      "  ROOT dot = f32[512,512] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "sharding={devices=[4,1]<=[4]}\n}\n");
  ASSERT_TRUE(module.ok()) << module.error().text();
  ModuleRunOptions options;
  const auto gathered = execute_module(*module, options, {});
  options.partition.windowed_einsum_mib = 0;
  const auto windowed = execute_module(*module, options, {});
  ASSERT_TRUE(gathered.ok() && windowed.ok()) << (windowed.ok() ? gathered : windowed).error().text();
  const Timeline& loop = windowed->run->timeline;
  ASSERT_EQ(loop.collectives.size(), 1U);
  EXPECT_EQ(loop.collectives[0].opcode, "collective-permute");
  EXPECT_EQ(loop.collectives[0].count, 3);  // the last of four rounds passes nothing on
  EXPECT_EQ(gathered->run->timeline.collectives[0].opcode, "all-gather");
  // The same products, and the same bytes in the end.
  EXPECT_EQ(mean_per_device(loop).flops, mean_per_device(gathered->run->timeline).flops);
  EXPECT_EQ(mean_per_device(loop).bytes_sent, mean_per_device(gathered->run->timeline).bytes_sent);
  EXPECT_TRUE(windowed->run->numerics.allclose);
}

}  // namespace
}  // namespace shardscope::hlo_proof_test
