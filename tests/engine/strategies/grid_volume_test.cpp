// SPDX-License-Identifier: Apache-2.0
// SUMMA, Cannon, Fox, 2.5D and 3D: what a device sends over each axis in the mean, written out from the
// papers.
#include <numeric>

#include "tests/engine/strategies/planned.h"

namespace shardscope::grid_volume_test {
namespace {

using Sent = std::map<std::string, double>;

// Shares of the three matrices that a device holds, and the sides of the mesh.
struct Sizes {
  double X, W, Y;
  double R, C;
};

Sizes sizes(const MatmulProblem& p, int64_t R, int64_t C, int64_t depth = 1) {
  const auto share = [&](int64_t rows, int64_t cols) {
    return static_cast<double>(rows * cols) / static_cast<double>(R * C * depth);
  };
  return {share(p.m, p.k), share(p.k, p.n), share(p.m, p.n), static_cast<double>(R), static_cast<double>(C)};
}

void expect_volume(const std::string& id, const Mesh& mesh, const MatmulProblem& p, const Sent& expected,
                   const StrategyOptions& options = {}) {
  const auto program = testing::plan(id, mesh, p, options);
  ASSERT_TRUE(program.ok()) << program.error().text();
  Sent sent = testing::sent_by_axis(*program);
  for (const auto& [axis, elements] : expected)
    EXPECT_NEAR(sent[axis], elements, 1e-9 * elements) << id << " over " << axis << " of " << mesh.text();
  for (const auto& [axis, elements] : sent)
    EXPECT_TRUE(expected.contains(axis) || elements == 0) << id << " over " << axis;
  EXPECT_EQ(testing::flops_per_device(*program), p.flops() / static_cast<double>(mesh.device_count())) << id;
}

class GridVolume : public ::testing::TestWithParam<testing::MeshSize> {};

// A chain sends each panel on from all members of a group but the last: n-1 times. All panels together are
// one matrix, so that the sum does not depend on b and equals that of whole collectives.
TEST_P(GridVolume, SummaSendsEachPanelAlongItsGroup) {
  const auto [R, C] = GetParam();
  const int64_t L = std::lcm(R, C);
  const MatmulProblem p{4 * L, 8 * L, 12 * L};
  const Sizes s = sizes(p, R, C);
  for (const int64_t width : {1, 2, 4}) {
    StrategyOptions options;
    options.block = width;
    expect_volume("summa.os", testing::row_col(GetParam()), p,
                  {{"row", (s.R - 1) * s.W}, {"col", (s.C - 1) * s.X}}, options);
    expect_volume("summa.ls", testing::row_col(GetParam()), p,
                  {{"row", (s.R - 1) * s.W}, {"col", (s.C - 1) * s.Y}}, options);
    expect_volume("summa.rs", testing::row_col(GetParam()), p,
                  {{"row", (s.R - 1) * s.Y}, {"col", (s.C - 1) * s.X}}, options);
  }
}

// What travels is sent q-1 times after a skew (or before an unskew) that leaves one row or column as it is.
TEST_P(GridVolume, CannonSendsItsSkewAndThenABlockAStep) {
  const auto [R, C] = GetParam();
  if (R != C) return;
  const MatmulProblem p{4 * R, 8 * R, 12 * R};
  const Sizes s = sizes(p, R, C);
  const double times = (s.R - 1) / s.R + (s.R - 1);
  const Mesh mesh = testing::row_col(GetParam());
  for (const char* id : {"cannon.os", "cannon.bidirectional", "cannon.rect"})
    expect_volume(id, mesh, p, {{"row", times * s.W}, {"col", times * s.X}});
  expect_volume("cannon.ls", mesh, p, {{"row", times * s.W}, {"col", times * s.Y}});
  expect_volume("cannon.rs", mesh, p, {{"row", times * s.Y}, {"col", times * s.X}});
  expect_volume("fox", mesh, p, {{"row", (s.R - 1) * s.W}, {"col", (s.R - 1) * s.X}});
}

// A step sends what crosses the border of a device: one virtual block column of X, one block row of W. The
// skew sends a virtual block as often as it does not stay on its device.
TEST_P(GridVolume, RectangularCannonSendsBordersOnly) {
  const auto [R, C] = GetParam();
  const int64_t L = std::lcm(R, C), tall = L / R, wide = L / C;
  const MatmulProblem p{4 * L, 8 * L, 12 * L};
  const Sizes s = sizes(p, R, C);
  const auto skewed = [L = L](int64_t lines, int64_t tall_, int64_t wide_, int64_t across) {
    int64_t blocks = 0;  // of all lines of devices: line I moves I virtual blocks
    for (int64_t I = 0; I < L; ++I)
      for (int64_t v = 0; v < wide_; ++v) blocks += (I + v) / wide_ % across != 0 ? 1 : 0;
    return static_cast<double>(blocks) / static_cast<double>(lines * tall_ * wide_);
  };
  const double steps = static_cast<double>(L - 1);
  const double of_X = C > 1 ? steps / static_cast<double>(wide) + skewed(R, tall, wide, C) : 0;
  const double of_W = R > 1 ? steps / static_cast<double>(tall) + skewed(C, wide, tall, R) : 0;
  expect_volume("cannon.rect", testing::row_col(GetParam()), p, {{"row", of_W * s.W}, {"col", of_X * s.X}});
}

INSTANTIATE_TEST_SUITE_P(Meshes, GridVolume, ::testing::ValuesIn(testing::kMeshes), [](const auto& mesh) {
  return std::to_string(mesh.param.rows) + "x" + std::to_string(mesh.param.cols);
});

struct Box {
  int64_t x, y, z;
  std::string text() const {
    return "row=" + std::to_string(x) + ",col=" + std::to_string(y) + ",depth=" + std::to_string(z);
  }
};

// Solomonik & Demmel: blocks of layer 0 are q² parts of a matrix; copies go up a chain of c layers, sums come
// down it, and in between each layer does q/c of Cannon's steps.
TEST(LayerVolume, OfTwoAndAHalfDimensions) {
  for (const auto& [q, c] :
       {std::pair<int64_t, int64_t>{1, 1}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {4, 4}, {6, 2}, {6, 3}, {3, 3}}) {
    const MatmulProblem p{4 * q, 8 * q, 12 * q};
    const Sizes s = sizes(p, q, q);
    const auto layers = static_cast<double>(c);
    const double times = (s.R - 1) / s.R + (s.R / layers - 1);
    expect_volume(
        "2.5d", testing::mesh_of(Box{q, q, c}.text()), p,
        {{"row", times * s.W}, {"col", times * s.X}, {"depth", (layers - 1) / layers * (s.X + s.W + s.Y)}});
  }
}

// Agarwal et al.: [(y-1) MK + (x-1) KN + (z-1) MN] / p.
TEST(LayerVolume, OfThreeDimensions) {
  for (const Box& box :
       {Box{1, 1, 1}, {2, 3, 2}, {3, 2, 2}, {1, 2, 4}, {4, 1, 2}, {2, 2, 3}, {2, 2, 2}, {5, 1, 1}}) {
    const int64_t l = box.x * box.y * box.z;
    const MatmulProblem p{4 * l, 8 * l, 12 * l};
    const Sizes s = sizes(p, box.x, box.y, box.z);
    expect_volume("3d", testing::mesh_of(box.text()), p,
                  {{"row", (s.R - 1) * s.W},
                   {"col", (s.C - 1) * s.X},
                   {"depth", static_cast<double>(box.z - 1) * s.Y}});
  }
}

}  // namespace
}  // namespace shardscope::grid_volume_test
