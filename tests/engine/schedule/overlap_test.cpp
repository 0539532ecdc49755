// SPDX-License-Identifier: Apache-2.0
// Whole strategies against the overlap models of the papers: uniform devices, compute at peak, HBM never the
// limit.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::overlap_test {
namespace {

// 45 GB/s, 1 µs, 197 TFLOP/s, bf16. Seconds come from an independent evaluation of the models.
struct Case {
  int rows, cols;
  int64_t m, k, n;
  int slices;
  double serial, concurrent, wang, sliced;
  double serial_ls, serial_rs, sliced_ls;
};
const Case kCases[] = {
    {2, 4, 2048, 3072, 12288, 8, 0.0003642523900101523, 0.0003088235900101523, 0.00030882359001015223,
     0.00022997874875126903, 0.0005215387900101523, 0.0002943473233434856, 0.00027319314875126903},
    {4, 4, 8192, 8192, 8192, 8, 0.0009140703644805414, 0.0006314500978138748, 0.0006524479911201353,
     0.00038678236448054146, 0.0009140703644805415, 0.0009140703644805415, 0.0004247348978138748},
    {16, 16, 65536, 8192, 32768, 8, 0.001776235662294416, 0.0014117103289610828, 0.001122179728893401,
     0.0009062581244534686, 0.003873387662294416, 0.004222912995627749, 0.003062100791120136},
    {32, 8, 524288, 12288, 49152, 8, 0.018135850454632826, 0.016479557654632826, 0.014214166721299493,
     0.013054209387966158, 0.029879901654632827, 0.08585638378796617, 0.01751863077349577},
    {32, 8, 524288, 12288, 49152, 16, 0.018135850454632826, 0.016479557654632826, 0.014214166721299493,
     0.012809541654632828, 0.029879901654632827, 0.08585638378796617, 0.01668818285341455},
};

// What the models gather by.
constexpr CollectiveAlgorithm kHalves = CollectiveAlgorithm::bidirectional;

Hardware paper_chip() {
  Hardware h = chip();
  h.link.latency_s = 1e-6;
  h.link.bytes_per_s = 45e9;
  return h;
}

Mesh mesh_of(const Case& c) {
  return mesh(fmt::format("row={},col={}", c.rows, c.cols));
}
MatmulProblem problem_of(const Case& c) {
  return {c.m, c.k, c.n, ElementType::bf16, ElementType::bf16};
}

// n ranks gather G bytes: halves both ways on a ring, one link each way between two.
double gather_s(double bytes, int n) {
  const double width = n > 2 ? 2 : 1;
  return (n - 1) * (1e-6 + bytes / (width * n * 45e9));
}
double gather_w_s(const Case& c) {
  return gather_s(2.0 * static_cast<double>(c.k * c.n) / c.cols, c.rows);
}
double product_s(const Case& c) {
  return 2.0 * static_cast<double>(c.m) * static_cast<double>(c.k) * static_cast<double>(c.n) /
         (c.rows * c.cols) / 197e12;
}

TEST(Overlap, CollectiveGathersBothAxesAtOnce) {
  for (const Case& c : kCases) {
    const Program program = plan("collective.os", mesh_of(c), problem_of(c));
    expect_time(run(program, paper_chip(), kHalves).total, c.concurrent, "overlap on");
    expect_time(run(program, paper_chip(), kHalves, false).total, c.serial, "overlap off");
  }
}

// W is gathered (or X), then the product, then the partial sums are scattered: nothing waits twice, so the
// sum.
TEST(Overlap, CollectiveScattersWhatItSummed) {
  for (const Case& c : kCases) {
    const Program ls = plan("collective.ls", mesh_of(c), problem_of(c));
    expect_time(run(ls, paper_chip(), kHalves, false).total, c.serial_ls, "ls");
    const Program rs = plan("collective.rs", mesh_of(c), problem_of(c));
    expect_time(run(rs, paper_chip(), kHalves, false).total, c.serial_rs, "rs");
  }
}

// More slices hide more, until each one's latency counts: 65536 x 8192 x 32768 on 16 x 16 is best with 8.
TEST(Overlap, SlicesHaveAnOptimum) {
  const std::pair<int, double> curve[] = {
      {1, 1.4117103289610828},  {2, 1.0778804978138747}, {4, 0.9334655822402708}, {8, 0.9062581244534686},
      {16, 0.9826543955600677}, {32, 1.200852531113367}, {64, 1.669951598890017}, {128, 2.6245011327783416}};
  const Case& c = kCases[2];
  for (const auto& [slices, ms] : curve) {
    StrategyOptions options;
    options.slices = slices;
    options.block = 4;
    const Timeline t = run(plan("meshslice.os", mesh_of(c), problem_of(c), options), paper_chip(), kHalves);
    expect_time(t.total, ms * 1e-3, fmt::format("S={}", slices));
  }
}

// LS: gather W and scatter the partial sums of Y on different axes, slice by slice.
TEST(Overlap, MeshSliceScattersWhileItGathers) {
  for (const Case& c : kCases) {
    StrategyOptions options;
    options.slices = c.slices;
    options.block = 8;
    const Program program = plan("meshslice.ls", mesh_of(c), problem_of(c), options);
    expect_time(run(program, paper_chip(), kHalves).total, c.sliced_ls,
                fmt::format("{}x{} S={}", c.rows, c.cols, c.slices));
  }
}

// S slices: the first gather, then the slower of gather and product S-1 times, then the last product. The
// model and the graph agree: each slice's gather has the links to itself, since the one before is served
// first.
TEST(Overlap, MeshSliceIsAPipeline) {
  for (const Case& c : kCases) {
    StrategyOptions options;
    options.slices = c.slices;
    options.block = 8;
    const Program program = plan("meshslice.os", mesh_of(c), problem_of(c), options);
    expect_time(run(program, paper_chip(), kHalves).total, c.sliced,
                fmt::format("{}x{} S={}", c.rows, c.cols, c.slices));
  }
}

// The model: gather W, then C-1 times the slower of a hop of X and a product, then a product. In the graph
// the hops of X wait for nothing, so they already travel while W is gathered on the other axis: product s
// starts when product s-1 has ended, W is there and X has made s hops. Both agree where a hop is shorter than
// a product.
TEST(Overlap, WangHidesItsHopsBehindProducts) {
  for (const Case& c : kCases) {
    const double hop = 1e-6 + 2.0 * static_cast<double>(c.m * c.k) / (c.rows * c.cols) / 2 / 45e9;
    const double part = product_s(c) / c.cols;
    double end = gather_w_s(c);
    for (int s = 0; s < c.cols; ++s) end = std::max(end, s * hop) + part;
    const Timeline t = run(plan("wang.os", mesh_of(c), problem_of(c)), paper_chip(), kHalves);
    expect_time(t.total, end, fmt::format("{}x{}", c.rows, c.cols));
    EXPECT_LE(to_seconds(t.total), c.wang * (1 + 1e-6));
    if (hop <= part) expect_time(t.total, c.wang, "the model");
  }
}

// Accumulators travel: the product of a step does not wait for the sum that arrives, so it hides the hop.
TEST(Overlap, ATravellingAccumulatorOverlapsTheProduct) {
  const Case& c = kCases[2];
  const Program program = plan("wang.ls", mesh_of(c), problem_of(c));
  const Timeline on = run(program, paper_chip(), kHalves);
  const Timeline off = run(program, paper_chip(), kHalves, false);
  const double hop = 1e-6 + 2.0 * static_cast<double>(c.m * c.n) / (c.rows * c.cols) / 2 / 45e9;
  const double part = product_s(c) / c.cols;
  // The first product of both halves ends, then the longer of hops and products remains.
  EXPECT_GE(to_seconds(on.total), gather_w_s(c) + part / 2 + (c.cols - 1) * hop);
  EXPECT_LE(to_seconds(on.total), gather_w_s(c) + part + (c.cols - 1) * std::max(hop, part) + part);
  EXPECT_LT(on.total, off.total);
}

TEST(Overlap, OffIsTheSumOfItsInstructions) {
  const Case& c = kCases[0];
  const Timeline t = run(plan("wang.os", mesh_of(c), problem_of(c)), paper_chip(), kHalves, false);
  const double hop = 1e-6 + 2.0 * static_cast<double>(c.m * c.k) / (c.rows * c.cols) / 2 / 45e9;
  expect_time(t.total, gather_w_s(c) + product_s(c) + 2 * (c.cols - 1) * hop,
              "two halves hop one after the other");
  for (const DeviceTotals& d : t.totals) EXPECT_EQ(d.exposed, d.comm);
}

}  // namespace
}  // namespace shardscope::schedule_test::overlap_test
