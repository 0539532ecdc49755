// SPDX-License-Identifier: Apache-2.0
#include "engine/report/document/make_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/text.h"
#include "engine/hardware/chip_numbers.h"
#include "engine/report/crossover_report.h"
#include "engine/report/difference_table.h"
#include "engine/report/residual/residual.h"
#include "engine/report/run_difference.h"
#include "engine/report/verdict.h"
#include "engine/report/what_if_report.h"
#include "engine/request/command_line.h"
#include "engine/run/chosen_plan.h"

namespace shardscope {
namespace {

constexpr size_t kOperationRows = 40;
constexpr size_t kRunKeys = 3;  // place, number and strategy say which run a row is

void add_table(ReportSection& section, std::string caption, TextTable table, size_t keys = 1) {
  if (table.rows.empty()) return;
  section.blocks.emplace_back(ReportTable{std::move(caption), std::move(table), {}, keys});
}

// Texts of the runs, each once, in their order.
template <class Of>
std::string of_runs(const Comparison& comparison, Of of) {
  std::vector<std::string> seen;
  for (const RunPtr& run : comparison.runs) {
    const std::string text = of(*run);
    if (!text.empty() && std::ranges::find(seen, text) == seen.end()) seen.push_back(text);
  }
  return join(seen, "; ");
}

std::string problem_of(const Run& run) {
  if (run.module) return run.strategy + " " + run.module->signature;
  const MatmulProblem& p = run.problem;
  return fmt::format("m={} k={} n={} {}, accumulated in {}", p.m, p.k, p.n, name(p.dtype),
                     name(p.accumulate));
}

// The verdict's two tables: which add up is said above each.
ReportSection why(const Verdict& said) {
  ReportSection out{"why", "Why", {}};
  if (!said.difference) return out;
  add_table(out, "Time of the slowest device: compute, exposed communication and idle add up to the total.",
            term_table(said));
  add_table(out, "The critical path, which adds up to the total too.", part_table(said));
  return out;
}

ReportSection runs(const Comparison& comparison) {
  ReportSection out{"runs", "Runs", {}};
  ReportTable table{"", comparison_table(comparison), {}, kRunKeys, true};
  for (const RankedRun& r : rank(comparison.runs)) table.best.push_back(r.is_best());
  if (!table.cells.rows.empty()) out.blocks.emplace_back(std::move(table));
  for (const RunPtr& run : comparison.runs)
    if (const auto chosen = chosen_plan(run->program))
      out.blocks.emplace_back(ReportText{run_name(*run) + ": " + chosen->sentence()});
  const TextTable groups = group_table(comparison);
  if (groups.rows.size() > 1)
    add_table(out,
              "Layouts: runs with the same letter start and end in the same layouts, so compare their times "
              "directly.",
              groups);
  return out;
}

ReportSection operations(const Comparison& comparison) {
  ReportSection out{"operations", "Operation by operation", {}};
  const auto d = difference_of_best(comparison.runs);
  if (!d) return out;
  const Shown others = all_others(*d);
  const size_t ranked = static_cast<size_t>(std::ranges::count_if(rank(comparison.runs), &RankedRun::ranked));
  if (ranked > d->runs.size())
    out.blocks.emplace_back(ReportText{
        fmt::format("The {} best of {} ranked runs; the others stand in the table of runs and in its CSV.",
                    d->runs.size(), ranked)});
  add_table(out, "", runs_table(*d));
  for (const std::string& note : d->notes) out.blocks.emplace_back(ReportText{note});
  add_table(out, "Terms", times_table(*d, "terms", d->terms, others));
  add_table(out, "The critical path", times_table(*d, "critical path", d->parts, others));
  add_table(out, "Operations", operations_table(*d, others, kOperationRows));
  add_table(out, "Memory of the fullest device at its peak", memory_table(*d, others));
  return out;
}

// What a trace of the real program takes beside what is simulated; the two never add up to one number.
ReportSection measured(const Comparison& comparison) {
  ReportSection out{"measured", "Measured beside simulated", {}};
  if (!comparison.measured) return out;
  const Residual& r = comparison.measured->residual;
  out.blocks.emplace_back(ReportText{fmt::format("The trace {} beside {}. {}", r.trace,
                                                 run_name(*comparison.measured->run), residual_sentence(r))});
  for (const std::string& note : r.notes) out.blocks.emplace_back(ReportText{"Note: " + note + "."});
  add_table(
      out,
      "By cause: simulated of the critical path; what an operation on it takes longer counts as its "
      "largest cause, and what operations do not explain is unmatched. Simulated times and residuals add "
      "up to their totals; a cause that nothing measured counts as simulated.",
      residual_terms_table(r));
  add_table(out, "By operation, on one device; the largest residuals first.",
            residual_operations_table(r, kOperationRows), 2);
  add_table(out, "Measured, but of no operation of the run; of all devices and steps.",
            residual_unmatched_table(r, kOperationRows));
  return out;
}

// What every run's numbers were compared with, and which side is off.
ReportSection numbers(const Comparison& comparison) {
  ReportSection out{"numbers", "Numbers", {}};
  ReportList list;
  for (const RunPtr& run : comparison.runs) {
    const NumericsReport& n = run->numerics;
    if (!n.exact || (n.allclose && n.max_abs == 0 && n.exact->result.max_abs == 0)) continue;
    const ExactComparison& e = *n.exact;
    list.items.push_back(
        {run_name(*run),
         fmt::format(
             "{} (rtol {:g}, atol {:g}; passes from atol {:.3g}). Relative error against f64 {:.3g}, of {} "
             "{:.3g}. {}",
             numerics_word(n), n.rtol, n.atol, n.smallest_atol, e.result.rel_frobenius, reference_words(n),
             e.reference.rel_frobenius, e.explanation)});
  }
  if (!list.items.empty()) out.blocks.emplace_back(std::move(list));
  return out;
}

ReportSection sensitivity(const std::vector<RunWorth>& worth) {
  ReportSection out{"sensitivity", "What would help", {}};
  for (const RunWorth& of : worth)
    add_table(out, fmt::format("{}: what 10 % better would give", run_name(*of.run)),
              sensitivity_table(of.rows));
  if (!out.blocks.empty()) out.blocks.emplace_back(ReportText{fmt::format("Here {}.", kWhatIfNote)});
  return out;
}

ReportSection skipped(const Comparison& comparison) {
  ReportSection out{"skipped", "Not run", {}};
  ReportList list;
  for (const SkippedRun& s : comparison.skipped) list.items.push_back({s.strategy, reason_alone(s)});
  if (!list.items.empty()) out.blocks.emplace_back(std::move(list));
  return out;
}

// What the partitioning of a module should not have needed.
ReportSection warnings(const Comparison& comparison) {
  ReportSection out{"warnings", "Warnings", {}};
  ReportList list;
  for (const RunPtr& run : comparison.runs) {
    if (!run->module) continue;
    for (const std::string& text : run->module->warnings) list.items.push_back({run_name(*run), text});
  }
  if (!list.items.empty()) out.blocks.emplace_back(std::move(list));
  return out;
}

ReportSection assumptions(const Comparison& comparison) {
  ReportSection out{"assumptions", "Assumptions", {}};
  std::vector<std::string> seen;
  ReportList list;
  list.items.push_back({"",
                        "Times are simulated on a model of the chip; measured times, where shown, are of "
                        "the machine that made the run."});
  for (const RunPtr& run : comparison.runs) {
    for (const std::string& text : run->timeline.assumptions) {
      if (std::ranges::find(seen, text) != seen.end()) continue;
      seen.push_back(text);
      list.items.push_back({"", text});
    }
  }
  out.blocks.emplace_back(std::move(list));
  return out;
}

// The numbers that the times are made of, and where each is from.
ReportSection chips(const Comparison& comparison) {
  ReportSection out{"chip", "Chip", {}};
  std::vector<const Hardware*> seen;
  for (const RunPtr& run : comparison.runs) {
    const Hardware& chip = run->hardware;
    if (std::ranges::any_of(seen, [&](const Hardware* other) { return *other == chip; })) continue;
    seen.push_back(&chip);
    TextTable table{{"number", "value", "source"}, {}, {false, true, false}};
    for (const ChipNumber& number : chip_numbers(chip)) {
      const auto value = number.get(chip);
      const auto source = chip.sources.find(number.key);
      if (!value) continue;
      table.rows.push_back({fmt::format("{}: {}", number.section, label_of(number)),
                            fmt::format("{:.12g} {}", *value / number.factor, number.unit),
                            source == chip.sources.end() ? kNothing : source->second});
    }
    add_table(out, fmt::format("{}, {}", chip.name, name(chip.topology)), std::move(table));
  }
  return out;
}

ReportSection made(const Comparison& comparison, const HowMade& how) {
  ReportSection out{"made", "How this was made", {}};
  ReportList facts;
  const auto fact = [&](const char* head, const std::string& text) {
    if (!text.empty()) facts.items.push_back({head, text});
  };
  fact("Shardscope", how.commit.empty() ? how.version : how.version + ", commit " + how.commit);
  fact("Date", how.date);
  fact("Problem", of_runs(comparison, problem_of));
  fact("Mesh", of_runs(comparison, [](const Run& run) { return run.mesh.text(); }));
  fact("Chip", of_runs(comparison, [](const Run& run) { return run.hardware.name; }));
  fact("Data", of_runs(comparison, [](const Run& run) {
         return run.module ? std::string()
                           : fmt::format("{}, seed {}", name(run.experiment.fill), run.experiment.seed);
       }));
  out.blocks.emplace_back(std::move(facts));
  const auto command = [&](const char* what, const std::string& line) {
    if (line.empty()) return;
    out.blocks.emplace_back(ReportText{what});
    out.blocks.emplace_back(ReportText{line, true});
  };
  command("This report, made again:", how.command);
  command("Its table as CSV, the same bytes each time:", how.csv_command);
  std::string lines;
  for (const RankedRun& r : rank(comparison.runs))
    if (!r.run->module) lines += (lines.empty() ? "" : "\n") + run_command(*r.run);
  command("Each run alone, in the order of the table:", lines);
  return out;
}

// The sections that have something to say, with their pictures: before the tables that say the same in
// numbers, but for the first page's.
void fill(Report& out, std::vector<ReportSection> all, const std::vector<SectionFigure>& figures,
          const std::set<std::string>& left_out = {}) {
  for (ReportSection& section : all) {
    if (left_out.contains(section.id)) continue;
    auto place = section.id == "why" ? section.blocks.end() : section.blocks.begin();
    for (const auto& [of, figure] : figures)
      if (of == section.id) place = section.blocks.insert(place, figure) + 1;
    if (!section.blocks.empty()) out.sections.push_back(std::move(section));
  }
}

// Each with what it has to say, which may be nothing.
std::vector<ReportSection> sections_of(const Comparison& comparison, const Verdict& said,
                                       const ReportParts& parts) {
  return {why(said),
          runs(comparison),
          {"timelines", "Timelines", {}},
          operations(comparison),
          measured(comparison),
          {"links", "Links", {}},
          {"moment", "What happens", {}},
          {"memory", "Memory", {}},
          numbers(comparison),
          warnings(comparison),
          sensitivity(parts.worth),
          skipped(comparison),
          assumptions(comparison),
          chips(comparison),
          made(comparison, parts.made)};
}

}  // namespace

std::string report_title(const Comparison& comparison) {
  return comparison.title.empty() ? "Comparison" : comparison.title;
}

std::string run_name(const Run& run) {
  return run.id ? fmt::format("{} (run {})", heading_of(run), *run.id) : heading_of(run);
}

const std::vector<ReportPart>& report_parts() {
  static const std::vector<ReportPart> kParts = [] {
    std::vector<ReportPart> out;
    for (const ReportSection& section : sections_of({}, {}, {})) out.push_back({section.id, section.title});
    return out;
  }();
  return kParts;
}

Report make_report(const Comparison& comparison, const ReportParts& parts) {
  const Verdict said = judge(comparison.runs);
  Report out{report_title(comparison), said.text, {}};
  fill(out, sections_of(comparison, said, parts), parts.figures, parts.left_out);
  return out;
}

Report make_report(const CrossoverTable& table, const ReportParts& parts) {
  ReportSection where{"where", "Where the winner changes", {}};
  ReportList changes;
  for (const std::string& sentence : crossover_sentences(table)) changes.items.push_back({"", sentence});
  if (!changes.items.empty()) where.blocks.emplace_back(std::move(changes));
  ReportSection points{"points", "Every point", {}};
  points.blocks.emplace_back(ReportTable{"", crossover_points(table), {}, table.axes.size(), true});
  Report out{table.title.empty() ? "Who wins where" : table.title, crossover_verdict(table), {}};
  fill(out, {std::move(where), std::move(points), made({}, parts.made)}, parts.figures);
  return out;
}

}  // namespace shardscope
