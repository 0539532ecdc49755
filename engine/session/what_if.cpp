// SPDX-License-Identifier: Apache-2.0
#include "engine/session/what_if.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/kernels/time/calls.h"
#include "engine/request/fields.h"

namespace shardscope::inline session {
namespace {

// The run's own, with what was asked over it: axes' factors multiply, of chips and links the last word
// counts.
HardwareOverrides merged(HardwareOverrides own, const HardwareOverrides& more) {
  own.devices.insert(own.devices.end(), more.devices.begin(), more.devices.end());
  own.links.insert(own.links.end(), more.links.begin(), more.links.end());
  std::vector<AxisOverride> axes;
  const auto add = [&](const std::string& axis, double factor) {
    std::erase_if(axes, [&](const AxisOverride& it) { return it.axis == axis; });
    if (factor != 1) axes.push_back({axis, factor});
  };
  for (const AxisOverride& it : own.axes) add(it.axis, axis_factor(own, it.axis));
  for (const AxisOverride& it : more.axes)
    add(it.axis, axis_factor(own, it.axis) * axis_factor(more, it.axis));
  own.axes = std::move(axes);
  return own;
}

Error unknown_operation(const Program& program, const std::string& name) {
  std::vector<std::string> names;
  for (const Instruction& i : program.entry_computation().instructions) names.push_back(display_name(i));
  const auto near = nearest(name, names);
  return invalid("there is no operation '" + name + "'", "--op",
                 near ? "did you mean " + *near : "the program's text names them");
}

// What one parameter is, and the question that makes it `gain` times better.
struct Parameter {
  std::string name;
  double value = 0;
  const char* unit = "";
  bool less_is_better = false;
  std::optional<NumberChange> ChipChanges::*number = nullptr;  // none: the links of `axis`
  std::string axis{};

