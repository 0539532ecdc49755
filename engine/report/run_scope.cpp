// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_scope.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/text.h"
#include "engine/strategies/strategy.h"

namespace shardscope::inline report {
namespace {

std::string compared_problem(const Run& run) {
  if (run.module) return fmt::format("{} {}", run.asked.label, run.module->signature);
  const MatmulProblem& p = run.problem;
  std::string out = fmt::format("m={} k={} n={} {}", p.m, p.k, p.n, name(p.dtype));
  if (run.kind == StrategyKind::example)
    for (const std::string& formula : formulas_of(run.strategy)) out += ", " + formula;
  return out;
}

std::string compared_chip(const Run& run) {
  std::string out = run.hardware.name;
  if (!run.experiment.overrides.empty()) out += " with slow or changed parts";
  if (!run.experiment.place.empty()) out += " with " + text(run.experiment.place);
  if (run.experiment.chip != ChipChanges() || run.experiment.efficiency) out += " with other numbers";
  return out;
}

// "meshes row=2,col=4 (wang.os) and row=4,col=2 (psum)"; empty where all have one.
std::string differ_in(const std::vector<RunPtr>& runs, const char* what, std::string (*of)(const Run&)) {
  constexpr size_t kNames = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  for (const RunPtr& run : runs) {
    const std::string value = of(*run);
    auto at = std::ranges::find(values, value, &std::pair<std::string, std::vector<std::string>>::first);
    if (at == values.end()) at = values.insert(at, {value, {}});
    at->second.push_back(named(*run) + (run->id ? fmt::format(" #{}", *run->id) : ""));
  }
  if (values.size() < 2) return "";
  std::vector<std::string> parts;
  for (auto& [value, names] : values) {
    const size_t all = names.size();
    if (all > kNames) names.resize(kNames), names.push_back(fmt::format("{} more", all - kNames));
    parts.push_back(fmt::format("{} ({})", value, join(names, ", ")));
  }
  return fmt::format("{} {}", what, listed(parts));
}

}  // namespace

std::string listed(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return join(parts, "");
  const std::vector<std::string> first(parts.begin(), parts.end() - 1);
  return join(first, ", ") + " and " + parts.back();
}

std::string named(const Run& run) {
  if (!run.module) return heading_of(run);
  return run.id ? fmt::format("{} (run {})", heading_label(run), *run.id) : heading_label(run);
}

std::string named_among(const Run& run, const std::vector<RunPtr>& runs) {
  const std::string name = named(run);
  const bool alone = std::ranges::count_if(runs, [&](const RunPtr& it) { return named(*it) == name; }) < 2;
  if (alone || (run.module && run.id)) return name;
  return run.id ? fmt::format("{} (run {})", name, *run.id) : fmt::format("{} on {}", name, run.mesh.text());
}

std::string differ_in(const std::vector<RunPtr>& runs) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, std::string (*of)(const Run&)) {
    if (std::string words = differ_in(runs, what, of); !words.empty()) parts.push_back(std::move(words));
  };
  add("problems", compared_problem);
  add("meshes", [](const Run& run) { return run.mesh.text(); });
  add("chips", compared_chip);
  add("overlap", [](const Run& run) { return std::string(run.overlap ? "on" : "off"); });
  return parts.empty() ? "" : "The runs differ in more than their strategy: " + join(parts, "; ") + ". ";
}

}  // namespace shardscope::inline report
