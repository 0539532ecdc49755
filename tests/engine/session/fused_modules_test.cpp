// SPDX-License-Identifier: Apache-2.0
// A partitioned module and what a compiler's fusion makes of it compute the same.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/backend/fuse.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_presets.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/hlo_run.h"
#include "engine/session/proof/prove.h"
#include "tests/engine/session/random_modules.h"

namespace shardscope::fused_modules_test {
namespace {

// Of what chips need for a launch and not for a transfer, so that whatever can be fused is.
Hardware slow_to_launch() {
  Hardware out = find_hardware("tpu-v5e").value();
  out.compute.elementwise_launch_s = 1e-3;
  return out;
}

TEST(FusedModules, ComputeWhatThePartitionedOnesDo) {
  const Workers workers;
  int64_t fusions = 0;
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    const testing::RandomModule random(seed);
    const auto module = parse_program(random.text());
    ASSERT_TRUE(module.ok()) << module.error().text();
    PartitionOptions options;
    options.devices = random.devices();
    const auto made = partition(*module, options);
    ASSERT_TRUE(made.ok()) << made.error().text();
    const CompileAs as = seed % 2 == 0 ? CompileAs::xla_tpu : CompileAs::xla_gpu;
    const auto fused = fuse(*made->program, as, slow_to_launch());
    ASSERT_TRUE(fused.ok()) << fused.error().text();
    const auto verified = verify(*fused);
    ASSERT_TRUE(verified.ok()) << "seed " << seed << ": " << verified.error().text() << print_program(*fused);
    for (const Computation& c : fused->computations)
      fusions += std::ranges::count(c.instructions, Opcode::fusion, &Instruction::opcode);
    Partitioned compiled = *made;
    compiled.program = SharedProgram(*fused);
    const auto arguments = *module_arguments(*module, seed, workers);
    const auto before = prove(*made, arguments, workers, {});
    const auto after = prove(compiled, arguments, workers, {});
    ASSERT_TRUE(before.ok() && after.ok()) << (after.ok() ? before.error() : after.error()).text();
    EXPECT_EQ(after->report.max_abs, before->report.max_abs) << "seed " << seed;
    EXPECT_EQ(after->bit_equal, before->bit_equal) << "seed " << seed << print_program(*fused);
  }
  EXPECT_GT(fusions, 120);
}

TEST(FusedModules, AreTimedWithFewerKernelsAndNoneCanBeAskedFor) {
  const Program module = parse_program(
                             "HloModule m\nENTRY e { x = f32[1024,1024] parameter(0)\n"
                             " n = f32[1024,1024] negate(x)\n ROOT a = f32[1024,1024] multiply(n, n) }\n")
                             .value();
  ModuleRunOptions options;
  options.check = CheckMode::off;
  const auto fused = execute_module(module, options, {});
  options.asked["compile-as"] = "none";
  const auto alone = execute_module(module, options, {});
  ASSERT_TRUE(fused.ok() && alone.ok());
  EXPECT_EQ(fused->run->timeline.events.size(), 1U);
  EXPECT_EQ(alone->run->timeline.events.size(), 2U);
  EXPECT_LT(fused->run->timeline.total, alone->run->timeline.total);
  EXPECT_NE(fused->run->timeline.assumptions.front().find("fused as XLA"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::fused_modules_test
