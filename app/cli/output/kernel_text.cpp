// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/output/kernel_output.h"
#include "engine/base/say.h"
#include "engine/base/units.h"

namespace shardscope::inline cli {

namespace {

std::string quoted_line(const KernelListing& listing, int32_t line) {
  if (line < 1 || static_cast<size_t>(line) > listing.lines.size()) return "";
  return fmt::format("    {:>3}  {}\n", line, listing.lines[static_cast<size_t>(line) - 1]);
}

std::string finding_text(const KernelFinding& finding, const KernelListing& listing,
                         const std::string& runs) {
  std::string out = fmt::format("{}{}\n  {}\n", name(finding.kind), runs, finding.message);
  out += quoted_line(listing, finding.first.line);
  if (finding.second.line != finding.first.line) out += quoted_line(listing, finding.second.line);
  if (!finding.missing.empty()) out += fmt::format("  missing: {}\n", finding.missing);
  return out;
}

}  // namespace

std::string kernel_list_text() {
  std::string out;
  for (const kernels::KernelEntry& entry : kernels::catalogue()) {
    out += fmt::format("{:<26} {}\n", entry.id, entry.title);
    if (entry.broken) out += fmt::format("{:<26} broken, a lesson; mended: {}\n", "", entry.mended);
  }
  return out;
}

std::string kernel_run_text(const KernelRun& run, const std::optional<KernelTime>& time,
                            const std::string& why) {
  const int64_t devices = run.layout.mesh.device_count();
  std::string out = fmt::format("{} on {}: {} of {} schedules correct, {} wrong\n", run.layout.kernel,
                                counted(devices, "device"), run.correct_runs, run.schedules, run.wrong_runs);
  if (time) {
    out += fmt::format("time {}, bound by {}", format_picoseconds(time->total), time->roofline.bound);
    if (time->roofline.flops_per_s > 0)
      out += fmt::format(", {} of a roof of {}", format_rate(time->roofline.flops_per_s, "FLOP/s"),
                         format_rate(time->roofline.roof_flops_per_s, "FLOP/s"));
    out += "\n";
  } else {
    out += fmt::format("no time: {}\n", why);
  }
  out += fmt::format("vmem {} of {}, at most {} DMAs in flight\n",
                     format_bytes(static_cast<double>(run.vmem_peak_bytes)),
                     format_bytes(static_cast<double>(run.layout.vmem_limit)), run.max_dma_in_flight);
  if (run.needed_flops > 0 && run.flops > run.needed_flops)
    out += fmt::format(
        "{} of the products' flops are wasted\n",
        format_percent(1 - static_cast<double>(run.needed_flops) / static_cast<double>(run.flops)));
  for (const KernelFindingCount& count : run.findings) {
    out += "\n" + finding_text(count.finding, run.layout.listing,
                               fmt::format(": {} of {} runs, first with seed {}", count.runs, run.schedules,
                                           count.first_seed));
  }
  if (run.findings.empty()) out += "nothing found\n";
  return out;
}

std::string kernel_sweep_text(const std::string& kernel, const std::vector<kernels::KernelAxis>& axes,
                              const std::vector<kernels::KernelPointResult>& points) {
  std::string out = kernel + "\n";
  for (const kernels::KernelPointResult& point : points) {
    for (size_t a = 0; a < axes.size(); ++a) out += fmt::format("{}={:<6} ", axes[a].name, point.values[a]);
    out += fmt::format("{:>10}  ", format_bytes(static_cast<double>(point.vmem_bytes)));
    if (point.time) {
      out += fmt::format("{:>10}  {:<8} {} of {}", format_picoseconds(point.time->total),
                         point.time->roofline.bound, format_rate(point.time->roofline.flops_per_s, "FLOP/s"),
                         format_rate(point.time->roofline.roof_flops_per_s, "FLOP/s"));
    } else {
      out += point.error.empty() ? "does not fit vmem" : point.error;
    }
    out += "\n";
  }
  return out;
}

std::string kernel_replay_text(const kernels::KernelReplay& replay) {
  const std::vector<KernelFinding>& findings = replay.outcome().findings;
  const KernelListing& listing = replay.program().layout.listing;
  std::string out;
  for (int64_t step = 0; step < replay.steps(); ++step) {
    out += fmt::format("{:>5}  {}\n", step + 1, replay.action(step));
    for (const KernelFinding& finding : findings) {
      if (finding.step == step && step + 1 < replay.steps()) out += finding_text(finding, listing, "");
    }
  }
  for (const KernelFinding& finding : findings) {
    if (finding.step + 1 >= replay.steps()) out += finding_text(finding, listing, "");
  }
  return out + (replay.outcome().correct ? "correct\n" : "wrong\n");
}

}  // namespace shardscope::inline cli
