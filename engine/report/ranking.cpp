// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/report/report.h"

namespace shardscope {
namespace {

constexpr double kTie = 1.005;  // below this a ratio prints as 1.00×

bool is_ranked(const RunSummary& run) {
  return run.kind == StrategyKind::matmul && run.status == name(RunStatus::done);
}

bool same_problem(const RunSummary& a, const RunSummary& b) {
  return a.m == b.m && a.k == b.k && a.n == b.n && a.dtype == b.dtype && a.label == b.label;
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

}  // namespace

std::vector<Rank> rank(std::span<const RunSummary> runs) {
  std::vector<Rank> out;
  for (size_t i = 0; i < runs.size(); ++i) out.push_back({i, is_ranked(runs[i]), {}, 1});
  std::stable_sort(out.begin(), out.end(), [&](const Rank& a, const Rank& b) {
    const RunSummary& one = runs[a.place];
    const RunSummary& other = runs[b.place];
    return std::tuple(!a.ranked, one.total, one.strategy) <
           std::tuple(!b.ranked, other.total, other.strategy);
  });
  for (Rank& r : out) {
    const RunSummary& run = runs[r.place];
    const auto best = std::find_if(out.begin(), out.end(), [&](const Rank& other) {
      return other.ranked && same_problem(runs[other.place], run);
    });
    if (best == out.end()) continue;
    r.best = best->place;
    const Picoseconds least = runs[best->place].total;
    if (least > 0) r.ratio_to_best = static_cast<double>(run.total) / static_cast<double>(least);
  }
  return out;
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

std::string verdict(const std::vector<RunPtr>& runs) {
  const std::vector<RankedRun> ranking = rank(runs);
  if (ranking.empty() || !ranking.front().ranked) return "no ranked run";
  const Run& best = *ranking.front().run;
  const SimulatedSummary s = summarise(best.timeline);
  std::string lead = fmt::format("{} takes {}", best.strategy, format_seconds(s.total_s));
  const auto second = std::find_if(ranking.begin() + 1, ranking.end(), [&](const RankedRun& r) {
    return r.ranked && r.best == ranking.front().place;
  });
  if (second != ranking.end()) {
    lead = second->ratio_to_best < kTie
               ? fmt::format("{} ties with {} at {}", best.strategy, second->run->strategy,
                             format_seconds(s.total_s))
               : fmt::format("{} wins by {} over {}", best.strategy, format_ratio(second->ratio_to_best),
                             second->run->strategy);
  }
  std::string why = "it does not communicate";
  if (s.overlap) {
    why = fmt::format("it hides {} of its communication behind compute; {} remain exposed",
                      format_percent(*s.overlap), format_seconds(s.exposed_comm_s));
  }
  const char* bound_by = s.bound.empty() ? "nothing" : s.bound.c_str();
  std::string text = fmt::format("{}: {}, bound by {}.", lead, why, bound_by);
  if (const std::string& given = ranking.front().replicated_inputs; !given.empty())
    text += fmt::format(" It starts with {}, which nobody pays for here.", given);
  if (!fits_hbm(best).value_or(true))
    text += fmt::format(" It does not fit the memory of {}.", best.hardware.name);
  const auto too_big =
      std::count_if(runs.begin(), runs.end(), [](const RunPtr& r) { return !fits_hbm(*r).value_or(true); });
  if (too_big > 0) text += fmt::format(" {} of {} runs do not fit.", too_big, runs.size());
  const auto differ = std::count_if(runs.begin(), runs.end(), [](const RunPtr& r) {
    return r->numerics.checked && !r->numerics.allclose && r->numerics.reference != kF64Reference;
  });
  if (differ > 0)
    text += fmt::format(" {} of {} runs differ from the reference strategy.", differ, runs.size());
  const auto wrong = std::count_if(runs.begin(), runs.end(), [](const RunPtr& r) {
    return r->numerics.checked && !r->numerics.allclose && r->numerics.reference == kF64Reference;
  });
  if (wrong > 0) text += fmt::format(" {} of {} runs have wrong numbers.", wrong, runs.size());
  return text;
}

}  // namespace shardscope
