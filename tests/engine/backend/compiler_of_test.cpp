// SPDX-License-Identifier: Apache-2.0
// Whose compiler modules are timed as made by: as the chip's file says, else by what the chip is like.
#include <gtest/gtest.h>

#include "engine/backend/compile_as.h"

namespace shardscope::compiler_of_test {
namespace {

CompileAs compiler_in(const std::string& more) {
  const auto chip = parse_hardware("name = 'c'\ntopology = 'switch'\n" + more, "c.toml");
  EXPECT_TRUE(chip.ok()) << chip.error().text();
  return chip.ok() ? compiler_of(*chip) : CompileAs::none;
}

TEST(CompilerOf, AFileThatNamesItsCompilerHasThatOne) {
  const std::string as_of_a_cpu =
      "[compute]\npeak_flops_per_s = { f32 = 2e12, bf16 = 1e12 }\nmxu = [128, 128]\n";
  for (const CompileAs as : kCompileAs)
    EXPECT_EQ(compiler_in(std::string("compiler = '") + name(as) + "'\n" + as_of_a_cpu), as);
}

TEST(CompilerOf, AFileThatNamesNoneIsTakenForWhatItIsLike) {
  EXPECT_EQ(compiler_in("[compute]\npeak_flops_per_s = { f32 = 1e12, bf16 = 2e12 }\n"), CompileAs::xla_gpu);
  EXPECT_EQ(compiler_in("[compute]\npeak_flops_per_s = { f32 = 2e12, bf16 = 1e12 }\n"), CompileAs::xla_cpu);
  EXPECT_EQ(compiler_in("[compute]\nmxu = [128, 128]\n"), CompileAs::xla_tpu);
}

}  // namespace
}  // namespace shardscope::compiler_of_test
