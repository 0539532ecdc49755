// SPDX-License-Identifier: Apache-2.0
// How near the model's times are to published measurements: of points that the fit did not see (a half of
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
  benchmark::RunSpecifiedBenchmarks();
}
