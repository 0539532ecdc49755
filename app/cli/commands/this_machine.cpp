// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/this_machine.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>

#include "engine/base/units.h"
#include "engine/measure/import/ranks_trace.h"
#include "engine/measure/trace_points.h"
#include "engine/session/session.h"
#include "engine/strategies/strategy.h"

namespace shardscope::inline cli {
namespace {

constexpr const char* kMeshes[] = {"row=2,col=4", "row=4,col=2"};
struct MachineSizes {
  int64_t m, k, n;
};
constexpr MachineSizes kMeasured[] = {{256, 256, 512}, {512, 512, 1024}, {512, 1024, 2048}};
constexpr MachineSizes kJudged = {512, 768, 1536};
constexpr MachineSizes kPlain = {1024, 1024, 2048};

Experiment experiment_of(const char* mesh, const MachineSizes& sizes, const std::string& chip) {
  Experiment out;
  out.hardware = chip;
  out.mesh = *Mesh::parse(mesh);
  out.chip_wraps = true;
  out.problem.m = sizes.m;
  out.problem.k = sizes.k;
  out.problem.n = sizes.n;
  out.problem.dtype = ElementType::f32;
  return out;
}

std::vector<RunRequest> requests() {
  std::vector<RunRequest> out;
  for (const Strategy& strategy : strategies()) {
    if (strategy.kind != StrategyKind::matmul) continue;
    RunRequest request;
    request.strategy = strategy.id;
    out.push_back(std::move(request));
  }
  return out;
}

// A hardware file for as long as it lives, since an experiment names its chip: one in memory, so that a rank
// which is killed leaves nothing behind.
class ChipFile {
 public:
  explicit ChipFile(const Hardware& chip)
      : file_(memfd_create("chip.toml", MFD_CLOEXEC)), written_(write(hardware_toml(chip))) {}
  ChipFile(const ChipFile&) = delete;
  ChipFile& operator=(const ChipFile&) = delete;
  ~ChipFile() {
    if (file_ >= 0) close(file_);
  }
  Result<std::string> path() const {
    TRY_VOID(written_);
    return fmt::format("/proc/self/fd/{}", file_);
  }

 private:
  Result<void> write(const std::string& text) const {
    const auto size = static_cast<ssize_t>(text.size());
    if (file_ < 0 || ::write(file_, text.data(), text.size()) != size)
      return io_error("no file in memory could be made");
    return {};
  }

