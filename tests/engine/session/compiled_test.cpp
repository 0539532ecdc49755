// SPDX-License-Identifier: Apache-2.0
// Partitioned modules through a compiler's backend: each stage computes what the module does, and says why
// each collective is there and whether it is hidden.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/program/analysis/async_pairs.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/compiled/after_passes.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"
#include "tests/engine/session/random_modules.h"

namespace shardscope::compiled_test {
namespace {

// A scan of six rounds over the weights w[i], whose state is x, an array of the rounds' results, and their
// sum.
std::string scan(const std::string& x_sharding, const std::string& w_sharding, const std::string& round) {
  const std::string state = "(s32[], f32[8,16], f32[6,8,16], f32[8,16], f32[6,16,16])";
  return "HloModule scan, num_partitions=4, frontend_attributes={shardscope.mesh=\"x=4\"}\n"
         "condition {\n s = " +
         state +
         " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
         " n = s32[] constant(6)\n ROOT more = pred[] compare(i, n), direction=LT\n}\n"
         "body {\n s = " +
         state +
         " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
         " x = f32[8,16] get-tuple-element(s), index=1\n ys = f32[6,8,16] get-tuple-element(s), index=2\n"
         " sum = f32[8,16] get-tuple-element(s), index=3\n w = f32[6,16,16] get-tuple-element(s), index=4\n"
         " one = s32[] constant(1)\n next = s32[] add(i, one)\n zero = s32[] constant(0)\n"
         " wi1 = f32[1,16,16] dynamic-slice(w, i, zero, zero), dynamic_slice_sizes={1,16,16}\n"
         " wi = f32[16,16] reshape(wi1)\n" +
         round + " ROOT t = " + state +
         " tuple(next, x1, ys1, sum1, w)\n}\n"
         "ENTRY e {\n x = f32[8,16] parameter(0), sharding=" +
         x_sharding + "\n w = f32[6,16,16] parameter(1), sharding=" + w_sharding +
         "\n zero = s32[] constant(0)\n f = f32[] constant(0)\n ys = f32[6,8,16] broadcast(f), "
         "dimensions={}\n"
         " sum = f32[8,16] broadcast(f), dimensions={}\n t = " +
         state +
         " tuple(zero, x, ys, sum, w)\n"
         " loop = " +
         state +
         " while(t), condition=condition, body=body\n"
         " a = f32[8,16] get-tuple-element(loop), index=1\n b = f32[6,8,16] get-tuple-element(loop), "
         "index=2\n"
         " c = f32[8,16] get-tuple-element(loop), index=3\n"
         " ROOT r = (f32[8,16], f32[6,8,16], f32[8,16]) tuple(a, b, c)\n}\n";
}

// Weights split over devices that each round needs whole.
std::string gathered_weights() {
  return scan("{devices=[4,1]<=[4]}", "{devices=[1,4,1]<=[4]}",
              " x1 = f32[8,16] dot(x, wi), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
              " ys1 = f32[6,8,16] copy(ys)\n sum1 = f32[8,16] add(sum, x1)\n");
}

// Products over a split dimension: kept one of each round, and added up.
std::string summed_products(bool kept) {
  const std::string product =
      " p = f32[8,16] dot(x, wi), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n x1 = f32[8,16] "
      "copy(x)\n";
  return scan("{devices=[1,4]<=[4]}", "{devices=[1,4,1]<=[4]}",
              kept ? product +
                         " p1 = f32[1,8,16] reshape(p)\n"
                         " ys1 = f32[6,8,16] dynamic-update-slice(ys, p1, i, zero, zero)\n"
                         " sum1 = f32[8,16] copy(sum)\n"
                   : product + " ys1 = f32[6,8,16] copy(ys)\n sum1 = f32[8,16] add(sum, p)\n");
}

class Compiled {
 public:
  Compiled(const std::string& text, XlaFlags flags, CompileAs compiler = CompileAs::xla_gpu,
           int64_t devices = 4) {
    auto module = parse_program(text);
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
    if (!module.ok()) return;
    arguments_ = *module_arguments(*module, 7, workers_);
    PartitionOptions options;
    options.devices = devices;
    options.propagate = true;
    options.results = Results::free;
    auto made = partition(*module, options);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
    if (!made.ok()) return;
    partitioned_ = shared_stage(*std::move(made));
    static const Hardware chip = find_hardware("h200").value();
    auto through = through_backend(partitioned_, compiler, flags, chip, {});
    EXPECT_TRUE(through.ok()) << (through.ok() ? "" : through.error().text());
    if (through.ok()) module_ = *std::move(through);
  }

  const BackendModule& module() const { return module_; }

  // Whether the stages compute what the module does.
  void prove_stages() const {
    for (const auto& pass : passes_of(backend_pass(module_.last))) {
      Partitioned stage = *partitioned_;
      stage.program = pass->program;
      const auto proof = prove(stage, arguments_, workers_, {});
      ASSERT_TRUE(proof.ok()) << pass->pass << ": " << proof.error().text();
      EXPECT_TRUE(proof->report.allclose) << pass->pass << "\n" << print_program(*pass->program);
    }
  }

