// SPDX-License-Identifier: Apache-2.0
// Modules as JAX source.
#include "engine/session/modules/module_source.h"

#include <gtest/gtest.h>

#include "engine/program/mlir/module_text.h"
#include "engine/session/hlo_presets.h"
#include "tests/engine/strategies/python_files.h"

namespace shardscope::module_source_test {
namespace {

// Whether its arrays are small enough for NumPy with a thread for each device.
bool is_small(const Program& module) {
  for (const Computation& c : module.computations)
    for (const Instruction& i : c.instructions)
      if (i.shape.bytes() > 1 << 20) return false;
  return true;
}

// Shapes, types and groups are right: lax_on_numpy refuses what does not fit together.
TEST(ModuleSource, OfEveryPresetCompilesAndTheSmallOnesRun) {
  testing::PythonFiles files, small;
  PartitionOptions how;
  how.propagate = true;
  for (const HloPreset& preset : hlo_presets()) {
    const auto read = read_hlo_or_mlir(preset.text, preset.name);
    ASSERT_TRUE(read.ok()) << preset.name;
    const auto source = module_source(read->program, how);
    EXPECT_TRUE(source.ok()) << preset.name << ": " << source.error().text();
    if (!source.ok()) continue;
    files.add(preset.name, *source);
    if (is_small(read->program)) small.add(preset.name, *source);
  }
  EXPECT_EQ(files.compile(), "");
  ASSERT_GT(small.count(), 8);
  EXPECT_EQ(small.run_on_numpy(),
            fmt::format("{} files, 0 hold their result against NumPy, 0 fail\n", small.count()));
}

TEST(ModuleSource, NamesTheMeshAndTheShardsOfItsArrays) {
  for (const HloPreset& preset : hlo_presets()) {
    if (preset.name != "mlp") continue;
    const auto read = read_hlo_or_mlir(preset.text, preset.name);
    PartitionOptions how;
    how.propagate = true;
    const auto source = module_source(read->program, how);
    ASSERT_TRUE(source.ok());
    EXPECT_NE(source->find("in_specs=(P(\"x\", None), P(None, \"y\"), P(\"y\", None))"), std::string::npos)
        << *source;
    EXPECT_NE(source->find("lax.psum("), std::string::npos) << *source;
  }
}

}  // namespace
}  // namespace shardscope::module_source_test