  int file_;
  Result<void> written_;
};

struct Judging {
  std::span<const MachineSizes> sizes;
  const char* what;  // it is doing
  int64_t repeat;
};

// Calls each(run, experiment, request) of every strategy that can run.
template <class Each>
Result<void> run_all(const ThisMachine& machine, const Hardware& chip, const Judging& judging,
                     const Each& each) {
  const ChipFile file(chip);
  TRY(const std::string path, file.path());
  ExecutionOptions execution;
  execution.ranks = &machine.cluster;
  execution.repeat = judging.repeat;
  const std::vector<RunRequest> all = requests();
  const double total = static_cast<double>(std::size(kMeshes) * judging.sizes.size() * all.size());
  double done = 0;
  for (const char* mesh : kMeshes) {
    for (const MachineSizes& size : judging.sizes) {
      Experiment experiment = experiment_of(mesh, size, path);
      experiment.loop.warmup = 1;
      for (const RunRequest& request : all) {
        if (machine.stop.stop_requested()) return cancelled();
        if (machine.progress)
          machine.progress(fmt::format("{} {}", judging.what, request.strategy), done / total);
        ++done;
        const Result<RunPtr> run = execute(experiment, request, execution, machine.stop);
        const bool refused =
            !run.ok() && (run.error().kind == ErrorKind::invalid || run.error().kind == ErrorKind::too_big);
        if (!run.ok() && !refused) return run.error();
        if (run.ok()) TRY_VOID(each(**run, experiment, request));
      }
    }
  }
  return {};
}

// Bytes that are read and written in a second when a large array is copied.
double copied_bytes_per_s() {
  constexpr size_t kBytes = size_t{1} << 26;
  std::vector<char> from(kBytes, 1), to(kBytes, 2);
  double best = 0;
  for (int time = 0; time < 5; ++time) {
    const auto start = std::chrono::steady_clock::now();
    std::memcpy(to.data(), from.data(), kBytes);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    from[static_cast<size_t>(time)] = to[kBytes / 2];
    best = std::max(best, 2.0 * static_cast<double>(kBytes) / took.count());
  }
  return best;
}

Result<double> plain_flops_per_s(const ThisMachine& machine, const std::string& chip) {
  ExecutionOptions execution;
  execution.repeat = 5;
  Experiment experiment = experiment_of("row=1,col=1", kPlain, chip);
  experiment.loop.warmup = 1;
  RunRequest request;
  request.strategy = "collective.os";
  TRY(const RunPtr run, execute(experiment, request, execution, machine.stop));
  CHECK(run->measured.has_value());
  return 2.0 * static_cast<double>(kPlain.m) * static_cast<double>(kPlain.k) * static_cast<double>(kPlain.n) /
         run->measured->min_s;
}

// The mean of |log(simulated / measured)| on this chip.
Result<double> error_of(const ThisMachine& machine, const Hardware& chip,
                        std::span<const MeasuredRanks::Whole> runs) {
  const ChipFile file(chip);
  TRY(const std::string path, file.path());
  ExecutionOptions execution;
  execution.numerics = false;
  double sum = 0;
  for (const MeasuredRanks::Whole& whole : runs) {
    Experiment experiment = whole.experiment;
    experiment.hardware = path;
    TRY(const RunPtr run, execute(experiment, whole.request, execution, machine.stop));
    sum += std::abs(std::log(to_seconds(run->timeline.total) / whole.measured_s));
  }
  return runs.empty() ? 0 : sum / static_cast<double>(runs.size());
}

double wanted_cores() {
  std::array<double, 1> load{};
  return getloadavg(load.data(), 1) == 1 ? load[0] : 0;
}

}  // namespace

Result<Hardware> host_of_ranks(const ThisMachine& machine, const Hardware& preset) {
  Hardware out = preset;
  const ChipFile file(preset);
  TRY(const std::string path, file.path());
  TRY(const double flops, plain_flops_per_s(machine, path));
  const double bytes = copied_bytes_per_s();
  auto& peaks = out.compute.peak_flops_per_s;
  const double before = peaks.contains(ElementType::f32) ? peaks.at(ElementType::f32) : flops;
  for (auto& [type, peak] : peaks) peak *= flops / before;
  peaks[ElementType::f32] = flops;
  out.memory.hbm_bytes_per_s = bytes;
  out.link.bytes_per_s = bytes;
  out.overlap.ops.emplace();
  const std::string how = fmt::format("measured here: one process, {} of f32, {}",
                                      format_rate(flops, "FLOP/s"), format_rate(bytes, "B/s"));
  out.sources["compute.peak_flops_per_s"] = how;
  out.sources["memory.hbm_bytes_per_s"] = how;
  out.sources["link.bytes_per_s"] = "a transfer is a copy in memory: " + how;
  return out;
}

Result<MeasuredRanks> measure_this_machine(const ThisMachine& machine, const Hardware& chip) {
  MeasuredRanks out;
  int64_t number = 0;
  const auto keep = [&](const Run& run, const Experiment& experiment,
                        const RunRequest& request) -> Result<void> {
    TRY(MeasuredTrace trace, ranks_trace(machine.cluster, run.strategy, machine.stop));
    trace.id = ++number;
    std::vector<MeasuredPoint> points = points_of(trace, chip.name);
    std::move(points.begin(), points.end(), std::back_inserter(out.points));
    if (run.measured && !run.untimed) out.runs.push_back({experiment, request, run.measured->median_s});
    return {};
  };
  TRY_VOID(run_all(machine, chip, {kMeasured, "measuring", 3}, keep));
  return out;
}

Result<double> fit_cores_shared(const ThisMachine& machine, const Hardware& fitted,
                                std::span<const MeasuredRanks::Whole> runs) {
  constexpr double kMost = 16, kStep = 1.125;
  double best = 1, least = std::numeric_limits<double>::infinity();
  for (double ranks = 1; ranks <= kMost; ranks *= kStep) {
    if (machine.progress)
      machine.progress("fitting to whole runs", std::log(ranks) / std::log(kMost * kStep));
    TRY(const double error, error_of(machine, with_cores_shared(fitted, ranks), runs));
    if (error < least) std::tie(best, least) = std::pair(ranks, error);
  }
  return best;
}

Hardware with_cores_shared(Hardware chip, double ranks) {
  chip.compute.efficiency /= ranks;
  chip.memory.hbm_efficiency /= ranks;
  const std::string how = fmt::format("of whole runs: {:.2f} ranks take turns on a core", ranks);
  for (const char* key : {"compute.efficiency", "memory.hbm_efficiency"}) {
    std::string& source = chip.sources[key];
    source += (source.empty() ? "" : "; ") + how;
  }
  return chip;
}

Result<FittedOrder> judge_this_machine(const ThisMachine& machine, const Hardware& fitted) {
  FittedOrder out;
  TRY_VOID(run_all(machine, fitted, {std::span(&kJudged, 1), "judging", 7},
                   [&](const Run& run, const Experiment&, const RunRequest&) -> Result<void> {
                     if (run.measured && !run.untimed)
                       out.runs.push_back({run.strategy, run.mesh.text(), run.measured->median_s,
                                           run.measured->stdev_s, to_seconds(run.timeline.total)});
                     return {};
                   }));
  out.load = wanted_cores();
  for (size_t a = 0; a < out.runs.size(); ++a) {
    const FittedOrder::Timed& one = out.runs[a];
    out.mean_error += std::abs(one.simulated_s / one.measured_s - 1) / static_cast<double>(out.runs.size());
    for (size_t b = 0; b < a; ++b) {
      const FittedOrder::Timed& other = out.runs[b];
      const double apart = one.measured_s - other.measured_s;
      if (std::abs(apart) <= 2 * std::max(one.spread_s, other.spread_s)) continue;
      ++out.pairs;
      if ((apart > 0) == (one.simulated_s > other.simulated_s)) ++out.alike;
    }
  }
  return out;
}

std::string order_text(const FittedOrder& order) {
  return fmt::format(
      "\nwhole runs say that {:.2f} ranks take turns on a core: compute.efficiency and memory.hbm_efficiency "
      "of "
      "the chip are divided by that\n"
      "all strategies on 2x4 and 4x2, {} runs of a size that was not fitted to: of {} pairs that differ by "
      "more "
      "than twice their spread {:.0f} % are in the simulated order; simulated times are off by {:.0f} % on "
      "average; {:.1f} processes wanted a core meanwhile\n",
      order.cores_shared, order.runs.size(), order.pairs, 100 * order.share(), 100 * order.mean_error,
      order.load);
}

nlohmann::ordered_json order_json(const FittedOrder& order) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const FittedOrder::Timed& run : order.runs)
    runs.push_back({{"strategy", run.strategy},
                    {"mesh", run.mesh},
                    {"measured_s", run.measured_s},
                    {"spread_s", run.spread_s},
                    {"simulated_s", run.simulated_s}});
  return {{"pairs", order.pairs},
          {"pairs_alike", order.alike},
          {"mean_error", order.mean_error},
          {"cores_shared", order.cores_shared},
          {"load", order.load},
          {"runs", std::move(runs)}};
}

}  // namespace shardscope::inline cli