  double factor(double gain) const { return less_is_better ? 1 / gain : gain; }
  WhatIf with(WhatIf question, double factor) const {
    if (number != nullptr) {
      const NumberChange by{true, factor};
      question.chip.*number = question.chip.*number ? after(*(question.chip.*number), by) : by;
    } else {
      question.overrides = merged(question.overrides, {{}, {}, {{axis, factor}}});
    }
    return question;
  }
};

// Of whatever is published.
std::vector<Parameter> parameters_of(const Hardware& hardware, const HardwareOverrides& overrides,
                                     const Multiplied& how, const std::vector<std::string>& links) {
  std::vector<Parameter> out;
  for (const std::string& link : links) {
    const auto& bandwidth = link == "network" ? hardware.network_bytes_per_s : hardware.link.bytes_per_s;
    const double factor = axis_factor(overrides, link);
    if (bandwidth && std::isfinite(factor))
      out.push_back({"link " + link, *bandwidth * factor, "B/s", false, nullptr, link});
  }
  if (const auto peak = peak_for(hardware, how); peak.ok())
    out.push_back({"peak", peak->flops_per_s / peak->passes, "FLOP/s", false, &ChipChanges::peak});
  if (hardware.memory.hbm_bytes_per_s)
    out.push_back({"hbm", *hardware.memory.hbm_bytes_per_s, "B/s", false, &ChipChanges::hbm});
  if (const auto latency = hardware.link.latency_s ? hardware.link.latency_s : hardware.network_latency_s)
    out.push_back({"latency", *latency, "s", true, &ChipChanges::latency});
  const double launch = std::max(hardware.compute.launch_overhead_s, hardware.link.launch_overhead_s);
  out.push_back({"launch", launch, "s", true, &ChipChanges::launch});
  return out;
}

constexpr double kTenPercent = 1.1;
constexpr int kDoublings = 10;       // a thousand times as good is as good as it is looked at
constexpr double kPrecision = 1.01;  // of stops_at

// The least gain from which on `at` stays the same; none: it changes up to the last doubling.
template <class TotalAt>
Result<std::optional<double>> plateau(const TotalAt& at) {
  TRY(const Picoseconds least, at(std::exp2(kDoublings)));
  int flat_from = kDoublings;
  while (flat_from > 0) {
    TRY(const Picoseconds there, at(std::exp2(flat_from - 1)));
    if (there != least) break;
    --flat_from;
  }
  if (flat_from == kDoublings) return std::optional<double>();
  if (flat_from == 0) return std::optional(1.0);
  double falls = std::exp2(flat_from - 1), flat = std::exp2(flat_from);
  while (flat > falls * kPrecision) {
    const double between = std::sqrt(falls * flat);
    TRY(const Picoseconds there, at(between));
    (there == least ? flat : falls) = between;
  }
  return std::optional(flat);
}

}  // namespace

Result<WhatIfBase> WhatIfBase::make(RunPtr run, std::stop_token stop) {
  if (run->untimed || run->timeline.totals.empty())
    return invalid("the run has no simulated time", "what-if", "run what can be timed");
  WhatIfBase out;
  out.run_ = std::move(run);
  TRY(const Machine machine, out.machine({}));
  TRY(Retiming retiming, Retiming::make(out.run_->program, machine.hardware, machine.options));
  out.retiming_ = std::make_shared<const Retiming>(std::move(retiming));
  TRY(const Picoseconds total, out.total({}, std::move(stop)));
  if (total == out.run_->timeline.total) return out;
  return invalid(fmt::format("the run took {} and takes {} now: it was timed by other rules",
                             format_picoseconds(out.run_->timeline.total), format_picoseconds(total)),
                 "what-if", "run it again");
}

bool WhatIfBase::links_can_change() const {
  const KernelTiming kernels = run_->experiment.kernels;
  return run_->module || kernels == KernelTiming::off || kernels == KernelTiming::dots;
}

std::vector<std::string> WhatIfBase::links() const {
  std::vector<std::string> out;
  if (!links_can_change()) return out;
  for (const Lane& lane : run_->timeline.lanes) {
    if (lane.kind != LaneKind::link && lane.kind != LaneKind::port) continue;
    const std::string& name =
        lane.axis < 0 ? lane.name : run_->mesh.axes()[static_cast<size_t>(lane.axis)].name;
    if (out.empty() || out.back() != name) out.push_back(name);
  }
  return out;
}

Result<WhatIfBase::Machine> WhatIfBase::machine(const WhatIf& question) const {
  Machine out;
  TRY(out.hardware, changed(run_->hardware, question.chip));
  out.options.overlap = run_->overlap;
  out.options.collective = run_->collective;
  out.options.overrides = merged(run_->experiment.overrides, question.overrides);
  out.options.most_events = 0;
  out.options.module = run_->experiment.module;
  for (const AxisOverride& it : out.options.overrides.axes)
    if (std::isnan(it.factor)) return invalid("broken links that take no time", "link " + text(it));
  const KernelTiming kernels = run_->experiment.kernels;
  if (kernels == KernelTiming::off || run_->module) return out;
  if (!out.options.overrides.empty() && !links_can_change()) {
    return invalid("the kernels of collectives support no slow device or link", "what-if",
                   "ask a run without --kernels collectives");
  }
  out.options.calls = kernels::kernel_calls(run_->program, out.hardware, kernels).calls;
  return out;
}

Result<Untimed> WhatIfBase::untimed(const WhatIf& question) const {
  Untimed out;
  const Timeline& base = run_->timeline;
  const auto refuse_kernel = [&](const Work* work, const char* where) -> Result<void> {
    if (work == nullptr || work->kind != WorkKind::collective || work->schedule != nullptr) return {};
    return invalid("a kernel stands for it, whose call is one whole", where);
  };
  for (const int64_t event : question.events) {
    if (base.events.empty()) return invalid("the run has totals only", "--event");
    if (event < 0 || event >= static_cast<int64_t>(base.events.size()))
      return invalid(fmt::format("there is no event {}", event), "--event",
                     fmt::format("the run has events 0 to {}", base.events.size() - 1));
    const Event& of = base.events[static_cast<size_t>(event)];
    const int32_t first = run_->program.global_index(run_->program.entry, InstructionId(0));
    TRY_VOID(refuse_kernel(retiming_->work_of(InstructionId(of.instruction - first)), "--event"));
    out.events.push_back(key_of(of));
  }
  const Computation& entry = run_->program.entry_computation();
  for (const std::string& name : question.operations) {
    const auto found =
        std::ranges::find_if(entry.instructions, [&](const Instruction& i) { return is_called(i, name); });
    if (found == entry.instructions.end()) return unknown_operation(run_->program, name);
    const InstructionId id(found - entry.instructions.begin());
    const Work* work = retiming_->work_of(id);
    if (work == nullptr) return invalid(name + " takes no time as it is", "--op");
    if (work->instruction != id)
      return invalid(fmt::format("{} is done by {} as well", name, display_name(entry.at(work->instruction))),
                     "--op", "name that one");
    TRY_VOID(refuse_kernel(work, "--op"));
    out.instructions.push_back(id);
  }
  return out;
}

Result<Picoseconds> WhatIfBase::total(const WhatIf& question, std::stop_token stop) const {
  TRY(Machine machine, this->machine(question));
  TRY(machine.options.untimed, untimed(question));
  machine.options.keep_events = false;
  TRY(const Timeline timeline, retiming_->time(machine.hardware, machine.options, std::move(stop)));
  return timeline.total;
}

Result<WhatIfAnswer> WhatIfBase::ask(const WhatIf& question, Keep keep, std::stop_token stop) const {
  TRY(Machine machine, this->machine(question));
  TRY(machine.options.untimed, untimed(question));
  machine.options.keep_events = keep == Keep::events;
  TRY(Timeline timeline, retiming_->time(machine.hardware, machine.options, std::move(stop)));
  WhatIfAnswer out;
  out.question = question;
  out.base = split_of(run_->timeline);
  out.then = split_of(timeline);
  // A module's is its compiler's, whatever takes how long.
  out.peak_bytes = max_per_device(run_->module ? run_->timeline : timeline).peak_bytes;
  if (const auto& hbm = run_->hardware.memory.hbm_bytes) out.fits = out.peak_bytes <= *hbm;
  out.timeline = std::make_shared<const Timeline>(std::move(timeline));
  return out;
}

Result<std::vector<Sensitivity>> WhatIfBase::sensitivities(const WhatIf& question,
                                                           std::stop_token stop) const {
  TRY(const Machine now, machine(question));
  TRY(const Picoseconds base, total(question, stop));
  std::vector<Sensitivity> out;
  for (const Parameter& it :
       parameters_of(now.hardware, now.options.overrides, problem_product(*run_), links())) {
    const auto at = [&](double gain) { return total(it.with(question, it.factor(gain)), stop); };
    Sensitivity& s = out.emplace_back(Sensitivity{it.name, it.value, it.unit, 0, std::nullopt});
    TRY(const Picoseconds better, at(kTenPercent));
    s.plus10 = better - base;
    TRY(const std::optional<double> gain, plateau(at));
    if (gain) s.stops_at = it.factor(*gain);
  }
  std::ranges::stable_sort(out, {}, &Sensitivity::plus10);
  return out;
}

Result<Experiment> WhatIfBase::as_experiment(const WhatIf& question) const {
  if (run_->module)
    return invalid("a run of a module is not an experiment's", "what-if", "ask hlo run for it");
  if (!question.events.empty() || !question.operations.empty())
    return invalid("the request gives no event or operation zero cost", "what-if",
                   "keep what is asked of the chip and the links, and copy the command for the rest");
  TRY_VOID(machine(question));
  Experiment out = run_->experiment;
  out.overrides = merged(out.overrides, question.overrides);
  out.chip = after(out.chip, question.chip);
  out.runs = {run_->asked};
  std::string& label = out.runs.front().label;
  label += (label.empty() ? "" : ", ") + changes_text(question);
  return out;
}

namespace {

Result<std::string> before_zero(std::string_view text, const char* where, const char* how) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || trim(text.substr(equals + 1)) != "0" ||
      trim(text.substr(0, equals)).empty())
    return invalid(fmt::format("'{}' does not say what has zero cost", text), where, how);
  return std::string(trim(text.substr(0, equals)));
}

}  // namespace

Result<WhatIf> parse_what_if(const TypedWhatIf& typed) {
  Experiment changes;
  for (const auto& [key, text] : typed.fields) {
    const Result<void> fine = put(*find_field(key), changes, text);
    if (!fine.ok()) return placed(fine.error(), "--" + key);
  }
  WhatIf out{changes.overrides, changes.chip, {}, {}};
  for (const std::string& text : typed.events) {
    TRY(const std::string said, before_zero(text, "--event", "write its number, as in 17=0"));
    const auto number = parse_int(said);
    if (!number) return invalid("'" + said + "' is not an event", "--event", "write its number, as in 17=0");
    out.events.push_back(*number);
  }
  for (const std::string& text : typed.operations) {
    TRY(out.operations.emplace_back(), before_zero(text, "--op", "write its name, as in all-gather.1=0"));
  }
  return out;
}

}  // namespace shardscope::inline session
