// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <tuple>

#include "engine/base/text.h"
#include "engine/report/report.h"
#include "engine/strategies/strategy.h"

namespace shardscope::inline report {
namespace {

bool is_product(const RunSummary& run) {
  return (run.kind == StrategyKind::matmul || !run.signature.empty()) && run.status == name(RunStatus::done);
}

bool is_of_several_products(const RunSummary& run) {
  return run.kind == StrategyKind::example && run.status == name(RunStatus::done) &&
         !formulas_of(run.strategy).empty();
}

// The sizes of a module's run are those of its first product alone.
bool same_problem(const RunSummary& a, const RunSummary& b) {
  if (!a.signature.empty() || !b.signature.empty()) return a.signature == b.signature && a.label == b.label;
  return a.m == b.m && a.k == b.k && a.n == b.n && a.dtype == b.dtype &&
         (a.kind != StrategyKind::example || b.kind != StrategyKind::example ||
          formulas_of(a.strategy) == formulas_of(b.strategy));
}

std::string output_sharding(const Run& run) {
  return run.program.output ? run.program.output->spec.text() : "";
}

// On how many devices each element of an input lies.
int64_t copies(const Mesh& mesh, const ArrayInfo& input) {
  int64_t holders = 0;
  for (int32_t d = 0; d < mesh.device_count(); ++d) holders += is_home(mesh, input, DeviceId(d)) ? 1 : 0;
  for (const auto& axes : input.spec.dims) {
    for (const std::string& axis : axes) holders /= mesh.axis_size(*mesh.axis_index(axis));
  }
  return holders;
}

std::string replicated_inputs(const Run& run) {
  std::vector<std::string> out;
  for (const ArrayInfo& input : run.program.inputs) {
    const int64_t n = copies(run.program.mesh, input);
    if (n > 1) out.push_back(fmt::format("{} on {} devices", symbol_of(input), n));
  }
  return join(out, ", ");
}

double ratio(Picoseconds time, Picoseconds least) {
  return least > 0 ? static_cast<double>(time) / static_cast<double>(least) : 1;
}

bool any_price(std::span<const RunSummary> runs) {
  return std::ranges::any_of(runs, [](const RunSummary& run) { return run.price.has_value(); });
}

// In a sorted ranking the best of a problem comes first.
void find_best(std::span<const RunSummary> runs, std::vector<Rank>& ranking) {
  for (Rank& r : ranking) {
    const RunSummary& run = runs[r.place];
    const auto best = std::ranges::find_if(
        ranking, [&](const Rank& other) { return other.ranked && same_problem(runs[other.place], run); });
    if (best == ranking.end()) continue;
    r.best = best->place;
    // What is not ranked goes from and to arrays of its own: only its time can be put beside.
    const Picoseconds own = r.ranked ? run.priced_total() : run.total;
    r.ratio_to_best = ratio(own, runs[best->place].priced_total());
  }
}

// Counted on among the ranked ones of each problem; who is not slower by a ratio that prints shares a place.
void find_standings(std::span<const RunSummary> runs, std::vector<Rank>& ranking) {
  struct Last {
    size_t seen = 0, standing = 0;
    Picoseconds first = 0;  // of those that share it
  };
  std::map<size_t, Last> of_problem;  // by its best
  for (Rank& r : ranking) {
    if (!r.ranked) continue;
    Last& last = of_problem[*r.best];
    const Picoseconds own = runs[r.place].priced_total();
    ++last.seen;
    if (last.standing == 0 || ratio(own, last.first) >= kTie) last.standing = last.seen, last.first = own;
    r.standing = last.standing;
  }
}

void find_groups(std::span<const RunSummary> runs, std::vector<Rank>& ranking) {
  std::map<std::string, std::pair<size_t, size_t>> groups;  // by key: number, fastest run
  // A record that was made before groups were has none.
  const auto in_group = [&](const Rank& r) { return r.ranked && !runs[r.place].group.empty(); };
  for (const Rank& r : ranking) {
    if (!in_group(r)) continue;
    auto& [number, fastest] = groups.try_emplace(runs[r.place].group, groups.size(), r.place).first->second;
    if (runs[r.place].total < runs[fastest].total) fastest = r.place;
  }
  for (Rank& r : ranking) {
    if (!in_group(r)) continue;
    const auto& [number, fastest] = groups.at(runs[r.place].group);
    r.group = number;
    r.best_in_group = fastest;
    r.ratio_in_group = ratio(runs[r.place].total, runs[fastest].total);
  }
}

}  // namespace

std::vector<Rank> rank(std::span<const RunSummary> runs) {
  std::vector<Rank> out(runs.size());
  const bool products = std::ranges::any_of(runs, is_product);
  for (size_t i = 0; i < runs.size(); ++i) {
    out[i].place = i;
    out[i].ranked = products ? is_product(runs[i]) : is_of_several_products(runs[i]);
  }
  const auto key = [&](const Rank& r) {
    const RunSummary& run = runs[r.place];
    const bool unknown = r.ranked && run.signature.empty() && !run.price;
    const Picoseconds by = r.ranked ? run.priced_total() : run.total;
    return std::tuple(!r.ranked, unknown && any_price(runs), by, run.total, std::string_view(run.strategy));
  };
  std::stable_sort(out.begin(), out.end(), [&](const Rank& a, const Rank& b) { return key(a) < key(b); });
  find_best(runs, out);
  find_standings(runs, out);
  find_groups(runs, out);
  return out;
}

std::string group_name(size_t group) {
  std::string out(1, static_cast<char>('A' + group % 26));
  return group < 26 ? out : group_name(group / 26 - 1) + out;
}

std::string ranked_name(const Run& run) {
  return run.module ? run.asked.label : run.strategy;
}

std::vector<RankedRun> rank(const std::vector<RunPtr>& runs) {
  std::vector<RunSummary> summaries;
  for (const RunPtr& run : runs) summaries.push_back(summary_of(*run));
  std::vector<RankedRun> out;
  for (const Rank& r : rank(summaries)) {
    const Run& run = *runs[r.place];
    const bool same = !r.best || output_sharding(run) == output_sharding(*runs[*r.best]);
    out.push_back({r, runs[r.place], same, replicated_inputs(run)});
  }
  return out;
}

}  // namespace shardscope::inline report
