// SPDX-License-Identifier: Apache-2.0
#include "engine/program/build/builder.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace shardscope::builder_test {
namespace {

Mesh mesh_of(const char* text) {
  return *Mesh::parse(text);
}

const MatmulProblem kProblem{24, 48, 96};

// The value of a scalar of the entry on one device.
int64_t evaluate(const Program& program, InstructionId id, int64_t device) {
  const Instruction& i = program.entry_computation().at(id);
  const auto operand = [&](size_t n) { return evaluate(program, i.operands.at(n), device); };
  switch (i.opcode) {
    case Opcode::partition_id:
      return device;
    case Opcode::constant:
      return std::stoll(i.literal);
    case Opcode::convert:
      return operand(0);
    case Opcode::add:
      return operand(0) + operand(1);
    case Opcode::multiply:
      return operand(0) * operand(1);
    case Opcode::divide:
      return operand(0) / operand(1);
    case Opcode::remainder:
      return operand(0) % operand(1);
    case Opcode::minimum:
      return std::min(operand(0), operand(1));
    case Opcode::maximum:
      return std::max(operand(0), operand(1));
    default:
      ADD_FAILURE() << i.name;
      return 0;
  }
}

// What `index` gives on every device: read back from the start of a dynamic-slice.
std::vector<int64_t> on_every_device(const char* mesh, const std::function<Index(SpmdBuilder&)>& index) {
  SpmdBuilder b("test", mesh_of(mesh), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("", ""));
  auto part = b.dynamic_slice(x, 1, index(b), 1);
  auto program = b.finish(part, ArrayRole::lhs, {24, 1}, P("", ""));
  EXPECT_TRUE(program.ok()) << program.error().text();
  std::vector<int64_t> values;
  for (int64_t d = 0; d < program->mesh.device_count(); ++d) {
    values.push_back(evaluate(*program, program->entry_computation().root_instruction().operands.at(2), d));
  }
  return values;
}

using Values = std::vector<int64_t>;

TEST(Index, IsTheDevicesCoordinate) {
  const auto index = [](const char* role) { return [role](SpmdBuilder& b) { return b.axis_index(role); }; };
  EXPECT_EQ(on_every_device("x=2,y=3", index("x")), (Values{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(on_every_device("x=2,y=3", index("y")), (Values{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(on_every_device("x=2,y=2,z=2", index("y")), (Values{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(on_every_device("x=4", index("x")), (Values{0, 1, 2, 3}));
}

TEST(Index, RemaindersAreNeverNegative) {
  const auto of = [](int64_t offset, int64_t modulus) {
    return [=](SpmdBuilder& b) { return (b.axis_index("x") + offset) % modulus; };
  };
  EXPECT_EQ(on_every_device("x=4", of(-1, 4)), (Values{3, 0, 1, 2}));
  EXPECT_EQ(on_every_device("x=4", of(-9, 4)), (Values{3, 0, 1, 2}));
  EXPECT_EQ(on_every_device("x=4", of(7, 4)), (Values{3, 0, 1, 2}));
  EXPECT_EQ(on_every_device("x=4", of(4, 4)), (Values{0, 1, 2, 3}));
  EXPECT_EQ(on_every_device("x=4", of(5, 3)), (Values{2, 0, 1, 2}));
  EXPECT_EQ(on_every_device("x=4", [](SpmdBuilder& b) { return (0 - b.axis_index("x")) % 4; }),
            (Values{0, 3, 2, 1}));
}

TEST(Index, IsBoundedOnEitherSide) {
  EXPECT_EQ(on_every_device("x=4", [](SpmdBuilder& b) { return min(b.axis_index("x") * 2, 3); }),
            (Values{0, 2, 3, 3}));
  EXPECT_EQ(on_every_device("x=4", [](SpmdBuilder& b) { return max(b.axis_index("x") - 2, -1); }),
            (Values{-1, -1, 0, 1}));
  EXPECT_EQ(on_every_device("x=4", [](SpmdBuilder& b) { return min(b.axis_index("x"), 3); }),
            (Values{0, 1, 2, 3}));
  EXPECT_EQ(on_every_device("x=4", [](SpmdBuilder& b) { return max(b.axis_index("x"), 2); }),
            (Values{2, 2, 2, 3}));
}

TEST(Index, ArithmeticOnTwoAxes) {
  EXPECT_EQ(on_every_device("x=2,y=3",
                            [](SpmdBuilder& b) {
                              const Index x = b.axis_index("x"), y = b.axis_index("y");
                              return 2 * ((x * 3 + y - 4) % 6) + 1;
                            }),
            (Values{5, 7, 9, 11, 1, 3}));
  EXPECT_EQ(on_every_device("x=4", [](SpmdBuilder& b) { return b.axis_index("x") * 3 - b.axis_index("x"); }),
            (Values{0, 2, 4, 6}));
}

TEST(Index, EqualScalarsAreWrittenOnce) {
  SpmdBuilder b("test", mesh_of("x=4"), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("", ""));
  auto first = b.dynamic_slice(x, 0, (b.axis_index("x") + 1) % 4 * 6, 6);
  auto second = b.dynamic_slice(x, 0, (b.axis_index("x") - 3) % 4 * 6, 6);
  const auto program = b.finish(first + second, ArrayRole::lhs, {6, 48}, P("", ""));
  ASSERT_TRUE(program.ok()) << program.error().text();
  const Instruction& sum = program->entry_computation().root_instruction();
  EXPECT_EQ(program->entry_computation().at(sum.operands[0]).operands,
            program->entry_computation().at(sum.operands[1]).operands);
}

TEST(SpmdBuilder, LeavesCollectivesOverOneDeviceOut) {
  SpmdBuilder b("test", mesh_of("x=1,y=4"), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("x", ""));
  x = b.all_gather(x, "x", 0);
  x = b.reduce_scatter(x, "x", 0);
  x = b.all_reduce(x, "x");
  x = b.shift(x, "x", 1);
  x = b.shift(x, "y", 4);
  const auto program = b.finish(x, ArrayRole::lhs, {24, 48}, P("", ""));
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->entry_computation().instructions.size(), 1u);
}

TEST(SpmdBuilder, GroupsFollowTheAxis) {
  SpmdBuilder b("test", mesh_of("x=2,y=3"), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("x", "y"));
  auto over_y = b.all_gather(x, "y", 1);
  auto over_x = b.all_gather(over_y, "x", 0);
  const auto program = b.finish(over_x, ArrayRole::lhs, {24, 48}, P("", ""));
  ASSERT_TRUE(program.ok());
  const auto& entry = program->entry_computation();
  const Instruction& last = entry.root_instruction();
  const Instruction& first = entry.at(last.operands[0]);
  EXPECT_EQ(tile_assignment_text(first.replica_groups->tiles), "[2,3]<=[6]");
  EXPECT_EQ(tile_assignment_text(last.replica_groups->tiles), "[3,2]<=[2,3]T(1,0)");
  EXPECT_NE(first.channel_id, last.channel_id);
  EXPECT_EQ(first.shape.dims, (std::vector<int64_t>{12, 48}));
}

TEST(SpmdBuilder, ReducersAreSharedByType) {
  SpmdBuilder b("test", mesh_of("x=2,y=3"), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("", ""));
  x = b.all_reduce(b.all_reduce(x, "y"), "x");
  const auto program = b.finish(x, ArrayRole::lhs, {24, 48}, P("", ""));
  ASSERT_TRUE(program.ok());
  ASSERT_EQ(program->computations.size(), 2u);
  EXPECT_EQ(program->computations[0].name, "add_f32");
}

TEST(SpmdBuilder, ShiftGoesRoundItsOwnAxis) {
  SpmdBuilder b("test", mesh_of("x=2,y=3"), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("x", "y"));
  x = b.shift(b.shift(x, "y", -1), "y", 2);
  const auto program = b.finish(x, ArrayRole::lhs, {24, 48}, P("x", "y"));
  ASSERT_TRUE(program.ok());
  const auto& entry = program->entry_computation();
  const auto& last = entry.root_instruction();
  const std::vector<SourceTarget> down = {{DeviceId(0), DeviceId(2)}, {DeviceId(1), DeviceId(0)},
                                          {DeviceId(2), DeviceId(1)}, {DeviceId(3), DeviceId(5)},
                                          {DeviceId(4), DeviceId(3)}, {DeviceId(5), DeviceId(4)}};
  EXPECT_EQ(last.permutation->pairs(), down);  // -1 and 2 are the same place on a ring of three
  EXPECT_EQ(last.permutation, entry.at(last.operands[0]).permutation);
}

struct Types {
  ElementType dtype, accumulate, product;
};

TEST(SpmdBuilder, ProductsAreHeldInTheAccumulationType) {
  using enum ElementType;
  for (const Types& t : {Types{bf16, f32, f32}, Types{bf16, bf16, bf16}, Types{f16, f32, f32},
                         Types{f32, bf16, f32}, Types{f64, f32, f64}, Types{s32, f32, s32}}) {
    MatmulProblem problem{24, 48, 96, t.dtype, t.accumulate};
    problem.sum = SumType::f32;
    SpmdBuilder b("test", mesh_of("x=2"), problem);
    auto x = b.input(ArrayRole::lhs, {24, 48}, P("", "x"));
    auto w = b.input(ArrayRole::rhs, {48, 96}, P("x", ""));
    auto y = b.all_reduce(matmul(x, w), "x");
    EXPECT_EQ(y.shape().type, t.product);
    EXPECT_EQ(b.zeros({2, 2}).shape().type, t.product);
    const auto program = b.finish(y, ArrayRole::product, {24, 96}, P("", ""));
    ASSERT_TRUE(program.ok()) << program.error().text();
    EXPECT_EQ(program->entry_computation().root_instruction().shape.type, t.dtype);
  }
}

TEST(SpmdBuilder, EinsumReadsAsItIsWritten) {
  SpmdBuilder b("test", mesh_of("x=2"), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("", ""));
  auto w = b.input(ArrayRole::rhs, {96, 48}, P("", ""), true);
  EXPECT_EQ(einsum("mk,nk->mn", x, w).shape().dims, (std::vector<int64_t>{24, 96}));
  auto blocks = b.reshape(w, {12, 4, 2, 48});
  EXPECT_EQ(einsum("mk,gsbk->mgsb", x, blocks).shape().dims, (std::vector<int64_t>{24, 12, 4, 2}));
}

TEST(SpmdBuilder, NothingPlusXIsX) {
  SpmdBuilder b("test", mesh_of("x=2"), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("", ""));
  Value sum;
  sum = sum + x;
  const auto program = b.finish(sum, ArrayRole::lhs, {24, 48}, P("", ""));
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->entry_computation().instructions.size(), 1u);
}

TEST(SpmdBuilder, SlicesAtAConstantAreClampedLikeHlo) {
  SpmdBuilder b("test", mesh_of("x=2"), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("", ""));
  const auto program = b.finish(b.dynamic_slice(x, 0, 20, 6), ArrayRole::lhs, {6, 48}, P("", ""));
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->entry_computation().root_instruction().slice[0], (SliceDim{18, 24, 1}));
}

TEST(SpmdBuilder, StepsAndPhasesAreRememberedAndScalarsBelongToNone) {
  SpmdBuilder b("test", mesh_of("x=4"), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("", ""));
  b.phase("pick");
  b.step(3);
  const auto program =
      b.finish(b.dynamic_slice(x, 0, b.axis_index("x") * 6, 6), ArrayRole::lhs, {24, 48}, P("x", ""));
  ASSERT_TRUE(program.ok());
  const auto& entry = program->entry_computation();
  EXPECT_EQ(entry.root_instruction().provenance, (Provenance{3, "pick"}));
  for (const Instruction& i : entry.instructions) {
    if (i.shape.rank() == 0) {
      EXPECT_EQ(i.provenance, Provenance{}) << i.name;
    }
  }
}

// What a collective or a product does is its name, by what its arrays are called and how they are split.
TEST(SpmdBuilder, OperationsSayThemselvesUnlessAPhaseDoes) {
  SpmdBuilder b("test", mesh_of("row=2,col=4"), kProblem);
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("nk", P("row", "col"));
  auto Y = b.reduce_scatter(einsum("mk,nk->mn", X, b.all_gather(W, "row", 0)), "col", 1);
  b.makes("Z");
  auto Z = matmul(b.all_gather(b.stored(Y), "col", 1), b.zeros({96, 8}));
  b.step(0);
  Z = Z + matmul(Z, b.zeros({8, 8}));
  Z = b.shift(Z, "row", -1);
  b.phase("something else");
  Z = b.shift(Z, "col", 2);
  b.end_steps();
  Z = b.all_reduce(Z, "col");
  const auto program = b.finish(Z, ArrayRole::product, {24, 8}, P("row", ""));
  ASSERT_TRUE(program.ok()) << program.error().text();
  std::vector<std::string> said;
  for (const Instruction& i : program->entry_computation().instructions) {
    if (i.opcode == Opcode::dot || is_collective(i.opcode)) said.push_back(i.provenance->op_name);
  }
  EXPECT_EQ(said, (std::vector<std::string>{"gather W over row", "partial Y = X Wt", "scatter Y over col",
                                            "gather Y over col", "Z = Y Z", "Z += Z Z", "Z up by 1",
                                            "something else", "add Z up over col"}));
}

// Several axes at once: the first is the most significant, as in a spec.
TEST(SpmdBuilder, GathersOverSeveralAxesAtOnce) {
  SpmdBuilder b("test", mesh_of("x=2,y=2,z=2"), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, {{{"z", "x"}, {}}});
  auto program =
      b.finish(b.all_gather(x, std::vector<std::string>{"z", "x"}, 0), ArrayRole::lhs, {24, 48}, P("", ""));
  ASSERT_TRUE(program.ok()) << program.error().text();
  const Instruction& gather = program->entry_computation().root_instruction();
  EXPECT_EQ(gather.replica_groups->tiles.devices, (std::vector<int64_t>{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(gather.provenance->op_name, "gather X over z,x");
}

TEST(SpmdBuilder, TheFirstErrorSticks) {
  SpmdBuilder b("cannon", mesh_of("row=2,col=4"), kProblem);
  b.require(b.size("row") == b.size("col"), "needs a square mesh, got row=2, col=4");
  b.require(false, "needs nothing else");
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("row", "col"));
  auto w = b.input(ArrayRole::rhs, {48, 96}, P("row", "col"));
  // A strategy need not look: what follows does nothing.
  auto y = matmul(x, w) + b.zeros({1, 1});
  y = b.dynamic_slice(y, 1, (b.axis_index("col") - 1) % 4 * y.dim(0), 3);
  y = b.shift(b.all_gather(b.concatenate({y, x}, 0), "row", 0), "col", 1);
  const auto program = b.finish(y, ArrayRole::product, {24, 96}, P("row", "col"));
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().text(), "cannon: needs a square mesh, got row=2, col=4");
}

TEST(SpmdBuilder, RolesStandForTheUsersAxes) {
  SpmdBuilder b("test", mesh_of("a=4,b=2"), kProblem, {{"row", "b"}, {"col", "a"}});
  EXPECT_EQ(b.size("row"), 2);
  EXPECT_EQ(b.axis("col"), "a");
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("row", "col"));
  EXPECT_EQ(x.shape().dims, (std::vector<int64_t>{12, 12}));
  const auto program = b.finish(x, ArrayRole::lhs, {24, 48}, P("row", "col"));
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->inputs[0].spec, P("b", "a"));
}

TEST(SpmdBuilder, RefusesADimensionThatItsAxesDoNotDivide) {
  SpmdBuilder b("test", mesh_of("x=2,y=4"), {10, 12, 8});
  b.input(ArrayRole::lhs, {10, 12}, {{{"x", "y"}, {}}});
  EXPECT_EQ(b.finish(Value(), ArrayRole::lhs, {10, 12}, P("", "")).error().text(),
            "test: m must be divisible by x*y, got m=10, x=2, y=4");
}

TEST(SpmdBuilder, RefusesAnAxisThatTheMeshDoesNotHave) {
  SpmdBuilder b("test", mesh_of("x=2"), kProblem);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("col", ""));
  EXPECT_EQ(b.finish(x, ArrayRole::lhs, {24, 48}, P("", "")).error().text(),
            "test: needs a mesh axis for col, got x=2");
}

}  // namespace
}  // namespace shardscope::builder_test
