// SPDX-License-Identifier: Apache-2.0
// The JSON of `run`; field names are fixed: scripts read them.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/units.h"
#include "engine/program/analysis/local_work.h"
#include "engine/report/run_object.h"
#include "engine/request/request_json.h"
#include "engine/run/chosen_plan.h"
#include "engine/run/metrics.h"

namespace shardscope::inline report {
namespace {

using Json = ReportJson;

// JSON has no NaN or infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json optional_number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json mesh_json(const Mesh& mesh) {
  Json axes = Json::array();
  for (const MeshAxis& a : mesh.axes())
    axes.push_back({{"name", a.name}, {"size", a.size}, {"wrap", a.wrap}});
  Json out = {{"axes", axes}, {"devices", mesh.device_count()}};
  if (!mesh.device_order().empty()) out["device_order"] = mesh.device_order();
  return out;
}

Json overrides_json(const HardwareOverrides& overrides) {
  Json devices = Json::array();
  Json links = Json::array();
  for (const DeviceOverride& it : overrides.devices)
    devices.push_back({{"chip", it.chip}, {"speed", it.speed}});
  for (const LinkOverride& it : overrides.links)
    links.push_back({{"a", it.a}, {"b", it.b}, {"speed", it.speed}});
  Json out = {{"devices", devices}, {"links", links}};
  for (const AxisOverride& it : overrides.axes) out["axes"].push_back(text(it));
  return out;
}

Json problem_json(const MatmulProblem& p) {
  return {{"m", p.m},
          {"k", p.k},
          {"n", p.n},
          {"dtype", name(p.dtype)},
          {"accumulate", name(p.accumulate)},
          {"sum_dtype", name(p.sum)}};
}

Json norms_json(const ErrorNorms& n) {
  return {{"rel_frobenius", number(n.rel_frobenius)}, {"rms", number(n.rms)}, {"max_abs", number(n.max_abs)}};
}

// Result and reference against the product in f64.
Json exact_json(const std::optional<ExactComparison>& exact) {
  if (!exact) return nullptr;
  Json out = norms_json(exact->result);
  const Json reference = norms_json(exact->reference);
  for (const auto& [key, value] : reference.items()) out["reference_" + key] = value;
  out["index"] = exact->index;
  const bool differ = !exact->index.empty();
  out["value"] = differ ? number(exact->value) : Json(nullptr);
  out["reference_value"] = differ ? number(exact->reference_value) : Json(nullptr);
  out["exact_value"] = differ ? number(exact->exact_value) : Json(nullptr);
  out["partials"] = Json::array();
  for (const double partial : exact->partials) out["partials"].push_back(number(partial));
  out["partial_type"] = exact->partial_type ? Json(name(*exact->partial_type)) : Json(nullptr);
  out["of_reference"] = exact->of_reference;
  out["explanation"] = exact->explanation;
  return out;
}

Json numerics_object(const NumericsReport& n) {
  Json regions = Json::array();
  for (const NumericsRegion& r : n.regions) {
    regions.push_back({{"start", r.start},
                       {"stop", r.stop},
                       {"mean_abs", number(r.mean_abs)},
                       {"percent_bad", r.percent_bad}});
  }
  Json out = {{"checked", n.checked}, {"allclose", n.allclose}};
  for (const Metric& m : run_metrics())
    if (m.in_numerics != nullptr && m.id != RunMetric::smallest_atol) out[m.key] = number(n.*m.in_numerics);
  out["worst_index"] = n.worst_index;
  if (n.tolerance_max) {
    out["tolerance"] = "rounding";
    out["tolerance_max"] = *n.tolerance_max;
  }
  if (!n.array.empty()) out["array"] = n.array;
  out["worst_value"] = n.worst_index.empty() ? Json(nullptr) : number(n.worst_value);
  out["worst_reference"] = n.worst_index.empty() ? Json(nullptr) : number(n.worst_reference);
  out["regions"] = regions;
  out["region_grid"] = {n.region_rows, n.region_cols};
  out["reference"] = n.reference;
  out["check"] = name(n.checked ? n.check : ProofSize::off);
  out["scale"] = n.checked ? Json(n.scale) : Json(nullptr);
  out["reason"] = n.reason.empty() ? Json(nullptr) : Json(n.reason);
  out["smallest_atol"] = n.checked ? number(n.smallest_atol) : Json(nullptr);
  out["exact"] = exact_json(n.exact);
  out["warnings"] = n.warnings;
  return out;
}

Json group_json(const RunNumbers& numbers, MetricGroup group) {
  Json out;
  for (const Metric& m : run_metrics())
    if (m.group == group) out[m.key] = optional_number(numbers[m.id]);
  return out;
}

Json simulated_json(const Timeline& t, const RunNumbers& numbers) {
  const SimulatedSummary s = summarise(t);
  Json out;
  for (const Metric& m : run_metrics()) {
    if (m.id == RunMetric::mxu_utilisation) out["bound"] = s.bound;
    if (m.group == MetricGroup::simulated) out[m.key] = optional_number(numbers[m.id]);
  }
  out["device"] = s.device;
  out["assumptions"] = t.assumptions;
  out["critical_path"] = group_json(numbers, MetricGroup::critical_path);
  return out;
}

Json measured_json(const std::optional<Measured>& m, const RunNumbers& numbers) {
  if (!m) return nullptr;
  Json out = group_json(numbers, MetricGroup::measured);
  out["repeat"] = m->repeat;
  out["warmup"] = m->warmup;
  out["kernel"] = m->kernel;
  return out;
}

Json statistics_json(const std::optional<StepStatistics>& s) {
  if (!s) return nullptr;
  return {{"steps", s->count},   {"mean_s", s->mean}, {"median_s", s->median},
          {"stdev_s", s->stdev}, {"min_s", s->min},   {"max_s", s->max}};
}

// The steps of a loop, and statistics over those that are no warm-up.
void add_steps(const Run& run, Json& out) {
  if (!run.steps) return;
  const RunSteps& steps = *run.steps;
  Json rows = Json::array();
  for (const RunStep& step : steps.steps) {
    Json values = Json::array();
    for (size_t k = 0; k < step.values.size(); ++k)
      values.push_back({{"name", steps.values[k]}, {"value", number(step.values[k])}});
    const bool timed = !run.untimed;
    rows.push_back({{"number", step.number},
                    {"marker", steps.marker},
                    {"warmup", step.warmup},
                    {"start_s", timed ? Json(to_seconds(step.simulated.start)) : Json(nullptr)},
                    {"total_s", timed ? Json(to_seconds(step.simulated.length())) : Json(nullptr)},
                    {"wall_s", optional_number(step.wall_s)},
                    {"loss", step.values.empty() ? Json(nullptr) : number(step.values.front())},
                    {"values", values}});
  }
  out["steps"] = rows;
  const auto simulated = run.untimed ? std::nullopt : statistics_of(steps, StepClock::simulated);
  out["step_statistics"] = {{"simulated", statistics_json(simulated)},
                            {"measured", statistics_json(statistics_of(steps, StepClock::measured))}};
  out["carried"] = steps.carried;
  out["step_notes"] = steps.notes;
}

Json collectives_json(const Timeline& t) {
  Json out = Json::array();
  for (const CollectiveSummary& c : t.collectives) {
    out.push_back({{"opcode", c.opcode},
                   {"axis", c.axis},
                   {"count", c.count},
                   {"steps", c.steps},
                   {"algorithm", c.algorithm},
                   {"bytes_sent_per_device", c.bytes_sent_per_device}});
    if (!c.why.empty()) out.back()["why"] = c.why;
  }
  return out;
}

int64_t dots_in(const Computation& computation) {
  return std::count_if(computation.instructions.begin(), computation.instructions.end(),
                       [](const Instruction& i) { return has(i.opcode, Trait::contracts); });
}

// Those of a loop that a strategy wrote count in each of its rounds, as if it were written out.
int64_t dot_count(const Program& program) {
  int64_t dots = 0;
  for (const Computation& c : program.computations) {
    dots += dots_in(c);
    for (const Instruction& i : c.instructions) {
      if (i.opcode != Opcode::while_) continue;
      const int64_t again = known_trip_count(i).value_or(1) - 1;
      for (const CalledComputation& called : i.called)
        if (called.key == "body") dots += again * dots_in(program.computation(called.computation));
    }
  }
  return dots;
}

// A name that comes several times has a list.
Json choices_json(const Program& program) {
  Json out = Json::object();
  for (const auto& [key, value] : program.choices) {
    const bool is_number =
        !value.empty() && value.find_first_not_of("0123456789") == std::string::npos && value.size() < 18;
    Json chosen = is_number ? Json(std::stoll(value)) : Json(value);
    if (!out.contains(key)) {
      out[key] = std::move(chosen);
      continue;
    }
    if (!out[key].is_array()) out[key] = Json::array({out[key]});
    out[key].push_back(std::move(chosen));
  }
  return out;
}

// What is moved before and after, beside the experiment's own shardings.
Json price_json(const Run& run) {
  if (!run.price) return nullptr;
  Json out = Json::array();
  for (const PriceLeg& leg : run.price->legs)
    out.push_back({{"array", leg.array},
                   {"when", leg.is_result ? "after" : "before"},
                   {"what", leg.verb},
                   {"time_s", to_seconds(leg.time)}});
  return out;
}

}  // namespace

