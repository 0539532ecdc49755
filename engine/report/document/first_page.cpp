// SPDX-License-Identifier: Apache-2.0
#include "engine/report/document/first_page.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/report/document/folders.h"
#include "engine/report/document/make_report.h"
#include "engine/run/chosen_plan.h"
#include "engine/strategies/strategy.h"

namespace shardscope::inline report {
namespace {

std::string sums_words(const MatmulProblem& p) {
  return p.accumulate == p.dtype ? "" : fmt::format(", sums in {}", name(p.accumulate));
}

std::string product_of(const Run& run) {
  if (run.module) return run.strategy + " " + run.module->signature;
  const MatmulProblem& p = run.problem;
  return fmt::format("Y[m,n] = X[m,k] · W[k,n] with m = {}, k = {}, n = {}, in {}{}", p.m, p.k, p.n,
                     name(p.dtype), sums_words(p));
}

// "X[8,16] · W[16,16] in f32 on 8 × tpu-v5e".
std::string problem_in_title(const Run& run) {
  const std::string where = fmt::format(" on {} × {}", run.mesh.device_count(), run.hardware.name);
  if (run.module) return run.strategy + where;
  const MatmulProblem& p = run.problem;
  return fmt::format("X[{},{}] · W[{},{}] in {}{}", p.m, p.k, p.k, p.n, name(p.dtype), where);
}

std::string mesh_of(const Run& run) {
  return fmt::format("{}, {}", run.mesh.text(),
                     say_count("{} device", "{} devices", run.mesh.device_count()));
}

// One sentence; of a strategy with several plans the one that it chose.
std::string strategy_words(const Run& run) {
  std::string out;
  if (const auto strategy = find_strategy(run.strategy); strategy.ok() && !run.module)
    out = std::string((*strategy)->title) + ".";
  if (const auto chosen = chosen_plan(run.program)) out += (out.empty() ? "" : " ") + chosen->sentence();
  return out;
}

std::string letter_in(const RunDifference* compared, const Run& run) {
  if (compared == nullptr) return "";
  for (size_t r = 0; r < compared->runs.size(); ++r)
    if (compared->runs[r].id == run.id && compared->runs[r].strategy == run.strategy &&
        compared->runs[r].label == heading_label(run))
      return letter_of(r) + ", ";
  return "";
}

}  // namespace

ReportSection first_page(const Comparison& comparison, const RunDifference* compared) {
  ReportSection out{"problem", "What was multiplied", {}};
  ReportList facts;
  const auto fact = [&](const char* head, const std::vector<std::string>& texts) {
    if (!texts.empty()) facts.items.push_back({head, join(texts, "; ")});
  };
  fact("Product", texts_of(comparison, product_of));
  fact("Mesh", texts_of(comparison, mesh_of));
  fact("Chip", texts_of(comparison, [](const Run& run) { return run.hardware.name; }));
  if (!facts.items.empty()) out.blocks.emplace_back(std::move(facts));
  ReportList strategies;
  for (const RankedRun& r : rank(comparison.runs)) {
    const std::string words = strategy_words(*r.run);
    if (!words.empty()) strategies.items.push_back({letter_in(compared, *r.run) + run_name(*r.run), words});
  }
  if (!strategies.items.empty()) out.blocks.emplace_back(std::move(strategies));
  return out;
}

std::string report_title(const Comparison& comparison) {
  const std::vector<std::string> problems = texts_of(comparison, problem_in_title);
  std::string problem = problems.empty() ? "" : problems.front();
  if (problems.size() > 1) problem += fmt::format(" and {} more", problems.size() - 1);
  if (comparison.title.empty()) return problem.empty() ? "Comparison" : problem;
  return without_folders(problem.empty() ? comparison.title : comparison.title + ": " + problem);
}

}  // namespace shardscope::inline report
