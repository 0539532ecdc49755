// SPDX-License-Identifier: Apache-2.0
// What the terminal and Markdown files show.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/csv.h"
#include "engine/base/units.h"
#include "engine/report/report.h"
#include "engine/report/table.h"

namespace shardscope {
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
      "measured   median {}, mean {}, stdev {}, min {}, max {}, p95 {}, p99 {} ({} runs after {} warm-up, "
      "{})\n",
      format_seconds(m.median_s), format_seconds(m.mean_s), format_seconds(m.stdev_s),
      format_seconds(m.min_s), format_seconds(m.max_s), format_seconds(m.p95_s), format_seconds(m.p99_s),
      m.repeat, m.warmup, m.kernel);
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
  const SimulatedSummary s = summarise(run.timeline);
  const PerDevice mean = mean_per_device(run.timeline);
  const PerDevice worst = max_per_device(run.timeline);
  const CriticalPath& c = run.timeline.critical_path;
  std::string out = fmt::format(
      "simulated  {}: compute {}, communication {}, exposed {}, idle {}, overlap {}, bound by {}\n",
      format_seconds(s.total_s), format_seconds(s.compute_s), format_seconds(s.comm_s),
      format_seconds(s.exposed_comm_s), format_seconds(s.idle_s),
      s.overlap ? format_percent(*s.overlap) : kNothing, s.bound);
  out +=
      fmt::format("critical   compute {}, memory {}, latency {}, bandwidth {}, overhead {}\n",
                  format_picoseconds(c.compute), format_picoseconds(c.memory), format_picoseconds(c.latency),
                  format_picoseconds(c.bandwidth), format_picoseconds(c.overhead));
  out += fmt::format("per device {}, sent {}, peak {}{}\n", format_rate(mean.flops, "FLOP"),
                     format_bytes(mean.bytes_sent), format_bytes(worst.peak_bytes), fit_words(run));
  for (const CollectiveSummary& k : run.timeline.collectives) {
    out += fmt::format("           {} × {} over {}, {}: {} step{}, {} a device\n", k.count, k.opcode,
                       k.axis.empty() ? "devices" : k.axis, k.algorithm, k.steps, k.steps == 1 ? "" : "s",
                       format_bytes(k.bytes_sent_per_device));
  }
  for (const std::string& a : run.timeline.assumptions) out += "assumed    " + a + "\n";
  return out;
}

}  // namespace

std::string run_text(const Run& run) {
  const MatmulProblem& p = run.problem;
  std::string out = fmt::format("{} on {}, {} devices, {}\n", run.strategy, run.mesh.text(),
                                run.mesh.device_count(), run.hardware.name);
  const ElementType sent = travelling_type(p);
  out += fmt::format("problem    m={} k={} n={} {}, accumulate {}{}\n", p.m, p.k, p.n, name(p.dtype),
                     name(p.accumulate),
                     sent == accumulation_type(p) ? "" : std::string(", sums sent as ") + name(sent));
  for (const auto& [key, value] : run.program.choices) out += fmt::format("{:<10} {}\n", key, value);
  out += simulated_lines(run);
  if (run.module)
    for (const std::string& w : run.module->warnings) out += "warning    " + w + "\n";
  out += numerics_line(run.numerics);
  if (run.measured) out += measured_line(*run.measured);
  if (!run.ignored_options.empty())
    out += fmt::format("ignored    {}\n", fmt::join(run.ignored_options, ", "));
  if (run.id) out += fmt::format("recorded   run {}\n", *run.id);
  return out;
}

std::string ranking_text(const Comparison& comparison) {
  std::string out = comparison.title.empty() ? "" : comparison.title + "\n\n";
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

std::string compare_csv(const Comparison& comparison) {
  std::string out =
      "run_id,strategy,label,kind,mesh,m,k,n,dtype,hardware,total_s,ratio_to_best,compute_s,comm_s,exposed_"
      "comm_s,idle_s,"
      "overlap,bound,bytes_sent_per_device,peak_bytes,checked,allclose,max_abs,measured_wall_s,"
      "hbm_bytes,fits,reference,rel_error,reference_rel_error,group,ratio_in_group,price_s\n";
  for (const RankedRun& r : rank(comparison.runs)) {
    const Run& run = *r.run;
    const SimulatedSummary s = summarise(run.timeline);
    out += fmt::format(
        "{},{},{},{},\"{}\",{},{},{},{},{},{:.12g},{:.6g},{:.12g},{:.12g},{:.12g},{:.12g},{},{},{:.0f},{:"
        ".0f},{},{},{:g},{},{},{},{},{},{},{},{},{}\n",
        run.id ? std::to_string(*run.id) : "", csv_cell(run.strategy), csv_cell(run.asked.label),
        name(run.kind), run.mesh.text(), run.problem.m, run.problem.k, run.problem.n, name(run.problem.dtype),
        csv_cell(run.hardware.name), s.total_s, r.ratio_to_best, s.compute_s, s.comm_s, s.exposed_comm_s,
        s.idle_s, s.overlap ? fmt::format("{:.6g}", *s.overlap) : "", s.bound,
        mean_per_device(run.timeline).bytes_sent, max_per_device(run.timeline).peak_bytes,
        run.numerics.checked, run.numerics.allclose, run.numerics.max_abs, measured_cell(run),
        run.hardware.memory.hbm_bytes ? fmt::format("{:.0f}", *run.hardware.memory.hbm_bytes) : "",
        fits_hbm(run) ? (*fits_hbm(run) ? "true" : "false") : "", csv_cell(run.numerics.reference),
        run.numerics.exact ? fmt::format("{:.6g}", run.numerics.exact->result.rel_frobenius) : "",
        run.numerics.exact ? fmt::format("{:.6g}", run.numerics.exact->reference.rel_frobenius) : "",
        r.group ? group_name(*r.group) : "", r.group ? fmt::format("{:.6g}", r.ratio_in_group) : "",
        run.price ? fmt::format("{:.12g}", to_seconds(run.price->total())) : "");
  }
  return out;
}

}  // namespace shardscope
