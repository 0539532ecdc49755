// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/kernel_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/units.h"

namespace shardscope::inline cli {

namespace {

using Json = nlohmann::ordered_json;

Json access_json(const KernelAccess& access) {
  return {{"device", access.device},
          {"dma", access.dma < 0 ? Json() : Json(access.dma)},
          {"line", access.line},
          {"step", access.step},
          {"text", access.text}};
}

Json finding_json(const KernelFinding& finding) {
  Json accesses = Json::array();
  if (finding.first.device >= 0) accesses.push_back(access_json(finding.first));
  if (finding.second.device >= 0) accesses.push_back(access_json(finding.second));
  return {{"kind", name(finding.kind)}, {"devices", finding.devices}, {"message", finding.message},
          {"missing", finding.missing}, {"step", finding.step},       {"accesses", accesses}};
}

Json device_json(const KernelDeviceTime& d) {
  return {{"end_s", to_seconds(d.end)},
          {"mxu_s", to_seconds(d.mxu)},
          {"hbm_s", to_seconds(d.hbm)},
          {"link_s", to_seconds(d.link)},
          {"wait_s", to_seconds(d.wait)},
          {"prologue_s", to_seconds(d.prologue)},
          {"bubbles_s", to_seconds(d.bubbles)},
          {"epilogue_s", to_seconds(d.epilogue)},
          {"flops", d.flops},
          {"hbm_bytes", d.hbm_bytes},
          {"link_bytes", d.link_bytes}};
}

Json roofline_json(const KernelRoofline& r) {
  return {{"flops_per_byte", r.flops_per_byte},
          {"flops_per_s", r.flops_per_s},
          {"roof_flops_per_s", r.roof_flops_per_s},
          {"mxu_utilisation", r.mxu_utilisation},
          {"bound", r.bound}};
}

}  // namespace

std::string kernel_list_json() {
  Json list = Json::array();
  for (const kernels::KernelEntry& entry : kernels::catalogue()) {
    list.push_back({{"id", entry.id},
                    {"title", entry.title},
                    {"broken", entry.broken},
                    {"mended", entry.mended.empty() ? Json() : Json(entry.mended)},
                    {"mesh_axes", entry.axes}});
  }
  return Json{{"kernels", list}}.dump(2) + "\n";
}

std::string kernel_run_json(const KernelRun& run, const std::optional<KernelTime>& time,
                            const std::string& why, bool every) {
  Json findings = Json::array();
  for (const KernelFindingCount& count : run.findings) {
    Json one = finding_json(count.finding);
    Json item = {{"kind", one["kind"]}, {"runs", count.runs}, {"first_seed", count.first_seed}};
    item.update(one);
    findings.push_back(std::move(item));
  }
  Json out = {{"kernel", run.layout.kernel},
              {"devices", run.layout.mesh.device_count()},
              {"schedules", run.schedules},
              {"all_schedules", every},
              {"correct_runs", run.correct_runs},
              {"wrong_runs", run.wrong_runs},
              {"findings", findings},
              {"time_s", time ? Json(to_seconds(time->total)) : Json()},
              {"vmem_peak_bytes", run.vmem_peak_bytes},
              {"max_dma_in_flight", run.max_dma_in_flight},
              {"vmem_limit_bytes", run.layout.vmem_limit},
              {"flops", run.flops},
              {"wasted_flops", run.needed_flops > 0 ? run.flops - run.needed_flops : 0}};
  if (time) {
    out["roofline"] = roofline_json(time->roofline);
    out["assumptions"] = time->assumptions;
    out["device_times"] = Json::array();
    for (const KernelDeviceTime& device : time->devices) out["device_times"].push_back(device_json(device));
  } else {
    out["time_error"] = why;
  }
  return out.dump(2) + "\n";
}

std::string kernel_sweep_json(const std::string& kernel, const std::vector<kernels::KernelAxis>& axes,
                              const std::vector<kernels::KernelPointResult>& points) {
  Json rows = Json::array();
  for (const kernels::KernelPointResult& point : points) {
    Json row;
    for (size_t a = 0; a < axes.size(); ++a) row[axes[a].name] = point.values[a];
    row["time_s"] = point.time ? Json(to_seconds(point.time->total)) : Json();
    row["vmem_peak_bytes"] = point.vmem_bytes;
    row["fits_vmem"] = point.fits_vmem;
    row["roofline"] = point.time ? roofline_json(point.time->roofline) : Json();
    row["bubbles_s"] = point.time ? Json(to_seconds(point.time->devices[0].bubbles)) : Json();
    if (!point.error.empty()) row["error"] = point.error;
    rows.push_back(std::move(row));
  }
  return Json{{"kernel", kernel}, {"points", rows}}.dump(2) + "\n";
}

std::string kernel_replay_json(const kernels::KernelReplay& replay) {
  Json steps = Json::array();
  for (int64_t step = 0; step < replay.steps(); ++step) steps.push_back(replay.action(step));
  Json findings = Json::array();
  for (const KernelFinding& finding : replay.outcome().findings) findings.push_back(finding_json(finding));
  return Json{{"kernel", replay.program().layout.kernel},
              {"correct", replay.outcome().correct},
              {"listing", replay.program().layout.listing.lines},
              {"steps", steps},
              {"findings", findings}}
             .dump(2) +
         "\n";
}

std::string kernel_shrink_output(const kernels::KernelEntry& entry, kernels::KernelProgram program,
                                 const kernels::Schedule& schedule, uint64_t input_seed,
                                 const std::optional<kernels::ShrunkSchedule>& shrunk, bool json) {
  const int64_t steps = run_schedule(program, nullptr, nullptr, schedule).steps;
  Json out = {{"kernel", entry.id},     {"seed", schedule.seed}, {"steps_before", steps},
              {"steps_after", nullptr}, {"finding", nullptr},    {"schedule", Json::array()}};
  if (!shrunk) {
    return json ? out.dump(2) + "\n"
                : fmt::format("the schedule of seed {} shows nothing: there is nothing to shrink\n",
                              schedule.seed);
  }
  const kernels::KernelReplay replay(std::move(program), shrunk->choices, input_seed);
  if (!json) {
    return kernel_replay_text(replay) +
           fmt::format("{} of {} steps are left: {}\n", replay.steps(), shrunk->steps_before,
                       shrunk->shortest ? "none of them can be left out"
                                        : "the search took too long, there may be fewer");
  }
  out["steps_after"] = replay.steps();
  out["finding"] = finding_json(shrunk->finding);
  for (int64_t step = 0; step < replay.steps(); ++step) {
    const kernels::Action& choice = shrunk->choices[static_cast<size_t>(step)];
    constexpr const char* kKinds[] = {"device", "read", "write"};
    out["schedule"].push_back(
        {{"kind", kKinds[static_cast<size_t>(choice.kind)]},
         {choice.kind == kernels::Action::Kind::device ? "device" : "dma", choice.index},
         {"text", replay.action(step)}});
  }
  return out.dump(2) + "\n";
}

}  // namespace shardscope::inline cli
