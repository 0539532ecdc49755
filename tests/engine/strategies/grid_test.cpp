// SPDX-License-Identifier: Apache-2.0
// SUMMA, Cannon, Fox, 2.5D and 3D: what they refuse, what they choose, and what waits for what.
#include <set>

#include "tests/engine/strategies/planned.h"

namespace shardscope::grid_test {
namespace {

using testing::refusal;

TEST(GridRefusals, CannonAndFoxNeedASquare) {
  for (const std::string id : {"cannon.os", "cannon.ls", "cannon.rs", "cannon.bidirectional", "fox"}) {
    EXPECT_EQ(refusal(id, "row=2,col=4", 8, 8, 8), id + ": needs a square mesh, got row=2, col=4");
    EXPECT_EQ(refusal(id, "x=3,y=1", 9, 9, 9), id + ": needs a square mesh, got x=3, y=1");
  }
  EXPECT_EQ(refusal("cannon.bidirectional", "row=2,col=2", 8, 6, 8),
            "cannon.bidirectional: k/cols must be even, got 3");
  EXPECT_EQ(refusal("cannon.os", "row=2,col=2", 7, 8, 8),
            "cannon.os: m must be divisible by rows, got m=7, rows=2");
}

TEST(GridRefusals, RectangularCannonNeedsTheVirtualTorus) {
  EXPECT_EQ(refusal("cannon.rect", "row=2,col=3", 6, 12, 10),
            "cannon.rect: n must be divisible by lcm(rows,cols), got n=10, lcm(rows,cols)=6");
  EXPECT_EQ(
      refusal("cannon.rect", "row=31,col=32", 992, 992, 992),
      "cannon.rect: needs a mesh whose sides share more factors, got lcm(rows,cols)=992, 984064 products a "
      "device");
}

TEST(GridRefusals, LayersMustDivideTheSquare) {
  EXPECT_EQ(refusal("2.5d", "row=4,col=2,depth=2", 8, 8, 8),
            "2.5d: needs a square mesh in every layer, got row=4, col=2");
  EXPECT_EQ(refusal("2.5d", "row=4,col=4,depth=3", 8, 8, 8),
            "2.5d: depth must divide rows, got depth=3, rows=4");
  EXPECT_EQ(refusal("2.5d", "row=4,col=4", 8, 8, 8),
            "2.5d: needs 3 mesh axes (row, col, depth), got row=4,col=4");
  EXPECT_EQ(refusal("3d", "row=2,col=2,depth=3", 8, 8, 12),
            "3d: k must be divisible by depth*cols, got k=8, depth=3, cols=2");
  EXPECT_EQ(refusal("3d", "row=2,col=2,depth=3", 8, 12, 8),
            "3d: n must be divisible by cols*depth, got n=8, cols=2, depth=3");
}

TEST(GridRefusals, SummaNeedsPanelsOnOneDevice) {
  StrategyOptions options;
  options.block = 8;
  EXPECT_EQ(refusal("summa.os", "row=2,col=4", 8, 48, 8, options),
            "summa.os: block must divide k/cols and k/rows, got block=8, k/cols=12, k/rows=24");
  EXPECT_EQ(refusal("summa.ls", "row=2,col=4", 8, 8, 48, options),
            "summa.ls: block must divide n/cols and n/rows, got block=8, n/cols=12, n/rows=24");
  EXPECT_EQ(refusal("summa.rs", "row=2,col=4", 48, 8, 8, options),
            "summa.rs: block must divide m/cols and m/rows, got block=8, m/cols=12, m/rows=24");
  options.block = 0;
  EXPECT_EQ(refusal("summa.os", "row=2,col=4", 8, 48, 8, options), "summa.os: block must be positive, got 0");
}

std::string chosen(const Program& program, const std::string& name) {
  for (const auto& [key, value] : program.choices)
    if (key == name) return value;
  return "";
}

TEST(Summa, PanelsAreAsWideAsLegalUpTo512) {
  const auto width = [](const char* mesh, int64_t k) {
    return chosen(*testing::plan("summa.os", testing::mesh_of(mesh), {96, k, 96}), "block");
  };
  EXPECT_EQ(width("row=4,col=4", 4096), "512");
  EXPECT_EQ(width("row=2,col=4", 48), "12");
  EXPECT_EQ(width("row=2,col=3", 600), "100");  // of 200 and 300 columns
  EXPECT_EQ(width("row=1,col=1", 127), "127");
}

TEST(Grid, ProgramsOfBigProblemsStaySmall) {
  for (const char* id : {"summa.os", "summa.ls", "summa.rs", "cannon.os", "cannon.ls", "cannon.rs",
                         "cannon.bidirectional", "cannon.rect", "fox"}) {
    const auto program = testing::plan(id, testing::mesh_of("row=4,col=4"), {4096, 4096, 4096});
    ASSERT_TRUE(program.ok()) << id;
    EXPECT_LT(program->instruction_count(), 300) << id;
  }
}

TEST(Grid, ReplicationAndHomeOfTwoAndAHalfDimensions) {
  const auto program = testing::plan("2.5d", testing::mesh_of("x=4,y=4,z=2"), {16, 32, 48});
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_EQ(chosen(*program, "replication"), "2");
  EXPECT_EQ(program->output->home, (std::vector<HomeCoordinate>{{"z", 0}}));
  EXPECT_EQ(testing::count(*program, Opcode::dot), 2);  // q/c of Cannon's q steps
}

// All instructions that `id` waits for, through operands and control.
std::set<int64_t> waits_for(const Computation& entry, InstructionId id) {
  std::set<int64_t> all;
  std::vector<InstructionId> open{id};
  while (!open.empty()) {
    const Instruction& i = entry.at(open.back());
    open.pop_back();
    for (const auto* before : {&i.operands, &*i.control_predecessors})
      for (const InstructionId earlier : *before)
        if (all.insert(earlier.value).second) open.push_back(earlier);
  }
  return all;
}

// What X and W send for step s overlaps the product of step s-1, and takes the room of step s-2.
TEST(Grid, TransfersOfAStepWaitForTheProductBeforeThePrevious) {
  for (const std::string id :
       {"summa.os", "cannon.os", "cannon.bidirectional", "cannon.rect", "fox", "2.5d"}) {
    StrategyOptions options;
    options.block = 4;
    const auto program = testing::plan(
        id, testing::mesh_of(id == "2.5d" ? "row=4,col=4,depth=1" : "row=4,col=4"), {16, 32, 48}, options);
    ASSERT_TRUE(program.ok()) << program.error().text();
    const Computation& entry = program->entry_computation();
    int checked = 0;
    for (size_t k = 0; k < entry.instructions.size(); ++k) {
      const Instruction& i = entry.instructions[k];
      const int32_t step = i.provenance->step;
      if (!is_collective(i.opcode) || step < 2) continue;
      int32_t latest = -1;
      for (const int64_t earlier : waits_for(entry, InstructionId(static_cast<int64_t>(k)))) {
        const Instruction& e = entry.instructions[static_cast<size_t>(earlier)];
        if (e.opcode == Opcode::dot) latest = std::max(latest, e.provenance->step);
      }
      EXPECT_EQ(latest, step - 2) << id << " " << i.name;
      ++checked;
    }
    EXPECT_GE(checked, 4) << id;
  }
}

// Every instruction that costs something says what the paper calls it; the steps count from 0.
TEST(Grid, EveryInstructionHasAPhase) {
  for (const char* id : {"summa.os", "summa.ls", "summa.rs", "cannon.os", "cannon.ls", "cannon.rs",
                         "cannon.bidirectional", "cannon.rect", "fox", "2.5d", "3d"}) {
    const auto program = testing::plan(id, testing::mesh_of("row=2,col=2,depth=2"), {16, 32, 48});
    ASSERT_TRUE(program.ok()) << program.error().text();
    for (const Instruction& i : program->entry_computation().instructions) {
      if (is_free(i)) continue;
      EXPECT_FALSE(i.provenance->op_name.empty()) << id << " " << i.name;
    }
  }
}

}  // namespace
}  // namespace shardscope::grid_test
