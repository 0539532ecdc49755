// SPDX-License-Identifier: Apache-2.0
// What the terminal and Markdown files show.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/csv.h"
#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/report/report.h"
#include "engine/report/table.h"
#include "engine/run/metrics.h"

namespace shardscope::inline report {
namespace {

std::string warning_lines(const NumericsReport& n) {
  std::string out;
  for (const std::string& w : n.warnings) out += "warning    " + w + "\n";
  return out;
}

std::string numerics_line(const NumericsReport& n) {
  if (!n.checked)
    return "numbers    not checked" + (n.reason.empty() ? "" : ": " + n.reason) + "\n" + warning_lines(n);
  std::string out = fmt::format(
      "numbers    {}{}: max {:.3g}, mean {:.3g}, median {:.3g}, {:.4g} % bad (rtol {:g}, atol {:g}{})\n",
      numerics_word(n), n.reference == kF64Reference ? "" : " against " + n.reference, n.max_abs, n.mean_abs,
      n.median_abs, n.percent_bad, n.rtol, n.atol,
      n.tolerance_max ? fmt::format(", with the program's roundings up to {:.3g}", *n.tolerance_max) : "");
  if (!n.allclose && !n.worst_index.empty()) {
    out += fmt::format("           worst at {}{}: {:.9g}, expected {:.9g}\n",
                       n.array.empty() ? "" : n.array + " ", fmt::join(n.worst_index, ","), n.worst_value,
                       n.worst_reference);
    out += fmt::format("           passes from atol {:.4g} at this rtol\n", n.smallest_atol);
  }
  if (n.exact) {
    const ExactComparison& e = *n.exact;
    out += fmt::format(
        "against f64 relative error {:.3g} (rms {:.3g}, max {:.3g}); {} {:.3g} (rms {:.3g}, max {:.3g})\n",
        e.result.rel_frobenius, e.result.rms, e.result.max_abs, reference_words(n), e.reference.rel_frobenius,
        e.reference.rms, e.reference.max_abs);
    out += "           " + e.explanation + "\n";
  }
  return out + warning_lines(n);
}

std::string measured_line(const Measured& m) {
  if (m.repeat == 0) return "";
  return fmt::format(
      "measured   median {}, mean {}, stdev {}, min {}, max {}, p95 {}, p99 {} ({} after {} warm-up, "
      "{})\n",
      format_seconds(m.median_s), format_seconds(m.mean_s), format_seconds(m.stdev_s),
      format_seconds(m.min_s), format_seconds(m.max_s), format_seconds(m.p95_s), format_seconds(m.p99_s),
      counted(m.repeat, "run"), m.warmup, m.kernel);
}

std::string statistics_line(const char* head, const std::optional<StepStatistics>& s) {
  if (!s) return "";
  return fmt::format("           {} a step: mean {}, median {}, spread {}, {} to {}\n", head,
                     format_seconds(s->mean), format_seconds(s->median), format_seconds(s->stdev),
                     format_seconds(s->min), format_seconds(s->max));
}

std::string steps_lines(const Run& run) {
  const RunSteps& steps = *run.steps;
  const auto warmup = std::ranges::count(steps.steps, true, &RunStep::warmup);
  std::string out = fmt::format("steps      {} {}{}", steps.steps.size(), steps.marker,
                                warmup > 0 ? fmt::format(", {} of them warm-up", warmup) : "");
  if (!run.untimed)
    out += fmt::format(", simulated {} in all", format_picoseconds(steps.steps.back().simulated.end));
  out += "\n" + statistics_line("measured", statistics_of(steps, StepClock::measured));
  for (size_t k = 0; k < steps.values.size() && steps.executed(); ++k)
    out += fmt::format("           {} from {:.6g} to {:.6g}\n", steps.values[k],
                       steps.steps.front().values[k], steps.steps.back().values[k]);
  for (const std::string& words : steps.carried) out += "           " + words + "\n";
  for (const std::string& note : steps.notes) out += "           " + note + "\n";
  return out;
}

std::string skipped_lines(const Comparison& comparison) {
  std::string out;
  for (const SkippedRun& s : comparison.skipped)
    out += fmt::format("- {}: {}\n", s.strategy, reason_alone(s));
  return out;
}

}  // namespace

namespace {

std::string simulated_lines(const Run& run) {
  if (run.untimed) return "not timed  " + run.untimed->text() + "\n";
  const RunNumbers numbers = numbers_of(run);
  const CriticalPath& c = run.timeline.critical_path;
  std::string out = fmt::format(
      "simulated  {}: compute {}, communication {}, exposed {}, idle {}, overlap {}, bound by {}\n",
      numbers.text(RunMetric::time), numbers.text(RunMetric::compute), numbers.text(RunMetric::communication),
      numbers.text(RunMetric::exposed), numbers.text(RunMetric::idle), numbers.text(RunMetric::overlap),
      summarise(run.timeline).bound);
  out +=
      fmt::format("critical   compute {}, memory {}, latency {}, bandwidth {}, overhead {}\n",
                  format_picoseconds(c.compute), format_picoseconds(c.memory), format_picoseconds(c.latency),
                  format_picoseconds(c.bandwidth), format_picoseconds(c.overhead));
  out +=
      fmt::format("per device {}, sent {}, peak {}{}\n", format_rate(numbers.get(RunMetric::flops), "FLOP"),
                  numbers.text(RunMetric::sent), numbers.text(RunMetric::peak), fit_words(run));
  for (const CollectiveSummary& k : run.timeline.collectives) {
    out += fmt::format("           {} × {} over {}, {}: {}, sent by a device {}\n", k.count, k.opcode,
                       k.axis.empty() ? "devices" : k.axis, k.algorithm, counted(k.steps, "step"),
                       format_bytes(k.bytes_sent_per_device));
  }
  for (const std::string& a : run.timeline.assumptions) out += "assumed    " + a + "\n";
  return out;
}

std::string problem_line(const MatmulProblem& p) {
  const ElementType sent = travelling_type(p);
  return fmt::format("problem    m={} k={} n={} {}, accumulate {}{}\n", p.m, p.k, p.n, name(p.dtype),
                     name(p.accumulate),
                     sent == accumulation_type(p) ? "" : std::string(", sums sent as ") + name(sent));
}

// A module has the problem of its first product, 1×1×1 without one.
std::string module_line(const Run& run) {
  const MatmulProblem& p = run.problem;
  const bool multiplies = p.m * p.k * p.n > 1;
  return "module     " + run.asked.label +
         (multiplies ? fmt::format(", first product m={} k={} n={} {}\n", p.m, p.k, p.n, name(p.dtype))
                     : ", no product\n");
}

}  // namespace

std::string run_text(const Run& run) {
  const MatmulProblem& p = run.problem;
  std::string out = fmt::format("{} on {}, {}, {}\n", run.strategy, run.mesh.text(),
                                counted(run.mesh.device_count(), "device"), run.hardware.name);
  out += run.module ? module_line(run) : problem_line(p);
  for (const auto& [key, value] : run.program.choices) out += fmt::format("{:<10} {}\n", key, value);
  out += simulated_lines(run);
  if (run.module)
    for (const std::string& w : run.module->warnings) out += "warning    " + w + "\n";
  out += numerics_line(run.numerics);
  if (run.measured) out += measured_line(*run.measured);
  if (run.steps) out += steps_lines(run);
  if (!run.ignored_options.empty())
    out += fmt::format("ignored    {}\n", fmt::join(run.ignored_options, ", "));
  if (run.id) out += fmt::format("recorded   run {}\n", *run.id);
  return out;
}

std::string ranking_text(const Comparison& comparison) {
  std::string out = comparison.title.empty() ? "" : comparison.title + "\n\n";
  if (!comparison.complete)
    out += fmt::format(
        "CANCELLED, these {} runs were done, {} with their numbers\n\n", comparison.runs.size(),
        std::ranges::count_if(comparison.runs, [](const RunPtr& run) { return run->numerics.checked; }));
  out += plain_table(comparison_table(comparison)) + "\n";
  const TextTable groups = group_table(comparison);
  if (groups.rows.size() > 1) out += plain_table(groups) + "\n";
  const Verdict said = judge(comparison.runs);
  out += said.text + "\n";
  if (said.difference) out += "\n" + plain_table(term_table(said)) + "\n" + plain_table(part_table(said));
  if (!comparison.skipped.empty()) out += "\nnot run:\n" + skipped_lines(comparison);
  return out;
}

// Of a record alone: a run that is made again takes another time, and the same command gives the same bytes.
static std::string measured_cell(const Run& run) {
  return run.measured && run.id ? fmt::format("{:.9g}", run.measured->wall_s) : "";
}

namespace {

using CsvCell = std::string(const RankedRun& ranked, const RunNumbers& numbers);
struct CsvColumn {
  const char* header;
  CsvCell* cell;
};

std::string exact_number(RunMetric id, const RunNumbers& numbers) {
  if (!numbers[id]) return "";
  const MetricUnit unit = metric(id).unit;
  return unit == MetricUnit::seconds ? fmt::format("{:.12g}", *numbers[id])
         : unit == MetricUnit::bytes ? fmt::format("{:.0f}", *numbers[id])
                                     : fmt::format("{:.6g}", *numbers[id]);
}
template <RunMetric id>
CsvColumn csv_metric(const char* header = metric(id).key) {
  return {header, [](const RankedRun&, const RunNumbers& numbers) { return exact_number(id, numbers); }};
}
// Of the run alone.
template <auto of>
CsvColumn csv_column(const char* header) {
  return {header, [](const RankedRun& r, const RunNumbers&) -> std::string { return of(*r.run); }};
}
std::string csv_bool(bool value) {
  return value ? "true" : "false";
}
std::string error_of(const Run& run, ErrorNorms ExactComparison::*side) {
  return run.numerics.exact ? fmt::format("{:.6g}", ((*run.numerics.exact).*side).rel_frobenius) : "";
}

const std::vector<CsvColumn>& csv_columns() {
  static const std::vector<CsvColumn> kCsvColumns = {
      csv_column<[](const Run& r) { return r.id ? std::to_string(*r.id) : ""; }>("run_id"),
      csv_column<[](const Run& r) { return csv_cell(r.strategy); }>("strategy"),
      csv_column<[](const Run& r) { return csv_cell(r.asked.label); }>("label"),
      csv_column<[](const Run& r) { return name(r.kind); }>("kind"),
      csv_column<[](const Run& r) { return "\"" + r.mesh.text() + "\""; }>("mesh"),
      csv_column<[](const Run& r) { return std::to_string(r.problem.m); }>("m"),
      csv_column<[](const Run& r) { return std::to_string(r.problem.k); }>("k"),
      csv_column<[](const Run& r) { return std::to_string(r.problem.n); }>("n"),
      csv_column<[](const Run& r) { return name(r.problem.dtype); }>("dtype"),
      csv_column<[](const Run& r) { return csv_cell(r.hardware.name); }>("hardware"),
      csv_metric<RunMetric::time>(),  // total_s, the table's "time"; its "total" is priced_total_s
      {"ratio_to_best",
       [](const RankedRun& r, const RunNumbers&) { return fmt::format("{:.6g}", r.ratio_to_best); }},
      csv_metric<RunMetric::compute>(),
      csv_metric<RunMetric::communication>(),
      csv_metric<RunMetric::exposed>(),
      csv_metric<RunMetric::idle>(),
      csv_metric<RunMetric::overlap>(),
      csv_column<[](const Run& r) { return summarise(r.timeline).bound; }>("bound"),
      csv_metric<RunMetric::sent>("bytes_sent_per_device"),
      csv_metric<RunMetric::peak>(),
      csv_column<[](const Run& r) { return csv_bool(r.numerics.checked); }>("checked"),
      {metric(RunMetric::allclose).key,
       [](const RankedRun&, const RunNumbers& n) { return csv_bool(n.get(RunMetric::allclose) != 0); }},
      {metric(RunMetric::max_abs).key,
       [](const RankedRun&, const RunNumbers& n) { return fmt::format("{:g}", n.get(RunMetric::max_abs)); }},
      csv_column<measured_cell>("measured_wall_s"),
      csv_column<[](const Run& r) {
        return r.hardware.memory.hbm_bytes ? fmt::format("{:.0f}", *r.hardware.memory.hbm_bytes) : "";
      }>("hbm_bytes"),
      csv_column<[](const Run& r) { return fits_hbm(r) ? csv_bool(*fits_hbm(r)) : ""; }>("fits"),
      csv_column<[](const Run& r) { return csv_cell(r.numerics.reference); }>("reference"),
      csv_column<[](const Run& r) { return error_of(r, &ExactComparison::result); }>("rel_error"),
      csv_column<[](const Run& r) { return error_of(r, &ExactComparison::reference); }>(
          "reference_rel_error"),
      {"group", [](const RankedRun& r, const RunNumbers&) { return r.group ? group_name(*r.group) : ""; }},
      {"ratio_in_group",
       [](const RankedRun& r, const RunNumbers&) {
         return r.group ? fmt::format("{:.6g}", r.ratio_in_group) : "";
       }},
      csv_column<[](const Run& r) {
        return r.price ? fmt::format("{:.12g}", to_seconds(r.price->total())) : "";
      }>("price_s"),
      {"priced_total_s",
       [](const RankedRun& r, const RunNumbers&) {
         return r.ranked ? fmt::format("{:.12g}", to_seconds(summary_of(*r.run).priced_total())) : "";
       }},
      {"standing",
       [](const RankedRun& r, const RunNumbers&) { return r.ranked ? std::to_string(r.standing) : ""; }},
  };
  return kCsvColumns;
}

}  // namespace

std::string compare_csv(const Comparison& comparison) {
  std::vector<std::string> cells;
  for (const CsvColumn& column : csv_columns()) cells.emplace_back(column.header);
  std::string out = join(cells, ",") + "\n";
  for (const RankedRun& r : rank(comparison.runs)) {
    const RunNumbers numbers = numbers_of(*r.run);
    cells.clear();
    for (const CsvColumn& column : csv_columns()) cells.push_back(column.cell(r, numbers));
    out += join(cells, ",") + "\n";
  }
  return out;
}

}  // namespace shardscope::inline report
