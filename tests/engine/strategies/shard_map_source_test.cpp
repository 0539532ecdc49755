// SPDX-License-Identifier: Apache-2.0
// What a strategy's program is in JAX: a file that Python compiles, and that gives X·W.
#include "engine/program/source/shard_map_source.h"

#include <fmt/format.h>

#include "tests/engine/strategies/planned.h"
#include "tests/engine/strategies/python_files.h"

namespace shardscope::shard_map_source_test {
namespace {

// Of every strategy that is right on every small mesh that it takes.
std::vector<Program> programs() {
  StrategyOptions options;
  options.slices = 2;
  options.block = 1;
  std::vector<Program> out;
  for (const Strategy& s : strategies()) {
    if (s.kind == StrategyKind::broken) continue;
    for (const char* mesh : {"row=2,col=3", "row=2,col=2", "x=4", "row=2,col=2,depth=2"}) {
      const int64_t n = s.kind == StrategyKind::example ? 12 : 36;
      auto program = s.plan(testing::mesh_of(mesh), {12, 24, n}, options);
      if (program.ok()) out.push_back(*std::move(program));
    }
  }
  return out;
}

// The files run on NumPy: lax's functions over devices as threads (lax_on_numpy.py), which is no JAX, but
// knows nothing of us either.
TEST(ShardMapSource, OfEveryStrategyCompilesAndGivesTheProductOnEveryMesh) {
  testing::PythonFiles files;
  for (const Program& program : programs()) {
    const auto source = shard_map_source(program, program.name);
    ASSERT_TRUE(source.ok()) << program.name << ": " << source.error().text();
    files.add(program.name, *source);
  }
  ASSERT_GT(files.count(), 60);
  EXPECT_EQ(files.compile(), "");
  const std::string ran = files.run_on_numpy();
  // The rest are collectives alone and expert parallelism, whose outputs are no products of their inputs.
  EXPECT_EQ(ran, fmt::format("{} files, 146 hold their result against NumPy, 0 fail\n", files.count()));
}

TEST(ShardMapSource, SaysWhatJaxHasNoWordFor) {
  const auto program = parse_program(
      "HloModule m\nENTRY e { p = f32[2] parameter(0)\n ROOT q = f32[2] custom-call(p), "
      "custom_call_target=\"Secret\"\n}\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  const auto source = shard_map_source(*program, "m");
  ASSERT_FALSE(source.ok());
  EXPECT_NE(source.error().what.find("q cannot be written in JAX: it calls Secret"), std::string::npos)
      << source.error().what;
}

}  // namespace
}  // namespace shardscope::shard_map_source_test
