// SPDX-License-Identifier: Apache-2.0
// What depends on where a device stands: roots of broadcasts and sums, permutes by place, arrays on one
// layer.
#include <gtest/gtest.h>

#include "engine/program/analysis/analysis.h"
#include "engine/program/build/builder.h"
#include "tests/engine/story/held_pieces.h"

namespace shardscope::placement_test {
namespace {

const MatmulProblem kProblem{24, 48, 96};

Mesh mesh_of(const char* text) {
  return *Mesh::parse(text);
}

// The one collective of a program that moves x by `move` and has it whole on every device.
template <class Move>
Program moved(const char* mesh, Move move) {
  SpmdBuilder b("test", mesh_of(mesh), kProblem, {{"row", "x"}, {"col", "y"}});
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("", ""));
  auto program = b.finish(move(b, x), ArrayRole::lhs, {24, 48}, P("", ""));
  EXPECT_TRUE(program.ok()) << program.error().text();
  return *program;
}

std::vector<std::vector<int64_t>> groups_of(const Program& program) {
  std::vector<std::vector<int64_t>> groups;
  for (const auto& group : device_groups(program, program.entry_computation().root_instruction())) {
    groups.emplace_back();
    for (const DeviceId d : group) groups.back().push_back(d.value);
  }
  return groups;
}

using Groups = std::vector<std::vector<int64_t>>;

TEST(MeshPlace, IsReadAndMovedByRoles) {
  const Mesh mesh = mesh_of("a=2,b=3");
  const std::map<std::string, std::string> roles = {{"row", "b"}, {"col", "a"}};
  const MeshPlace at(mesh, roles, DeviceId(5));  // a=1, b=2
  EXPECT_EQ(at["row"], 2);
  EXPECT_EQ(at["col"], 1);
  EXPECT_EQ(at.moved("row", 1).device(), DeviceId(3));
  EXPECT_EQ(at.moved("row", -4).device(), DeviceId(4));
  EXPECT_EQ(at.at("col", 0).at("row", 1).device(), DeviceId(1));
}

TEST(Broadcast, GroupsBeginWithTheRootAndGoRoundTheAxis) {
  const Program over_col = moved("x=2,y=3", [](SpmdBuilder& b, Value x) { return b.broadcast(x, "col", 1); });
  const Instruction& i = over_col.entry_computation().root_instruction();
  EXPECT_EQ(i.opcode, Opcode::collective_broadcast);
  EXPECT_EQ(groups_of(over_col), (Groups{{1, 2, 0}, {4, 5, 3}}));
  EXPECT_EQ(collective_axes(over_col, i), std::vector<std::string>{"y"});
}

TEST(Broadcast, TheRootMayDependOnTheGroup) {
  const auto diagonal = [](SpmdBuilder& b, Value x) {
    return b.broadcast(x, "col", [](const MeshPlace& at) { return (at["row"] + 2) % 3; });
  };
  EXPECT_EQ(groups_of(moved("x=3,y=3", diagonal)), (Groups{{2, 0, 1}, {3, 4, 5}, {7, 8, 6}}));
}

TEST(Reduce, IsAnAllReduceThatOnlyTheRootUses) {
  const Program program = moved("x=3,y=2", [](SpmdBuilder& b, Value x) { return b.reduce(x, "row", 2); });
  const Instruction& i = program.entry_computation().root_instruction();
  EXPECT_EQ(i.opcode, Opcode::all_reduce);
  EXPECT_TRUE(i.rooted);
  EXPECT_EQ(groups_of(program), (Groups{{4, 0, 2}, {5, 1, 3}}));
  EXPECT_EQ(reducer_opcode(program, i), Opcode::add);
}

TEST(Permute, SendsToTheGivenPlaceAndIsSharedWhenRepeated) {
  const auto mirrored = [](const MeshPlace& at) { return at.at("row", at["col"]).at("col", at["row"]); };
  const Program program =
      moved("x=2,y=2", [&](SpmdBuilder& b, Value x) { return b.permute(b.permute(x, mirrored), mirrored); });
  const Computation& entry = program.entry_computation();
  const Instruction& last = entry.root_instruction();
  EXPECT_EQ(last.permutation->target_of(DeviceId(1)), DeviceId(2));
  EXPECT_EQ(last.permutation->source_of(DeviceId(3)), DeviceId(3));  // keeps its own
  EXPECT_EQ(last.permutation, entry.at(last.operands[0]).permutation);
}

TEST(Placement, WhatWouldChangeNothingIsLeftOut) {
  const Program program = moved("x=1,y=4", [](SpmdBuilder& b, Value x) {
    x = b.reduce(b.broadcast(x, "row", 0), "row", 0);
    return b.permute(x, [](const MeshPlace& at) { return at.moved("col", 4 * at["row"] - 8); });
  });
  EXPECT_EQ(program.entry_computation().instructions.size(), 1u);
}

Program on_layer_one() {
  SpmdBuilder b("layers", mesh_of("x=2,z=2"), kProblem, {{"depth", "z"}});
  b.home("depth", 1);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("x", ""));
  auto w = b.input(ArrayRole::rhs, {48, 96}, P("", ""));
  x = b.broadcast(x, "depth", 1);
  w = b.broadcast(w, "depth", 1);
  auto y = matmul(x, w);
  b.after({y});
  auto program = b.finish(b.reduce(y, "depth", 1), ArrayRole::product, {24, 96}, P("x", ""));
  EXPECT_TRUE(program.ok()) << program.error().text();
  return *program;
}