  // Collectives in loops and outside of them, "all-gather in, all-reduce out".
  std::vector<std::string> places(const std::string& pass) const {
    std::vector<std::string> out;
    for (StagePtr stage = module_.last; stage != nullptr; stage = stage->before) {
      const auto of = backend_pass(stage);
      if (of == nullptr || of->pass != pass) continue;
      for (size_t c = 0; c < stage->program->computations.size(); ++c)
        for (const Instruction& i : stage->program->computations[c].instructions)
          if (is_known(collective_opcode(i)))
            out.push_back(std::string(opcode_text(collective_opcode(i))) +
                          (static_cast<int32_t>(c) == stage->program->entry.value ? " out" : " in"));
    }
    std::ranges::sort(out);
    return out;
  }

 private:
  Workers workers_;
  std::vector<Array> arguments_;
  std::shared_ptr<const Partitioned> partitioned_;
  BackendModule module_;
};

using Places = std::vector<std::string>;

TEST(Compiled, WeightsAreGatheredARoundAhead) {
  XlaFlags flags;
  const Compiled as_it_is(gathered_weights(), flags);
  EXPECT_EQ(as_it_is.places("fusion"), (Places{"all-gather in"}));
  as_it_is.prove_stages();
  flags.pipelined_all_gather = true;
  const Compiled ahead(gathered_weights(), flags);
  EXPECT_EQ(ahead.places("collective-pipeliner-all-gather"), (Places{"all-gather in", "all-gather out"}));
  ahead.prove_stages();
  // The gather of the next round runs beside the product of this one.
  flags.latency_hiding_scheduler = true;
  const Compiled hidden(gathered_weights(), flags);
  hidden.prove_stages();
  bool beside_product = false;
  for (const auto& [name, overlap] : hidden.module().overlaps)
    for (const std::string& beside : overlap.beside)
      beside_product = beside_product || beside.find("dot") != std::string::npos;
  EXPECT_TRUE(beside_product);
}

TEST(Compiled, SumsThatAreKeptAreTakenARoundLater) {
  XlaFlags flags;
  flags.pipelined_all_reduce = true;
  const Compiled later(summed_products(true), flags);
  EXPECT_EQ(later.places("while-loop-all-reduce-code-motion"), (Places{"all-reduce in"}));
  EXPECT_EQ(later.places("collective-pipeliner-all-reduce"), (Places{"all-reduce in", "all-reduce out"}));
  later.prove_stages();
}

TEST(Compiled, SumsThatAreAddedUpAreTakenOnce) {
  const Compiled once(summed_products(false), {});
  EXPECT_EQ(once.places("while-loop-all-reduce-code-motion"), (Places{"all-reduce out"}));
  once.prove_stages();
}

TEST(Compiled, WhatEveryRoundGathersTheSameIsGatheredOnceOnATpu) {
  const std::string text =
      scan("{devices=[4,1]<=[4]}", "{devices=[1,4,1]<=[4]}",
           " w0 = f32[1,16,16] dynamic-slice(w, zero, zero, zero), "
           "dynamic_slice_sizes={1,16,16}\n w1 = f32[16,16] reshape(w0)\n"
           " x1 = f32[8,16] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
           " ys1 = f32[6,8,16] copy(ys)\n sum1 = f32[8,16] add(sum, x1)\n");
  const Compiled tpu(text, {}, CompileAs::xla_tpu);
  EXPECT_EQ(tpu.places("while-loop-invariant-code-motion"), (Places{"all-gather out"}));
  tpu.prove_stages();
  const Compiled gpu(text, {});
  EXPECT_EQ(gpu.places("fusion"), (Places{"all-gather in"}));
}

TEST(Compiled, ALoopDoesTwoRoundsAtOnce) {
  XlaFlags flags;
  flags.while_loop_double_buffering = true;
  const Compiled twice(gathered_weights(), flags);
  EXPECT_EQ(twice.places("double-buffer-loop-unrolling"), (Places{"all-gather in", "all-gather in"}));
  twice.prove_stages();
  // One round in front of the loop, four in it, the last behind it.
  flags.pipelined_collectives = flags.latency_hiding_scheduler = true;
  const Compiled all(gathered_weights(), flags);
  all.prove_stages();
}

TEST(Compiled, RandomModulesComputeTheSameAfterEachPass) {
  XlaFlags flags;
  flags.latency_hiding_scheduler = flags.pipelined_collectives = flags.while_loop_double_buffering = true;
  flags.permute_decomposer_bytes = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const testing::RandomModule random(seed);
    const CompileAs compiler = seed % 3 == 0 ? CompileAs::xla_tpu : CompileAs::xla_gpu;
    const Compiled made(random.text(), seed % 2 == 0 ? flags : XlaFlags(), compiler, random.devices());
    made.prove_stages();
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Compiled, RowsNameWhatTheScatteredSumIsMadeOf) {
  const std::string text =
      "HloModule m, num_partitions=4, frontend_attributes={shardscope.mesh=\"x=4\"}\nENTRY e {\n"
      " x = f32[8,16] parameter(0), sharding={devices=[1,4]<=[4]}\n"
      " w = f32[16,16] parameter(1), sharding={devices=[4,1]<=[4]}\n"
      " ROOT y = f32[8,16] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "sharding={devices=[4,1]<=[4]}\n}\n";
  const Compiled made(text, {});
  const auto& rows = made.module().made->collectives;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].to_spec, "P('x', None)");
  EXPECT_EQ(rows[0].from_spec, "P(None, None, unreduced={'x'})");
  made.prove_stages();
}

}  // namespace
}  // namespace shardscope::compiled_test
