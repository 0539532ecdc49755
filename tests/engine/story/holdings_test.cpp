// SPDX-License-Identifier: Apache-2.0
// Which pieces the value of each instruction is made of, on each device.
#include <gtest/gtest.h>

#include "tests/engine/story/held_pieces.h"
#include "tests/engine/story/told.h"

namespace shardscope::holdings_test {
namespace {

using story_test::HeldPiece;
using story_test::HeldPieces;

constexpr const char* kSum =
    "sum { sa = f32[] parameter(0)\n sb = f32[] parameter(1)\n ROOT ss = f32[] add(sa, sb) }\n";

std::string module_on(const std::string& mesh, const std::string& arrays, const std::string& lines) {
  return "HloModule m, frontend_attributes={shardscope.mesh=\"" + mesh + "\"," + arrays + "}\n" + kSum +
         "ENTRY main {\n" + lines + "\n}\n";
}

class Traced {
 public:
  explicit Traced(const std::string& text)
      : program_(*parse_program(text)), holdings_(*HeldPieces::of(program_)) {
    const auto verified = verify(program_);
    EXPECT_TRUE(verified.ok()) << (verified.ok() ? "" : verified.error().text());
  }
  const std::vector<HeldPiece>& at(const std::string& name, int64_t device) const {
    const auto& instructions = program_.entry_computation().instructions;
    for (size_t k = 0; k < instructions.size(); ++k)
      if (instructions[k].name == name)
        return holdings_.at(InstructionId(static_cast<int64_t>(k)), DeviceId(device));
    ADD_FAILURE() << "no " << name;
    return holdings_.at(InstructionId(0), DeviceId(0));
  }
  const Program& program() const { return program_; }
  bool overcounted() const { return holdings_.added_twice(); }

