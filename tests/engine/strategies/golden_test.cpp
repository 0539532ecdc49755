// SPDX-License-Identifier: Apache-2.0
// The text of one small program of every strategy. SHARDSCOPE_UPDATE=1 writes the files anew.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/engine/strategies/planned.h"

namespace shardscope::golden_test {
namespace {

TEST(Golden, EveryStrategyOnASmallMesh) {
  StrategyOptions options;
  options.slices = 2;
  options.block = 1;
  for (const Strategy& s : strategies()) {
    const int64_t n = s.kind == StrategyKind::example ? 12 : 36;
    Result<Program> program = invalid("no mesh");
    for (const char* mesh : {"row=2,col=3", "row=2,col=2", "row=2,col=2,depth=2"}) {
      program = s.plan(testing::mesh_of(mesh), {12, 24, n}, options);
      if (program.ok()) break;
    }
    ASSERT_TRUE(program.ok()) << s.id << ": " << program.error().text();
    const std::string text = print_program(*program);
    const std::string path =
        std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/engine/strategies/golden/" + std::string(s.id) + ".hlo";
    if (std::getenv("SHARDSCOPE_UPDATE") != nullptr) {
      std::ofstream(path) << text;
      continue;
    }
    std::ostringstream golden;
    golden << std::ifstream(path).rdbuf();
    EXPECT_EQ(text, golden.str()) << path;
  }
}

}  // namespace
}  // namespace shardscope::golden_test