TEST(Home, InputsAndResultsAreHeldOnOneLayer) {
  const Program program = on_layer_one();
  ASSERT_EQ(program.inputs[0].home.size(), 1u);
  EXPECT_EQ(program.inputs[0].home[0], (HomeCoordinate{"z", 1}));
  EXPECT_EQ(program.output->home, program.inputs[1].home);
  EXPECT_TRUE(is_home(program.mesh, *program.output, DeviceId(3)));
  EXPECT_FALSE(is_home(program.mesh, *program.output, DeviceId(2)));
}

TEST(Home, OneLayerIsAllDevices) {
  SpmdBuilder b("layers", mesh_of("x=2,z=1"), kProblem, {{"depth", "z"}});
  b.home("depth", 0);
  auto x = b.input(ArrayRole::lhs, {24, 48}, P("x", ""));
  EXPECT_TRUE(b.finish(x, ArrayRole::lhs, {24, 48}, P("x", ""))->inputs[0].home.empty());
}

TEST(Home, HoldingsBeginAndEndThere) {
  const Program program = on_layer_one();
  const auto holdings = story_test::HeldPieces::of(program);
  ASSERT_TRUE(holdings.ok());
  const Computation& entry = program.entry_computation();
  EXPECT_TRUE(holdings->at(InstructionId(0), DeviceId(0)).empty());
  EXPECT_EQ(holdings->at(InstructionId(0), DeviceId(1)).size(), 1u);
  EXPECT_TRUE(holdings->at(entry.root, DeviceId(2)).empty());
  ASSERT_EQ(holdings->at(entry.root, DeviceId(3)).size(), 1u);
  // Both layers have made the whole product, so the sum counts every term twice: it is seen.
  EXPECT_TRUE(holdings->added_twice());
}

TEST(PlacementText, ReadsBackEqual) {
  const Program program = on_layer_one();
  const std::string text = print_program(program);
  EXPECT_NE(text.find("lhs [24,48] P('x',None) home=z:1"), std::string::npos) << text;
  EXPECT_NE(text.find("shardscope.rooted=\"true\""), std::string::npos) << text;
  EXPECT_NE(text.find("replica_groups={{1,0},{3,2}}"), std::string::npos) << text;
  EXPECT_NE(text.find("control-predecessors={%dot.1}"), std::string::npos) << text;
  const auto again = parse_program(text);
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(*again, program);
}

TEST(PlacementText, RefusesAHomeThatIsNone) {
  const auto refusal = [](const char* home) {
    const auto program = parse_program(
        std::string("HloModule m, frontend_attributes={shardscope.mesh=\"x=2,z=2\",shardscope.inputs=\"lhs "
                    "[8,8] P('x') home=") +
        home + "\"}\nENTRY e { ROOT p = f32[4,8] parameter(0) }");
    if (!program.ok()) return program.error().text();
    const auto verified = verify(*program);
    return verified.ok() ? std::string("accepted") : verified.error().what;
  };
  EXPECT_EQ(refusal("z:1"), "accepted");
  EXPECT_EQ(refusal("z:2"), "parameter 'p' is at home on z=2, expected a coordinate of mesh x=2,z=2");
  EXPECT_EQ(refusal("y:0"), "parameter 'p' is at home on y=0, expected a coordinate of mesh x=2,z=2");
  EXPECT_EQ(refusal("x:0"), "parameter 'p' is at home on one coordinate of x and split over it");
}

TEST(Verify, RefusesRootsAndControlThatCannotBe) {
  Program program = on_layer_one();
  ASSERT_TRUE(verify(program).ok());
  Computation& entry = program.computations.back();
  Program late = program;
  late.computations.back().instructions[2].control_predecessors = {InstructionId(4)};
  EXPECT_EQ(verify(late).error().what,
            "collective-broadcast 'collective-broadcast.1': waits for an instruction that is not before it");
  entry.instructions[2].rooted = true;
  EXPECT_EQ(verify(program).error().what,
            "collective-broadcast 'collective-broadcast.1': is rooted, expected an all-reduce");
}

}  // namespace
}  // namespace shardscope::placement_test