ReportJson run_object(const Run& run) {
  Json out;
  out["run_id"] = run.id ? Json(*run.id) : Json(nullptr);
  out["strategy"] = run.strategy;
  if (!run.asked.label.empty()) out["label"] = run.asked.label;
  if (!run.given.name.empty()) out["name"] = run.given.name;
  if (!run.given.tags.empty()) out["tags"] = run.given.tags;
  if (!run.given.note.empty()) out["note"] = run.given.note;
  if (!run.given.origin.empty()) out["origin"] = run.given.origin;
  out["kind"] = name(run.kind);
  out["status"] = name(run.status);
  out["mesh"] = mesh_json(run.mesh);
  out["problem"] = problem_json(run.problem);
  out["fill"] = name(run.experiment.fill);
  out["seed"] = run.experiment.seed;
  out["hardware"] = run.hardware.name;
  const HardwareOverrides& overrides = run.experiment.overrides;
  if (!overrides.empty()) out["overrides"] = overrides_json(overrides);
  out["overlap_enabled"] = run.overlap;
  out["options"] = choices_json(run.program);
  if (const auto chosen = chosen_plan(run.program))
    out["chosen"] = {{"plan", chosen->plan}, {"why", chosen->why}};
  out["ignored_options"] = run.ignored_options;
  out["request"] = request_json(run);
  out["output_sharding"] = run.program.output ? Json(run.program.output->spec.text()) : Json(nullptr);
  out["numerics"] = numerics_object(run.numerics);
  out["price_s"] = run.price ? Json(to_seconds(run.price->total())) : Json(nullptr);
  out["price"] = price_json(run);
  const RunNumbers numbers = numbers_of(run);
  out["simulated"] = run.untimed ? Json(nullptr) : simulated_json(run.timeline, numbers);
  if (run.untimed) out["untimed"] = run.untimed->text();
  out["measured"] = measured_json(run.measured, numbers);
  out["per_device"] = group_json(numbers, MetricGroup::per_device);
  out["per_device_max"] = group_json(numbers, MetricGroup::per_device_max);
  const std::optional<bool> fits = fits_hbm(run);
  out["fits"] = fits ? Json(*fits) : Json(nullptr);
  out["hbm_bytes"] = optional_number(run.hardware.memory.hbm_bytes);
  out["collectives"] = collectives_json(run.timeline);
  if (run.module) out["warnings"] = run.module->warnings;
  out["program"] = {{"instructions", run.program.instruction_count()}, {"dots", dot_count(run.program)}};
  out["events"] = run.timeline.event_count;
  add_steps(run, out);
  return out;
}

std::string numerics_json(const NumericsReport& numerics) {
  return numerics_object(numerics).dump();
}

std::string run_json(const Run& run) {
  return run_object(run).dump(2) + "\n";
}

}  // namespace shardscope::inline report
