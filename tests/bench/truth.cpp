// SPDX-License-Identifier: Apache-2.0
// How far the model is from what was measured, by chip and kind, beside the error that is asked for. It
// judges by points that no number was fitted to, where a kind has such. `truth [--points FILE.csv] [--modules
// FOLDER]` adds one's own. Exit status 1: a kind is further off than asked; 2: a file cannot be used.
#include "engine/study/truth.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

#include "engine/measure/point_truth.h"
#include "engine/session/truth/module_truth.h"

namespace shardscope {
namespace {

struct Asked {
  std::string_view chip, kind;  // how they begin
  double percent;
};
// The first that fits.
constexpr Asked kAsked[] = {
    {"h200", "module, before compilation", 18},
    {"h200", "module, compiled", 8},
    {"h200", "matmul bf16, 10 GFLOP", 6},
    {"h200", "matmul bf16, below", 10},
    {"h200", "matmul f32", 6},
    {"h200", "matmul f8e4m3fn", 8},
    {"h200", "sliced matmul", 8},
    {"h200", "attention", 10},
    {"h200", "copy", 12},
    {"h200", "add", 12},
    {"h200", "gelu", 12},
    {"h200", "reduce", 12},
    {"h200", "softmax", 12},
    {"h200", "layernorm", 12},
    {"h200", "transpose", 12},
    {"tpu-", "", 15},
    {"", "collective-permute", 12},
    {"", "all-gather, 1 to 64 MiB", 8},
    {"", "all-reduce, 1 to 64 MiB", 8},
    {"", "reduce-scatter, 1 to 64 MiB", 8},
    {"", "all-to-all, 1 to 64 MiB", 8},
    {"", "all-gather, below", 12},
    {"", "all-reduce, below", 12},
    {"", "reduce-scatter, below", 12},
    {"", "all-to-all, below", 12},
};

std::optional<double> asked_of(const TruthGroup& group) {
  const auto* const found = std::ranges::find_if(kAsked, [&](const Asked& asked) {
    return group.chip.starts_with(asked.chip) && group.kind.starts_with(asked.kind);
  });
  return found == std::end(kAsked) ? std::nullopt : std::optional(found->percent);
}

Result<Truth> truth(const std::string& points_file, const std::string& modules_folder) {
  std::vector<MeasuredPoint> points = published_points();
  if (!points_file.empty()) {
    TRY(const std::vector<MeasuredPoint> more, read_points(points_file));
    points.insert(points.end(), more.begin(), more.end());
  }
  TRY(std::vector<MeasuredModule> modules, shipped_modules());
  if (!modules_folder.empty()) {
    TRY(const std::vector<MeasuredModule> more, read_measured_modules(modules_folder));
    modules.insert(modules.end(), more.begin(), more.end());
  }
  TRY(std::vector<TruthPoint> all, truth_of_points(points, 0, {}));
  TRY(const std::vector<TruthPoint> timed, truth_of_modules(modules, {}));
  all.insert(all.end(), timed.begin(), timed.end());
  return truth_of(std::move(all));
}

// How many kinds are further off than asked.
int print(const Truth& all) {
  int missed = 0, held_to = 0;
  fmt::print("{:8} {:36} {:>6} {:>9} {:>7} {:>6}\n", "chip", "kind", "points", "held out", "error", "asked");
  for (const TruthGroup& group : all.groups) {
    const std::optional<double> asked = asked_of(group);
    const double error = 100 * group.held_out_error.value_or(group.mean_error);
    const bool is_missed = asked && error > *asked;
    held_to += asked ? 1 : 0;
    missed += is_missed ? 1 : 0;
    fmt::print("{:8} {:36} {:>6} {:>9} {:>5.1f} % {:>6}{}{}\n", group.chip, group.kind, group.n,
               group.held_out, error, asked ? fmt::format("{:g} %", *asked) : "", is_missed ? "  missed" : "",
               group.held_out_error ? "" : "  (fitted to all)");
  }
  fmt::print("\n{} of {} kinds are as near as asked\n", held_to - missed, held_to);
  return missed;
}

int run(int argc, char** argv) {
  std::string points, modules;
  for (int a = 1; a < argc; a += 2) {
    const std::string_view option = argv[a];
    if (a + 1 == argc || (option != "--points" && option != "--modules")) {
      fmt::print(stderr, "usage: truth [--points FILE.csv] [--modules FOLDER]\n");
      return 2;
    }
    (option == "--points" ? points : modules) = argv[a + 1];
  }
  const Result<Truth> all = truth(points, modules);
  if (!all.ok()) {
    fmt::print(stderr, "error: {}\n", all.error().text());
    return 2;
  }
  return print(*all) > 0 ? 1 : 0;
}

}  // namespace
}  // namespace shardscope

int main(int argc, char** argv) {
  return shardscope::run(argc, argv);
}