 private:
  Program program_;
  HeldPieces holdings_;
};

HeldPiece x_piece(IndexRange rows, IndexRange columns) {
  return {ArrayRole::lhs, {rows, columns}, 0, 0};
}
HeldPiece y_piece(IndexRange rows, IndexRange columns, int64_t covered, int64_t whole) {
  return {ArrayRole::product, {rows, columns}, covered, whole};
}
using Pieces = std::vector<HeldPiece>;

constexpr const char* kArrays = "shardscope.inputs=\"lhs [8,16] P(None,'a'); rhs [16,4] P('a',None)\"";

TEST(Holdings, AnAllGatherPutsTheShardsOfItsGroupTogether) {
  const Traced t(module_on("a=4", kArrays,
                           "x = f32[8,4] parameter(0)\n w = f32[4,4] parameter(1)\n"
                           "g = f32[8,16] all-gather(x), replica_groups={}, dimensions={1}\n"
                           "h = f32[8,8] all-gather(x), replica_groups={{3,0},{1,2}}, dimensions={1}"));
  EXPECT_EQ(t.at("x", 2), (Pieces{x_piece({0, 8}, {8, 12})}));
  EXPECT_EQ(t.at("g", 3), (Pieces{x_piece({0, 8}, {0, 16})}));
  // Group order counts: the shard of device 3 comes first, so these are two runs.
  EXPECT_EQ(t.at("h", 0), (Pieces{x_piece({0, 8}, {0, 4}), x_piece({0, 8}, {12, 16})}));
}

TEST(Holdings, AProductIsPartialUntilItIsSummedOverTheContraction) {
  const Traced t(
      module_on("a=4", kArrays,
                "x = f32[8,4] parameter(0)\n w = f32[4,4] parameter(1)\n"
                "d = f32[8,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                "ar = f32[8,4] all-reduce(d), replica_groups={}, to_apply=sum\n"
                "rs = f32[2,4] reduce-scatter(d), replica_groups={}, dimensions={0}, to_apply=sum\n"
                "half = f32[8,4] all-reduce(d), replica_groups={{0,2},{1,3}}, to_apply=sum"));
  EXPECT_EQ(t.at("d", 1), (Pieces{y_piece({0, 8}, {0, 4}, 4, 16)}));
  EXPECT_EQ(t.at("ar", 1), (Pieces{y_piece({0, 8}, {0, 4}, 16, 16)}));
  EXPECT_EQ(t.at("rs", 3), (Pieces{y_piece({6, 8}, {0, 4}, 16, 16)}));
  EXPECT_EQ(t.at("half", 0), (Pieces{y_piece({0, 8}, {0, 4}, 8, 16)}));
  EXPECT_FALSE(t.overcounted());
}

TEST(Holdings, SummingTheSameContractionTwiceIsSeen) {
  const Traced t(module_on("a=4", kArrays,
                           "x = f32[8,4] parameter(0)\n w = f32[4,4] parameter(1)\n"
                           "d = f32[8,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                           "twice = f32[8,4] add(d, d)"));
  EXPECT_TRUE(t.overcounted());
  EXPECT_EQ(t.at("twice", 0), (Pieces{y_piece({0, 8}, {0, 4}, 4, 16)}));
}

TEST(Holdings, AProductOfDifferentContractionIndicesIsNoPartOfY) {
  const Traced t(
      module_on("a=4", kArrays,
                "x = f32[8,4] parameter(0)\n w = f32[4,4] parameter(1)\n"
                "next = f32[8,4] collective-permute(x), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\n"
                "d = f32[8,4] dot(next, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
  EXPECT_EQ(t.at("next", 0), (Pieces{x_piece({0, 8}, {12, 16})}));
  EXPECT_TRUE(t.at("d", 0).empty());
}

// X travels around a ring of four; each device multiplies what it holds with the matching rows of the whole
// W, whose offset it computes from its own number, and adds into zeros.
TEST(Holdings, ARingThatMovesXCompletesY) {
  std::string lines =
      "x0 = f32[8,4] parameter(0)\n w = f32[4,4] parameter(1)\n"
      "W = f32[16,4] all-gather(w), replica_groups={}, dimensions={0}\n"
      "id = u32[] partition-id()\n i = s32[] convert(id)\n zero = s32[] constant(0)\n four = s32[] "
      "constant(4)\n"
      "z = f32[] constant(0)\n y0 = f32[8,4] broadcast(z), dimensions={}\n";
  for (int s = 0; s < 4; ++s) {
    const std::string n = std::to_string(s);
    const std::string next = std::to_string(s + 1);
    lines += "s" + n + " = s32[] constant(" + n + ")\n from" + n + " = s32[] subtract(i, s" + n + ")\n" +
             "rem" + n + " = s32[] remainder(from" + n + ", four)\n neg" + n + " = pred[] compare(rem" + n +
             ", zero), direction=LT\n up" + n + " = s32[] add(rem" + n + ", four)\n at" + n +
             " = s32[] select(neg" + n + ", up" + n + ", rem" + n + ")\n row" + n + " = s32[] multiply(at" +
             n + ", four)\n" + "b" + n + " = f32[4,4] dynamic-slice(W, row" + n +
             ", zero), dynamic_slice_sizes={4,4}\n d" + n + " = f32[8,4] dot(x" + n + ", b" + n +
             "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n y" + next + " = f32[8,4] add(y" + n +
             ", d" + n + ")\n x" + next + " = f32[8,4] collective-permute(x" + n +
             "), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\n";
  }
  const Traced t(module_on("a=4", kArrays, lines));
  for (int64_t device = 0; device < 4; ++device) {
    EXPECT_EQ(t.at("y2", device), (Pieces{y_piece({0, 8}, {0, 4}, 8, 16)}));
    EXPECT_EQ(t.at("y4", device), (Pieces{y_piece({0, 8}, {0, 4}, 16, 16)}));
  }
  EXPECT_FALSE(t.overcounted());
}

// MeshSlice: every device gives one strided slice; slices of both operands match for any mesh.
TEST(Holdings, StridedSlicesOfBothOperandsMatch) {
  std::string lines =
      "x = f32[4,8] parameter(0)\n w = f32[16,4] parameter(1)\n"
      "xs = f32[4,2,2,2] reshape(x)\n ws = f32[4,2,2,4] reshape(w)\n";
  for (int k = 0; k < 2; ++k) {
    const std::string n = std::to_string(k);
    const std::string range = "[" + n + ":" + std::to_string(k + 1) + "]";
    lines += "xk" + n + " = f32[4,2,1,2] slice(xs), slice={[0:4], [0:2], " + range + ", [0:2]}\n" + "xg" + n +
             " = f32[4,8,1,2] all-gather(xk" + n + "), replica_groups=[2,4]<=[8], dimensions={1}\n" + "xf" +
             n + " = f32[4,16] reshape(xg" + n + ")\n" + "wk" + n +
             " = f32[4,1,2,4] slice(ws), slice={[0:4], " + range + ", [0:2], [0:4]}\n" + "wg" + n +
             " = f32[8,1,2,4] all-gather(wk" + n + "), replica_groups=[4,2]<=[2,4]T(1,0), dimensions={0}\n" +
             "wf" + n + " = f32[16,4] reshape(wg" + n + ")\n" + "d" + n + " = f32[4,4] dot(xf" + n + ", wf" +
             n + "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  }
  lines += "y = f32[4,4] add(d0, d1)";
  const Traced t(module_on(
      "row=2,col=4", "shardscope.inputs=\"lhs [8,32] P('row','col'); rhs [32,16] P('row','col')\"", lines));
  EXPECT_EQ(t.at("xk1", 5), (Pieces{x_piece({4, 8}, {10, 12}), x_piece({4, 8}, {14, 16})}));
  EXPECT_EQ(t.at("xf0", 5).size(), 8u);
  EXPECT_EQ(t.at("xf0", 5)[1], x_piece({4, 8}, {4, 6}));
  EXPECT_EQ(t.at("d0", 6), (Pieces{y_piece({4, 8}, {8, 12}, 16, 32)}));
  EXPECT_EQ(t.at("y", 6), (Pieces{y_piece({4, 8}, {8, 12}, 32, 32)}));
  EXPECT_FALSE(t.overcounted());
}

TEST(Holdings, UpdatesReplaceWhatTheyCover) {
  const Traced t(module_on("a=4", kArrays,
                           "x = f32[8,4] parameter(0)\n w = f32[4,4] parameter(1)\n z = f32[] constant(0)\n"
                           "o = s32[] constant(0)\n c = s32[] constant(4)\n"
                           "b = f32[8,12] broadcast(z), dimensions={}\n"
                           "u = f32[8,12] dynamic-update-slice(b, x, o, c)\n"
                           "part = f32[8,6] slice(u), slice={[0:8], [2:8]}\n"
                           "cat = f32[8,10] concatenate(part, x), dimensions={1}\n"
                           "tr = f32[10,8] transpose(cat), dimensions={1,0}"));
  EXPECT_EQ(t.at("u", 1), (Pieces{x_piece({0, 8}, {4, 8})}));
  EXPECT_EQ(t.at("cat", 1), (Pieces{x_piece({0, 8}, {4, 8}), x_piece({0, 8}, {4, 8})}));
  EXPECT_EQ(t.at("tr", 1), t.at("cat", 1));
  EXPECT_TRUE(t.at("b", 0).empty());
}

TEST(Holdings, StoredTransposesAreMultipliedAlongTheirOwnContraction) {
  const Traced t(module_on(
      "a=2", "shardscope.inputs=\"lhs transposed [16,8] P('a'); rhs transposed [4,16] P(None,'a')\"",
      "x = f32[8,8] parameter(0)\n w = f32[4,8] parameter(1)\n"
      "d = f32[8,4] dot(x, w), lhs_contracting_dims={0}, rhs_contracting_dims={1}\n"
      "e = f32[4,8] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
  EXPECT_EQ(t.at("d", 1), (Pieces{y_piece({0, 8}, {0, 4}, 8, 16)}));
  EXPECT_EQ(t.at("e", 1), t.at("d", 1));
}

TEST(Holdings, ExchangeAndReshapesOfWholeGroupsAreFollowed) {
  const Traced t(module_on("a=4", "shardscope.inputs=\"lhs [16,8] P('a')\"",
                           "x = f32[4,8] parameter(0)\n"
                           "t = f32[4,8] all-to-all(x), replica_groups={}, dimensions={1}\n"
                           "one = f32[1,4,8] reshape(x)\n"
                           "g = f32[4,4,8] all-gather(one), replica_groups={}, dimensions={0}\n"
                           "s = f32[2,2,4,8] reshape(g)\n"
                           "whole = f32[16,8] reshape(s)"));
  EXPECT_EQ(t.at("t", 1).size(), 4u);
  EXPECT_EQ(t.at("t", 1)[2], x_piece({8, 12}, {2, 4}));
  EXPECT_EQ(t.at("whole", 3), (Pieces{x_piece({0, 16}, {0, 8})}));
}

TEST(Holdings, TooManyPiecesAreRefused) {
  // Every second column of a row of a million.
  const auto program =
      parse_program(module_on("a=1", "shardscope.inputs=\"lhs [2,1000000] P()\"",
                              "x = f32[2,1000000] parameter(0)\n r = f32[2,500000,2] reshape(x)\n"
                              "s = f32[2,500000,1] slice(r), slice={[0:2], [0:500000], [0:1]}\n"
                              "c = f32[2,500000,1] copy(s)"));
  ASSERT_TRUE(program.ok()) << program.error().text();
  std::string why;
  EXPECT_EQ(story_test::told("strided", *program, CollectiveAlgorithm::automatic, &why), nullptr);
  EXPECT_NE(why.find("too many pieces to follow"), std::string::npos) << why;
}

}  // namespace
}  // namespace shardscope::holdings_test
