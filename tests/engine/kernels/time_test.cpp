// SPDX-License-Identifier: Apache-2.0
// Times of kernels against closed forms, with the numbers of a chip made for it.
#include "engine/kernels/time/time.h"

#include <gtest/gtest.h>

#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/time/sweep.h"

namespace shardscope::kernels::time_test {
namespace {

constexpr double kPeak = 128e12, kHbm = 1e12, kLink = 50e9, kLatency = 1e-6;

Hardware chip() {
  return *parse_hardware(R"(
name = "test"
topology = "torus"
[compute]
peak_flops_per_s = { bf16 = 128e12 }
mxu = [128, 128]
[memory]
hbm_bytes_per_s = 1e12
[link]
bytes_per_s = 50e9
latency_s = 1e-6
)",
                         "test.toml");
}

KernelProgram program_of(const std::string& id, const KernelOptions& options) {
  const Result<KernelProgram> program = build_kernel(*find_kernel(id), options);
  EXPECT_TRUE(program.ok()) << program.error().text();
  return *program;
}

KernelTime time_of(const std::string& id, const KernelOptions& options) {
  const Result<KernelTime> time = time_kernel(program_of(id, options), chip());
  EXPECT_TRUE(time.ok()) << time.error().text();
  return *time;
}

KernelOptions ring(int n, int64_t rows) {
  KernelOptions options;
  options.mesh = *Mesh::make({{"x", n, true}});
  options.rows = rows;
  options.cols = 128;
  return options;
}

KernelOptions product(int64_t m, int64_t k, int64_t n, int64_t tile) {
  KernelOptions options;
  options.dtype = ElementType::bf16;
  options.m = m;
  options.k = k;
  options.n = n;
  options.bm = options.bk = options.bn = tile;
  return options;
}

// A weight-stationary array: ⌈k/128⌉⌈n/128⌉(m + 2·128 + 128 − 2) − 1 cycles.
double product_s(double m, double k, double n) {
  return (k / 128 * (n / 128) * (m + 382) - 1) * 2 * 128 * 128 / kPeak;
}

void expect_near(Picoseconds got, double want_s) {
  EXPECT_NEAR(to_seconds(got), want_s, 1e-11);
}

TEST(KernelTimes, APermutationIsABarrierAndAHop) {
  const double bytes = 1024.0 * 128 * 4;
  expect_near(time_of("permute", ring(4, 1024)).total, kLatency + kLatency + bytes / kLink);
}

TEST(KernelTimes, ARingAllGatherIsItsClosedForm) {
  const double bytes = 1024.0 * 128 * 4;
  for (const int n : {3, 4, 8}) {
    const KernelTime time = time_of("ag.ring", ring(n, 1024));
    expect_near(time.total, kLatency + 2 * bytes / kHbm + (n - 1) * (kLatency + bytes / kLink));
    EXPECT_EQ(time.devices[0].link_bytes, (n - 1) * int64_t{1024 * 128 * 4});
    EXPECT_EQ(time.roofline.bound, "link");
  }
}

TEST(KernelTimes, HalvesBothWaysTakeHalfTheLinkTime) {
  const double bytes = 1024.0 * 128 * 4;
  const KernelTime time = time_of("ag.bidi.halves", ring(8, 1024));
  expect_near(time.total, kLatency + 2 * bytes / kHbm + 7 * (kLatency + bytes / 2 / kLink));
}

TEST(KernelTimes, OneTileIsNotPipelined) {
  const KernelTime time = time_of("matmul.tiled", product(1024, 1024, 1024, 1024));
  const double tile = 1024.0 * 1024 * 2;
  expect_near(time.total, 2 * tile / kHbm + product_s(1024, 1024, 1024) + tile / kHbm);
  EXPECT_EQ(time.devices[0].bubbles, 0);
  expect_near(time.devices[0].prologue, 2 * tile / kHbm);
  expect_near(time.devices[0].epilogue, tile / kHbm);
}

TEST(KernelTimes, TilesOverlapTheirCopiesWithProducts) {
  const KernelTime time = time_of("matmul.tiled", product(1024, 2048, 1024, 512));
  const KernelDeviceTime& device = time.devices[0];
  EXPECT_LT(time.total, device.mxu + device.hbm);
  EXPECT_GE(time.total, std::max(device.mxu, device.hbm));
  EXPECT_EQ(device.end, device.prologue + device.mxu + device.bubbles + device.epilogue);
  // a once per column of tiles, b once per row of tiles, the result once.
  EXPECT_EQ(device.hbm_bytes, 2 * (1024 * 2048 * 2 + 2048 * 1024 * 2 + 1024 * 1024));
}

TEST(KernelTimes, ABlockWhoseIndexStaysIsNotFetchedAgain) {
  KernelOptions options = product(1024, 512, 1024, 512);
  const KernelDeviceTime device = time_of("matmul.tiled", options).devices[0];
  EXPECT_EQ(device.hbm_bytes, 2 * (1024 * 512 + 512 * 1024 * 2 + 1024 * 1024)) << "a stays while j moves";
}

TEST(KernelTimes, TilesOf1024FillVmemToTheByte) {
  KernelOptions options = product(2048, 2048, 2048, 1024);
  EXPECT_EQ(program_of("matmul.tiled", options).peak_vmem, int64_t{16} << 20);
  EXPECT_TRUE(program_of("matmul.tiled", options).defects.empty());
  options.vmem_limit -= 1;
  EXPECT_EQ(program_of("matmul.tiled", options).defects.size(), 1U);
}

TEST(KernelTimes, TheFusedKernelBeatsTheNotebooksAndTheNotebooksBeatsNothing) {
  KernelOptions options = product(2048, 2048, 1024, 512);
  options.mesh = *Mesh::make({{"x", 2, true}, {"y", 2, true}});
  const KernelTime fused = time_of("ag_matmul.fused", options);
  const KernelTime seed = time_of("ag_matmul.fused_seed", options);
  EXPECT_LT(fused.total, seed.total);
  EXPECT_EQ(fused.devices[1].flops * 2, seed.devices[1].flops) << "x ≠ y multiplies twice in the notebook's";
}

// Whatever moves through hbm takes its time there, copies from and to other devices too.
TEST(KernelTimes, NoKernelIsFasterThanItsRoof) {
  for (const KernelEntry& entry : catalogue()) {
    for (const int64_t size : {256, 1024, 4096}) {
      for (const ElementType type : {ElementType::f32, ElementType::bf16}) {
        for (const int64_t wide : {128, 2048}) {
          KernelOptions options = product(size, 1024, wide, 512);
          options.dtype = type;
          options.bn = 128;
          options.mesh = entry.axes == 2 ? *Mesh::make({{"x", 2, true}, {"y", 2, true}})
                                         : *Mesh::make({{"x", entry.axes == 0 ? 1 : 4, true}});
          const auto program = build_kernel(entry, options);
          if (!program.ok()) continue;
          const auto time = time_kernel(*program, chip());
          if (!time.ok()) continue;
          const KernelRoofline& roof = time->roofline;
          EXPECT_LE(roof.flops_per_s, roof.roof_flops_per_s * (1 + 1e-9))
              << entry.id << " " << size << " " << name(type) << " " << wide;
          for (const KernelDeviceTime& device : time->devices)
            EXPECT_GE(to_seconds(device.end) * kHbm, static_cast<double>(device.hbm_bytes) * (1 - 1e-9));
        }
      }
    }
  }
}

TEST(KernelTimes, ARemoteCopyHoldsTheHbmOfBothEnds) {
  const KernelTime time = time_of("permute", ring(4, 1024));
  const int64_t bytes = 1024 * 128 * 4;
  for (const KernelDeviceTime& device : time.devices) {
    EXPECT_EQ(device.hbm_bytes, 2 * bytes) << "its own read, its neighbour's written";
    expect_near(device.hbm, 2.0 * static_cast<double>(bytes) / kHbm);
  }
}

TEST(KernelTimes, ValuesOverTimeEndWhereTheyBegan) {
  const KernelTime time = time_of("ar.two_slot", ring(4, 64));
  for (const KernelDeviceTime& device : time.devices) {
    for (const auto& points : device.semaphores) {
      EXPECT_TRUE(points.empty() || points.back().value == 0);
    }
    EXPECT_EQ(device.vmem.front().value, 3 * 64 * 128 * 4);
  }
  EXPECT_EQ(time.in_flight.back().value, 0);
}

TEST(KernelTimes, AMissingNumberOrAHangIsSaidSo) {
  Hardware unknown = chip();
  unknown.memory.hbm_bytes_per_s.reset();
  const auto time = time_kernel(program_of("ag.ring", ring(4, 8)), unknown);
  ASSERT_FALSE(time.ok());
  EXPECT_EQ(time.error().what, "memory.hbm_bytes_per_s of test is not published");
}

TEST(KernelSweeps, TilesThatDoNotFitVmemAreMarked) {
  KernelOptions options = product(2048, 2048, 2048, 1024);
  const std::vector<KernelAxis> axes = {*parse_kernel_axis("bm=256,1024,2048"), *parse_kernel_axis("bk=512")};
  const auto points = *sweep_kernel(*find_kernel("matmul.tiled"), options, axes, chip());
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[1].values, (std::vector<int64_t>{1024, 512}));
  EXPECT_TRUE(points[1].fits_vmem);
  EXPECT_TRUE(points[1].time.has_value());
  EXPECT_FALSE(points[2].fits_vmem);
  EXPECT_FALSE(points[2].time.has_value());
  EXPECT_LT(points[1].time->total, points[0].time->total) << "small tiles read b more often";
}

// Before any is timed: ten values of seven sizes are ten million points.
TEST(KernelSweeps, TooManyPointsAreRefused) {
  std::vector<KernelAxis> axes;
  for (const char* size : {"m", "k", "n", "bm", "bk", "bn", "chunks"})
    axes.push_back(*parse_kernel_axis(std::string(size) + "=1,2,3,4,5,6,7,8,9,10"));
  const auto points = sweep_kernel(*find_kernel("matmul.tiled"), {}, axes, chip());
  ASSERT_FALSE(points.ok());
  EXPECT_EQ(points.error().kind, ErrorKind::too_big);
  EXPECT_EQ(points.error().what, "10000000 combinations, a sweep has up to 1048576");
}

TEST(KernelSweeps, WrongAxesAreRefused) {
  for (const char* text : {"bm", "bm=", "bm=0", "bm=1,x", "tile=3"})
    EXPECT_FALSE(parse_kernel_axis(text).ok()) << text;
}

}  // namespace
}  // namespace shardscope::kernels::time_test
