// SPDX-License-Identifier: Apache-2.0
// Dots that run together, or are added up between devices as they are made, give the bits of dots alone.
#include <gtest/gtest.h>

#include "engine/collectives/algorithm_table.h"
#include "engine/collectives/opcode_kind.h"
#include "engine/numerics/check/gather_result.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/numerics/rules/packed_matrices.h"
#include "engine/strategies/strategy.h"

namespace shardscope::joint_dots_test {
namespace {

using Parameters = std::vector<std::vector<ViewPtr>>;

std::vector<Array> run(Interpreter& interpreter, const Parameters& parameters) {
  std::vector<Array> arrays;
  const DeviceValues root = interpreter.run(parameters, {}).value();
  for (const DeviceValue& value : root) arrays.push_back(copy_of(*value.view));
  return arrays;
}

// Every sum between devices by this algorithm where it has one for the group.
std::vector<TimedCollective> schedules(const Program& program, CollectiveAlgorithm algorithm) {
  std::vector<TimedCollective> out;
  const Computation& entry = program.entry_computation();
  for (size_t n = 0; n < entry.instructions.size(); ++n) {
    const Instruction& i = entry.instructions[n];
    if (i.opcode != Opcode::all_reduce && i.opcode != Opcode::reduce_scatter) continue;
    const auto ranks = static_cast<int32_t>(device_groups(program, i).front().size());
    const auto schedule = lower(collective_kind(i).value(), algorithm, ranks);
    if (!schedule.ok()) continue;
    TimedCollective& timed = out.emplace_back();
    timed.instruction = program.global_index(program.entry, InstructionId(static_cast<int64_t>(n)));
    timed.schedule = *schedule;
  }
  return out;
}

TEST(JointDots, GiveTheBitsOfDotsAloneForEveryStrategy) {
  const Workers workers(2);
  int compared = 0;
  for (const char* mesh : {"row=2,col=4", "row=4,col=2", "row=3,col=3"}) {
    for (const ElementType type : {ElementType::f32, ElementType::f64, ElementType::s32}) {
      const MatmulProblem p{72, 144, 36, type, ElementType::f32};
      const auto data = make_problem_data({p, Fill::normal, 3, {}, {}, false}, workers, {});
      for (const Strategy& strategy : strategies()) {
        const auto program = strategy.plan(*Mesh::parse(mesh), p, {});
        if (strategy.kind != StrategyKind::matmul || !program.ok()) continue;
        const Parameters parameters =
            shard_inputs(*program, program_arrays(*program, **data, workers, {}).value(), workers, {})
                .value();
        for (const auto algorithm :
             {CollectiveAlgorithm::ring, CollectiveAlgorithm::bidirectional, CollectiveAlgorithm::doubling}) {
          Interpreter joint(*program, workers, false), alone(*program, workers, false);
          for (Interpreter* interpreter : {&joint, &alone})
            interpreter->follow(schedules(*program, algorithm));
          alone.bound_roundings();  // follows every instruction, so that none is part of another
          const std::vector<Array> expected = run(alone, parameters);
          for (int again = 0; again < 3; ++again)
            ASSERT_EQ(run(joint, parameters), expected) << strategy.id << ' ' << mesh << ' ' << name(type);
          ++compared;
        }
      }
    }
  }
  EXPECT_GE(compared, 500);
}

ComputationPlan plan_of(std::string_view strategy, const char* mesh, const MatmulProblem& p) {
  const Program program = (*find_strategy(strategy))->plan(*Mesh::parse(mesh), p, {}).value();
  return make_plan(program.entry_computation(), DotPlan::joint);
}

TEST(JointDots, AreThoseThatReadTheSameRightOperand) {
  const MatmulProblem p{64, 384, 1536, ElementType::f32, ElementType::f32};
  const ComputationPlan slices = plan_of("meshslice.rs", "row=2,col=4", p);
  ASSERT_EQ(slices.joint.size(), 1U);
  EXPECT_EQ(slices.joint.begin()->second.size(), 8U);
  EXPECT_TRUE(slices.joint.begin()->second.front().collective);
  const ComputationPlan ring = plan_of("wang.rs.isplit", "row=2,col=4", p);
  ASSERT_EQ(ring.joint.size(), 1U);
  EXPECT_EQ(ring.joint.begin()->second.size(), 7U);
  // Large ones run alone, whose results need not all be there at once.
  EXPECT_TRUE(
      plan_of("wang.rs.isplit", "row=2,col=4", {4096, 384, 1536, p.dtype, p.accumulate}).joint.empty());
}

TEST(JointDots, AreAddedUpBetweenDevicesOnlyWhereTheyAreOneSum) {
  const MatmulProblem p{64, 384, 1536, ElementType::f32, ElementType::f32};
  EXPECT_EQ(plan_of("collective.ls", "row=2,col=4", p).joint.size(), 1U);
  // 4096 / 4 of k are more than one sum in registers: the partial products round before they are added.
  EXPECT_TRUE(plan_of("collective.ls", "row=2,col=4", {64, 4096, 1536, p.dtype, p.accumulate}).joint.empty());
  // Rounded to bf16 before they travel.
  EXPECT_TRUE(plan_of("collective.ls", "row=2,col=4", {64, 384, 1536, ElementType::bf16, p.accumulate})
                  .joint.empty());
}

TEST(PackedMatrices, AreKeptFromTheSecondExecutionOnWhereTheyArePackedAgain) {
  Array array = Array::allocate(ElementType::f32, {8, 4}), other = Array::allocate(ElementType::f32, {8, 4});
  const std::vector<DeviceValues> parameters = {{{std::make_shared<const View>(View::of(array)), 0, {}}}};
  constexpr int64_t kRow[] = {0}, kColumn[] = {1};
  const MatrixView twice = matrix_view(View::of(array), kRow, kColumn),
                   once = matrix_view(*View::of(array).slice(0, 0, 4), kRow, kColumn),
                   elsewhere = matrix_view(View::of(other), kRow, kColumn);
  PackedMatrices packed;
  packed.begin(parameters, false);
  for (const MatrixView* matrix : {&twice, &once, &elsewhere, &elsewhere, &twice})
    EXPECT_EQ(packed.of(*matrix, OperandSide::right), nullptr);
  packed.end();
  packed.begin(parameters, true);
  const auto kept = packed.of(twice, OperandSide::right);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(packed.of(twice, OperandSide::right), kept);
  EXPECT_EQ(packed.of(twice, OperandSide::left), nullptr);
  EXPECT_EQ(packed.of(once, OperandSide::right), nullptr);
  EXPECT_EQ(packed.of(elsewhere, OperandSide::right), nullptr);
}

TEST(MatrixView, StackedMatricesLieBelowEachOther) {
  Array a = Array::allocate(ElementType::f32, {3, 6}), b = Array::allocate(ElementType::f32, {2, 6});
  for (size_t e = 0; e < 18; ++e) a.mutable_as<float>()[e] = static_cast<float>(e);
  for (size_t e = 0; e < 12; ++e) b.mutable_as<float>()[e] = static_cast<float>(100 + e);
  constexpr int64_t kRow[] = {0}, kColumn[] = {1};
  // The second one in two pieces, which are cut elsewhere than the first one's.
  const View front = *View::of(b).slice(1, 0, 2), back = *View::of(b).slice(1, 2, 6);
  const View whole = View::of(a), cut = *View::concatenate(std::vector<const View*>{&front, &back}, 1);
  const std::vector<std::shared_ptr<const MatrixView>> parts = {
      std::make_shared<MatrixView>(matrix_view(whole, kRow, kColumn)),
      std::make_shared<MatrixView>(matrix_view(cut, kRow, kColumn))};
  const MatrixView both = stacked(parts);
  ASSERT_EQ(both.rows, 5);
  ASSERT_EQ(both.columns, 6);
  for (int64_t r = 0; r < both.rows; ++r) {
    for (int64_t c = 0; c < both.columns; ++c) {
      const auto cell = [](const std::vector<int64_t>& starts, int64_t at) {
        return static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), at) - starts.begin()) - 1;
      };
      const size_t i = cell(both.row_starts, r), j = cell(both.column_starts, c);
      const MatrixView::Tile& tile = both.tile(i, j);
      const float value =
          reinterpret_cast<const float*>(tile.data)[(r - both.row_starts[i]) * tile.row_stride +
                                                    (c - both.column_starts[j]) * tile.column_stride];
      EXPECT_EQ(value, r < 3 ? static_cast<float>(6 * r + c) : static_cast<float>(100 + 6 * (r - 3) + c));
    }
  }
}

}  // namespace
}  // namespace shardscope::joint_dots_test
