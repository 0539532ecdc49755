// SPDX-License-Identifier: Apache-2.0
// Sums between devices are added as their schedules add them.
#include "engine/numerics/plan/sum_order.h"

#include <bit>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/collectives/algorithm_table.h"
#include "engine/numerics/rules/interpreter.h"

namespace shardscope::sum_order_test {
namespace {

using Kind = CollectiveKind;
using Mask = uint64_t;

// Which ranks are in a sum; 0 when one of them is in it twice.
Mask summed(const SumProgram& program) {
  if (program.alone >= 0) return Mask{1} << program.alone;
  std::vector<Mask> slots(static_cast<size_t>(program.slots));
  for (const SumOp& op : program.ops) {
    const auto value = [&](int32_t which) {
      return which >= 0 ? Mask{1} << which : slots.at(static_cast<size_t>(~which));
    };
    const Mask a = value(op.kept), b = value(op.sent);
    slots.at(static_cast<size_t>(op.slot)) = (a & b) != 0 ? 0 : a | b;
  }
  return slots[0];
}

struct Group {
  int32_t ranks;
  GroupTopology topology;
};

std::vector<Group> groups() {
  std::vector<Group> out;
  for (int32_t ranks = 1; ranks <= 9; ++ranks) {
    out.push_back({ranks, {true, false, {}, 0, 0}});
    out.push_back({ranks, {false, false, {}, 0, 0}});
    out.push_back({ranks, {true, true, {}, 0, 0}});
  }
  out.push_back({16, {true, false, {{4, true}, {4, true}}, 0, 0}});
  out.push_back({24, {false, false, {{4, true}, {3, false}, {2, true}}, 0, 0}});
  out.push_back({16, {true, true, {}, 4, 0}});
  return out;
}

TEST(SumOrder, HoldsEveryRankOnceWhateverTheAlgorithm) {
  int orders = 0;
  for (const Group& group : groups()) {
    for (const Kind kind : {Kind::all_reduce, Kind::reduce_scatter, Kind::reduce}) {
      for (const AlgorithmRow& row : collective_algorithms()) {
        const auto schedule = lower(kind, row.id, group.ranks, group.topology, 1 << 22);
        if (!schedule.ok()) continue;
        const SumOrder order = SumOrder::of_schedule(**schedule);
        for (int32_t r = 0; r < (kind == Kind::reduce ? 1 : group.ranks); ++r) {
          int64_t next = 0;
          for (const SumPiece& piece : order.pieces(r)) {
            EXPECT_EQ(piece.first, next);
            next += piece.count;
            EXPECT_EQ(summed(order.program(piece.root)), (Mask{1} << group.ranks) - 1)
                << row.word << " " << name(kind) << " on " << group.ranks;
          }
          EXPECT_EQ(next, order.pieces(r).front().of);
        }
        ++orders;
      }
    }
  }
  EXPECT_GT(orders, 500);
}

TEST(SumOrder, RanksOfAnAllReduceShareOneSum) {
  for (const char* word :
       {"ring", "bidirectional", "doubling", "halving-doubling", "swing", "direct", "tree"}) {
    const auto schedule = lower(Kind::all_reduce, *parse_collective_algorithm(word), 8, {}, 1 << 20);
    const SumOrder order = SumOrder::of_schedule(**schedule);
    for (int32_t r = 1; r < 8; ++r) EXPECT_EQ(order.like(r), order.like(0)) << word;
  }
}

// Device d holds x[d]; sums over all four by `algorithm`, or in the order of the group.
std::vector<double> reduced(const std::string& opcode, const char* algorithm, const std::vector<double>& x) {
  const bool scatters = opcode == "reduce-scatter";
  const Result<Program> program = parse_program(fmt::format(
      "HloModule test, num_partitions=4\n"
      "add_bf16 {{\na = bf16[] parameter(0)\nb = bf16[] parameter(1)\nROOT s = bf16[] add(a, b)\n}}\n"
      "ENTRY main {{\nx = bf16[8] parameter(0)\nROOT r = bf16[{}] {}(x), channel_id=1, "
      "replica_groups={{{{0,1,2,3}}}}, use_global_device_ids=true, to_apply=add_bf16{}\n}}\n",
      scatters ? 2 : 8, opcode, scatters ? ", dimensions={0}" : ""));
  EXPECT_TRUE(program.ok()) << program.error().text();
  std::vector<ViewPtr> parameter;
  for (const double value : x) {
    Array array = Array::allocate(ElementType::bf16, {8});
    for (uint16_t& e : array.mutable_as<uint16_t>()) e = bf16_from_f64(value);
    parameter.push_back(std::make_shared<const View>(View::of(array)));
  }
  const Workers workers(2);
  Interpreter interpreter(*program, workers, false);
  if (algorithm != nullptr) {
    TimedCollective timed;
    timed.instruction = program->global_index(program->entry, program->entry_computation().root);
    timed.schedule =
        *lower(scatters ? Kind::reduce_scatter : Kind::all_reduce, *parse_collective_algorithm(algorithm), 4);
    interpreter.follow({timed});
  }
  const auto values = interpreter.run({parameter}, {});
  EXPECT_TRUE(values.ok());
  std::vector<double> out;
  for (const DeviceValue& value : *values) {
    const Array array = copy_of(*value.view);
    for (int64_t e = 0; e < array.element_count(); ++e) out.push_back(array.at(e));
    if (!scatters) break;
  }
  return out;
}

// bf16 keeps 8 bits: 256 + 1 is 256 (ties go to even), 2 + 256 is 258, 258 + 1 and 3 + 256 are 260.
TEST(SumOrder, ABf16SumRoundsWhereItsAlgorithmAdds) {
  const std::vector<double> x = {256, 1, 1, 1};
  EXPECT_EQ(reduced("all-reduce", nullptr, x), std::vector<double>(8, 256));
  // The sum of shard c sets out on rank c+1 and ends on rank c: those of 0 and 1 meet 256 late.
  const std::vector<double> one_way = {260, 260, 260, 260, 256, 256, 256, 256};
  EXPECT_EQ(reduced("all-reduce", "ring", x), one_way);
  EXPECT_EQ(reduced("reduce-scatter", "ring", x), one_way);
  // The second halves go down: that of shard c sets out on rank c-1, those of 0 and 3 meet 256 late.
  EXPECT_EQ(reduced("reduce-scatter", "bidirectional", x),
            (std::vector<double>{260, 260, 260, 256, 256, 256, 256, 260}));
  // (256 + 1) + (1 + 1).
  EXPECT_EQ(reduced("all-reduce", "doubling", x), std::vector<double>(8, 258));
}

TEST(SumOrder, AScatterAlongTheLastDimensionFindsItsColumns) {
  const Result<Program> program = parse_program(R"(HloModule test, num_partitions=2
add_f32 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[3,4] parameter(0)
  ROOT r = f32[3,2] reduce-scatter(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, dimensions={1}, to_apply=add_f32
}
)");
  ASSERT_TRUE(program.ok()) << program.error().text();
  Array array = Array::allocate(ElementType::f32, {3, 4});
  for (int64_t e = 0; e < 12; ++e) array.mutable_as<float>()[static_cast<size_t>(e)] = static_cast<float>(e);
  const auto x = std::make_shared<const View>(View::of(array));
  const Workers workers(1);
  Interpreter interpreter(*program, workers, false);
  TimedCollective timed;
  timed.instruction = program->global_index(program->entry, program->entry_computation().root);
  timed.schedule = *lower(Kind::reduce_scatter, CollectiveAlgorithm::ring, 2);
  interpreter.follow({timed});
  const auto values = interpreter.run({{x, x}}, {});
  ASSERT_TRUE(values.ok());
  std::vector<double> second;
  const Array part = copy_of(*(*values)[1].view);
  for (int64_t e = 0; e < 6; ++e) second.push_back(part.at(e));
  EXPECT_EQ(second, (std::vector<double>{4, 6, 12, 14, 20, 22}));
}

}  // namespace
}  // namespace shardscope::sum_order_test
