// SPDX-License-Identifier: Apache-2.0
// Times and memory that papers state for whole strategies, by their formulas.
#include <fmt/format.h>

#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::papers_test {
namespace {

MatmulProblem f32(int64_t m, int64_t k, int64_t n) {
  return {m, k, n, ElementType::f32, ElementType::f32};
}

// MeshSlice: more slices hide more and pay more latency. 16x16, bf16, 45 GB/s, 1 us, 197 TFLOP/s:
// max(agX, agW) + (S-1) max(agX, agW, mm) + mm, each of one slice; and what an independent evaluation gave,
// in ms.
TEST(Papers, MeshSliceHasABestNumberOfSlices) {
  Hardware h = chip();
  h.link.latency_s = 1e-6;
  h.link.bytes_per_s = 45e9;
  const double M = 65536, K = 8192, N = 32768, p = 256;
  const std::map<int, double> golden = {{1, 1.412},  {2, 1.078},  {4, 0.933},  {8, 0.906},
                                        {16, 0.983}, {32, 1.201}, {64, 1.670}, {128, 2.625}};
  for (const auto& [S, milliseconds] : golden) {
    const auto gather = [&, slices = S](double whole) {
      return 15 * (1e-6 + whole / slices / (2 * 16 * 45e9));
    };
    const double ag = std::max(gather(2 * M * K / 16), gather(2 * K * N / 16));
    const double mm = 2 * M * K * N / p / 197e12 / S;
    const double model = ag + (S - 1) * std::max(ag, mm) + mm;
    EXPECT_NEAR(model * 1e3, milliseconds, 5.1e-4) << S;
    StrategyOptions options;
    options.slices = S;
    options.block = S == 128 ? 4 : 8;
    const Program program = plan("meshslice.os", mesh("row=16,col=16"),
                                 {65536, 8192, 32768, ElementType::bf16, ElementType::bf16}, options);
    const Timeline t = run(program, h, CollectiveAlgorithm::bidirectional, true, false);
    expect_time(t.total, model, fmt::format("S={}", S));
  }
}

// Product s has X from s devices back after s hops: it starts then, or when product s-1 has ended.
TEST(Papers, RingGatherMatmulIsTheSlowerOfHopAndProduct) {
  for (const auto& [n, side] :
       {std::pair{4, 512}, std::pair{8, 1024}, std::pair{4, 65536}, std::pair{6, 98304}}) {
    const double M = side, part = 2 * M / n * M * M / n / 100e12;
    for (const bool both : {false, true}) {
      const double hop = kAlpha + 4 * M / n * M / kBeta / (both ? 2 : 1);
      double end = 0;
      for (int s = 0; s < n; ++s) end = std::max(end, s * hop) + part;
      const Program program = plan(both ? "ring.ag_matmul.bidirectional" : "ring.ag_matmul",
                                   mesh(fmt::format("t={}", n)), f32(side, side, side));
      expect_time(run(program).total, end, fmt::format("n={} side={} both={}", n, side, both));
    }
  }
}

// What the gathers bring lies beside the shards: MK/R + KN/C for OS; LS and RS scatter partial sums, and Y's
// shard is there only when they are gone. Wang's OS gathers W alone, and of X at most another three shards
// are there: multiplied, leaving, coming.
TEST(Papers, CollectivesHoldWhatTheyGather) {
  const MatmulProblem problem = f32(1024, 2048, 4096);
  const double M = 1024, K = 2048, N = 4096;
  for (const auto& [R, C] : {std::pair{2, 4}, std::pair{4, 4}, std::pair{4, 2}}) {
    const double p = R * C, x = M * K / p, w = K * N / p, y = M * N / p;
    const auto most = [&, rows = R, cols = C](const char* id) {
      const Timeline t = run(plan(id, mesh(fmt::format("row={},col={}", rows, cols)), problem), chip(),
                             CollectiveAlgorithm::ring);
      int64_t peak = 0;
      for (const DeviceTotals& d : t.totals) peak = std::max(peak, d.peak_bytes);
      return static_cast<double>(peak) / 4;
    };
    EXPECT_EQ(most("collective.os"), x + w + y + M * K / R + K * N / C);
    EXPECT_EQ(most("collective.ls"), x + w + K * N / C + M * N / R);
    EXPECT_EQ(most("collective.rs"), x + w + M * K / R + M * N / C);
    EXPECT_GT(most("wang.os"), x + w + y + K * N / C);
    EXPECT_LE(most("wang.os"), x + w + y + K * N / C + 3 * x);
  }
}

// MeshSlice: while a slice is multiplied the next one comes, so 2/S of what the whole gathers would bring
// lies beside the shards; LS and RS hold that of W or X, and of Y what is being added up.
TEST(Papers, MeshSliceHoldsTwoSlicesOfWhatItGathers) {
  const MatmulProblem problem = f32(2048, 2048, 4096);
  const double M = 2048, K = 2048, N = 4096, R = 4, C = 4, p = R * C;
  const double x = M * K / p, w = K * N / p, y = M * N / p, gathered = M * K / R + K * N / C;
  const auto most = [&](const char* id, int64_t slices, std::optional<int64_t> prefetch = {}) {
    StrategyOptions options;
    options.slices = slices;
    options.prefetch = prefetch;
    const Timeline t =
        run(plan(id, mesh("row=4,col=4"), problem, options), chip(), CollectiveAlgorithm::ring);
    int64_t peak = 0;
    for (const DeviceTotals& d : t.totals) peak = std::max(peak, d.peak_bytes);
    return static_cast<double>(peak) / 4;
  };
  for (const int64_t S : {2, 4, 8, 16}) {
    EXPECT_EQ(most("meshslice.os", S), x + w + y + 2 * gathered / static_cast<double>(S)) << S;
    EXPECT_EQ(most("meshslice.os", S, 1), x + w + y + gathered / static_cast<double>(S)) << S;
    EXPECT_GE(most("meshslice.os", S, S), most("meshslice.os", S)) << S;
    const double ls = K * N / C + M * N / R, rs = M * K / R + M * N / C;
    EXPECT_LE(most("meshslice.ls", S), x + w + y + 3 * ls / static_cast<double>(S)) << S;
    EXPECT_LE(most("meshslice.rs", S), x + w + y + 3 * rs / static_cast<double>(S)) << S;
  }
}

// A slice that must wait for the one before it hides nothing; more than two at a time hide no more.
TEST(Papers, MeshSliceHidesWithTwoSlicesAtATimeWhatItCanHide) {
  const MatmulProblem problem = f32(2048, 8192, 8192);
  for (const char* id : {"meshslice.os", "meshslice.ls", "meshslice.rs"}) {
    const auto total = [&](int64_t prefetch) {
      StrategyOptions options;
      options.slices = 8;
      options.prefetch = prefetch;
      return run(plan(id, mesh("row=4,col=4"), problem, options)).total;
    };
    EXPECT_GT(total(1), total(2)) << id;
    EXPECT_LE(static_cast<double>(total(2)), 1.02 * static_cast<double>(total(8))) << id;
  }
}

// 3D holds MK/(xz) + KN/(zy) + MN/(xy) beside its shards of X and W.
TEST(Papers, ThreeDimensionsHoldWhatTheyGather) {
  const double M = 1024, K = 2048, N = 4096;
  for (const auto& [x, y, z] : {std::tuple{2, 2, 2}, std::tuple{2, 4, 2}, std::tuple{4, 2, 4}}) {
    const Timeline t = run(plan("3d", mesh(fmt::format("x={},y={},z={}", x, y, z)), f32(1024, 2048, 4096)));
    const double held = (M * K + K * N) / (x * y * z) + M * K / (x * z) + K * N / (z * y) + M * N / (x * y);
    for (const DeviceTotals& d : t.totals)
      EXPECT_EQ(static_cast<double>(d.peak_bytes), 4 * held) << x << y << z;
  }
}

// 2.5D keeps c(MK + KN + MN)/p; what arrives of A and B lies beside it while the old blocks are multiplied,
// and so does a block of B whose way the skew's other transfers still hold.
TEST(Papers, TwoAndAHalfDimensionsHoldCCopies) {
  const double M = 1024, K = 2048, N = 4096;
  for (const auto& [q, c] : {std::pair{2, 2}, std::pair{4, 2}, std::pair{4, 4}}) {
    const Timeline t =
        run(plan("2.5d", mesh(fmt::format("row={},col={},depth={}", q, q, c)), f32(1024, 2048, 4096)));
    const double p = q * q * c;
    const double kept = c * (M * K + K * N + M * N) / p;
    for (const DeviceTotals& d : t.totals) {
      EXPECT_GE(static_cast<double>(d.peak_bytes), 4 * kept) << q << ' ' << c;
      EXPECT_LE(static_cast<double>(d.peak_bytes), 4 * (2 * kept + c * (M * K + 2 * K * N) / p))
          << q << ' ' << c;
    }
  }
}

// Matmul then reduce-scatter by a travelling sum: a step's product is ready when its sum arrives, or the
// other way round; the slower of them is repeated n-1 times.
TEST(Papers, RingMatmulScatterIsTheSlowerOfHopAndProduct) {
  for (const auto& [n, side] : {std::pair{4, 512}, std::pair{8, 1024}, std::pair{4, 65536}}) {
    const double M = side, part = 2 * M / n * M * M / n / 100e12;
    const double hop = kAlpha + 4 * M / n * M / kBeta;
    const double t =
        to_seconds(run(plan("ring.matmul_rs", mesh(fmt::format("t={}", n)), f32(side, side, side))).total);
    EXPECT_GE(t, (part + (n - 1) * std::max(hop, part)) * (1 - 1e-9)) << n << ' ' << side;
    EXPECT_LE(t, part + (n - 1) * (hop + part)) << n << ' ' << side;
    EXPECT_LE(t, part + (n - 1) * std::max(hop, part) + std::min(hop, part) * 2 + 1e-9) << n << ' ' << side;
  }
}

// MLP: tokens that stay split outside are an nth of X and Y; the sums are as long.
TEST(Papers, SequenceParallelismMovesTheSameBytesInTwoHalves) {
  const MatmulProblem p = f32(4096, 1024, 4096);
  const Timeline whole = run(plan("megatron.mlp", mesh("t=8"), p), chip(), CollectiveAlgorithm::ring);
  const Timeline split = run(plan("megatron.sequence", mesh("t=8"), p), chip(), CollectiveAlgorithm::ring);
  const double products = 4.0 * 4096 * 1024 * 4096 / 8 / 100e12;
  const double all_reduce = 2 * 7 * (kAlpha + 4.0 * 4096 * 1024 / 8 / kBeta);
  expect_time(whole.total, products + all_reduce, "all-reduce");
  expect_time(split.total, products + all_reduce, "gather and scatter");
  EXPECT_EQ(whole.totals[0].bytes_sent, split.totals[0].bytes_sent);
}

}  // namespace
}  // namespace shardscope::schedule_test::papers_test
