// SPDX-License-Identifier: Apache-2.0
// How near the model's times are to measurements: of points that the fit did not see (a half of
// each group, five draws), and of composites that are no points at all. Then what a calibration takes.
#include <benchmark/benchmark.h>
#include <cstdio>
#include <map>

#include "engine/base/units.h"
#include "engine/measure/calibrate.h"
#include "engine/measure/predict.h"
#include "engine/program/build/builder.h"
#include "engine/schedule/schedule.h"

namespace {

using namespace shardscope;

// Without what a calibration put into it: it is fitted anew.
CalibrateRequest request_for(const char* chip) {
  CalibrateRequest out;
  out.preset = find_hardware(chip).value();
  out.preset.link.ops.clear();
  out.preset.calibration.reset();
  out.points = published_points();
  return out;
}

struct Target {
  const char *chip, *group;
  double at_most;
};
constexpr Target kTargets[] = {{"a100", "matmul", 0.05},
                               {"h100", "matmul", 0.08},
                               {"b200", "matmul", 0.08},
                               {"mi210", "matmul", 0},
                               {"h200", "matmul", 0},
                               {"h200", "copy", 0},
                               {"h200", "gelu", 0},
                               {"a100", "all-reduce 4", 0.06},
                               {"a100", "collectives ≥ 64 MiB", 0.10},
                               {"h100", "collectives ≥ 64 MiB", 0.10},
                               {"h100", "collectives", 0.20},
                               {"b200", "collectives ≥ 64 MiB", 0},
                               {"b200", "collectives", 0},
                               {"gb200", "collectives ≥ 64 MiB", 0.25},
                               {"gb200", "collectives", 0}};

struct Errors {
  double before = 0, train = 0, test = 0, worst = 0;
};

std::map<std::string, Errors> held_out_errors(const char* chip) {
  constexpr int kDraws = 5;
  std::map<std::string, Errors> out;
  for (int draw = 1; draw <= kDraws; ++draw) {
    CalibrateRequest request = request_for(chip);
    request.seed = static_cast<uint64_t>(draw);
    request.resamples = 60;
    const Calibration done = calibrate(request, {}, {}).value();
    for (const CalibratedGroup& group : done.groups) {
      Errors& errors = out[group.group];
      errors.before += group.before_error / kDraws;
      errors.train += group.train_error / kDraws;
      errors.test += group.test_error / kDraws;
      errors.worst = std::max(errors.worst, group.test_error);
    }
  }
  return out;
}

void print_held_out() {
  std::printf("%-6s %-22s %10s %10s %10s %10s %8s\n", "chip", "points", "unfitted", "fitted to", "held out",
              "worst draw", "target");
  std::map<std::string, std::map<std::string, Errors>> by_chip;
  for (const Target& target : kTargets) {
    auto& errors = by_chip[target.chip];
    if (errors.empty()) errors = held_out_errors(target.chip);
    const Errors& e = errors[target.group];
    std::printf("%-6s %-22s %9.1f%% %9.1f%% %9.1f%% %9.1f%%", target.chip, target.group, 100 * e.before,
                100 * e.train, 100 * e.test, 100 * e.worst);
    std::printf(target.at_most > 0 ? " %6.0f%%\n" : "        -\n", 100 * target.at_most);
  }
}

// All-gather of X [1024·n, 4096] and product with W [4096, 4096] on each of n chips: one after the other, or
// a ring whose steps overlap. 16-bit elements, as measured; bf16 with sums in it, so that nothing is
// converted.
double gathered_product_s(const Hardware& chip, int64_t n, bool overlapped) {
  const Mesh mesh = Mesh::make({{"x", n}}).value();
  SpmdBuilder b("composite", mesh, {1024 * n, 4096, 4096 * n, ElementType::bf16, ElementType::bf16});
  const PartitionSpec rows = PartitionSpec::parse("P('x',None)").value();
  const PartitionSpec columns = PartitionSpec::parse("P(None,'x')").value();
  Value x = b.lhs("mk", rows);
  const Value w = b.rhs("kn", columns);
  Value y = overlapped ? b.zeros({1024 * n, 4096}) : matmul(b.all_gather(x, "x", 0), w);
  for (int step = 0; overlapped && step < n; ++step) {
    b.step(step);
    const Value next = step + 1 < n ? b.shift(x, "x", 1) : x;
    y = b.dynamic_update_slice(y, matmul(x, w), 0, ((b.axis_index("x") + (n - step)) % n) * 1024);
    x = next;
  }
  const Program program = b.finish(y, columns).value();
  return to_seconds(schedule(program, chip, {}, {}).value().total);
}

// jax-ml/jax@28884ff docs/pallas/gpu/collective_matmul.md: f16, on each H100 M=1024, K=4096, N=4096.
void print_composites() {
  struct Measured {
    int64_t devices;
    double fused_us, serial_us;
  };
  const Hardware chip = find_hardware("h100").value();
  std::printf("\nAll-gather and product on H100s, no point of the fit\n%8s %22s %22s\n", "devices",
              "fused: measured, ours", "serial: measured, ours");
  for (const Measured& m : {Measured{2, 102, 147}, {4, 212, 290}, {8, 436, 565}}) {
    const double fused = 1e6 * gathered_product_s(chip, m.devices, true);
    const double serial = 1e6 * gathered_product_s(chip, m.devices, false);
    std::printf("%8d %5.0f %5.0f us %+5.1f%%   %5.0f %5.0f us %+5.1f%%\n", static_cast<int>(m.devices),
                m.fused_us, fused, 100 * (fused / m.fused_us - 1), m.serial_us, serial,
                100 * (serial / m.serial_us - 1));
  }
  std::printf("\n");
}

// X [m, k] · W1 [k, f], an elementwise function, · W2 [f, k] on one chip.
double two_products_s(const Hardware& chip, int64_t m, int64_t k, int64_t f, ElementType type) {
  const Mesh mesh = Mesh::make({{"x", 1}}).value();
  SpmdBuilder b("composite", mesh, {m, k, f, type, type});
  const PartitionSpec whole = PartitionSpec::parse("P(None,None)").value();
  const Value hidden = b.relu(matmul(b.lhs("mk", whole), b.rhs("kn", whole)));
  const Value down = b.operand("W2", {f, k}, whole, "n,k");
  const Program program = b.finish(matmul(hidden, down), ArrayRole::result, {m, k}, whole).value();
  return to_seconds(schedule(program, chip, {}, {}).value().total);
}

// Measured as presets/measured/h200.csv was, with GELU between the products.
void print_two_products() {
  struct Measured {
    int64_t m, k, f;
    ElementType type;
    double us;
  };
  constexpr Measured kMeasured[] = {
      {64, 384, 1536, ElementType::bf16, 15.39},     {256, 1024, 4096, ElementType::bf16, 24.32},
      {16, 8192, 28672, ElementType::bf16, 231.7},   {1024, 3072, 12288, ElementType::bf16, 232.7},
      {4096, 1920, 7680, ElementType::bf16, 386.0},  {2048, 4096, 16384, ElementType::bf16, 837.2},
      {2048, 12288, 6144, ElementType::bf16, 885.1}, {16384, 12288, 6144, ElementType::bf16, 7137},
      {64, 384, 1536, ElementType::f32, 27.87},      {1024, 3072, 12288, ElementType::f32, 3211}};
  const Hardware chip = find_hardware("h200").value();
  std::printf("Two products with GELU between them on one H200, no point of the fit\n%24s %20s\n", "m, k, f",
              "measured, ours");
  for (const Measured& c : kMeasured) {
    const double ours = 1e6 * two_products_s(chip, c.m, c.k, c.f, c.type);
    std::printf("%7d %6d %6d %s %6.0f %7.0f us %+5.1f%%\n", static_cast<int>(c.m), static_cast<int>(c.k),
                static_cast<int>(c.f), name(c.type), c.us, ours, 100 * (ours / c.us - 1));
  }
  std::printf("\n");
}

void calibration(benchmark::State& state, const char* chip) {
  const CalibrateRequest request = request_for(chip);
  for (auto _ : state) benchmark::DoNotOptimize(calibrate(request, {}, {}));
}
BENCHMARK_CAPTURE(calibration, h100, "h100")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, gb200, "gb200")->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  print_held_out();
  print_composites();
  print_two_products();
  benchmark::RunSpecifiedBenchmarks();
}
