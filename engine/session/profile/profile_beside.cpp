// SPDX-License-Identifier: Apache-2.0
#include "engine/session/profile/profile_beside.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

#include "engine/base/text.h"
#include "engine/measure/predict.h"
#include "engine/measure/trace_points.h"
#include "engine/report/residual/residual.h"
#include "engine/report/residual/simulated_side.h"
#include "engine/session/hlo_run.h"
#include "engine/session/profile/profile_chip.h"
#include "engine/session/profile/step_time.h"

namespace shardscope::inline session {
namespace {

constexpr double kSame = 0.1;  // of the larger one: a residual that needs no reason

using ModuleKey = std::pair<std::string, int64_t>;  // name, program

// A module as it was simulated, by the names that its events have.
struct SimulatedModule {
  std::vector<SimulatedOperation> operations;
  std::map<std::string, size_t, std::less<>> places;
  Picoseconds total = 0;
  double runs = 0;  // a step, measured

  const SimulatedOperation* find(const ProfiledOperation& o) const {
    for (const std::string& called : {o.op, o.instruction, plain_instruction(o.op)})
      if (const auto found = places.find(called); !called.empty() && found != places.end())
        return &operations[found->second];
    return nullptr;
  }
};

void add_piece(const ResidualOperation& piece, ResidualOperation& to) {
  to.instructions.insert(to.instructions.end(), piece.instructions.begin(), piece.instructions.end());
  to.simulated += piece.simulated;
  to.critical += piece.critical;
  for (size_t t = 0; t < to.terms.size(); ++t) to.terms[t] += piece.terms[t];
  to.range = {std::min(to.range.start, piece.range.start), std::max(to.range.end, piece.range.end)};
}

// What the backend made of an instruction, as the sums that it splits, counts as the instruction itself: the
// profile and its module's text have no other name for it.
std::vector<SimulatedOperation> by_own_instruction(const Program& module, const Program& made,
                                                   std::vector<SimulatedOperation> operations) {
  std::set<std::string_view> own;
  for (const Computation& c : module.computations)
    for (const Instruction& i : c.instructions) own.insert(i.name);
  std::vector<SimulatedOperation> out;
  std::map<std::string, size_t> places;
  for (SimulatedOperation& o : operations) {
    const std::string& source = source_name(made.by_global_index(o.row.instructions.front()));
    if (!own.contains(o.row.instruction) && own.contains(source)) o.row.instruction = source;
    const auto [place, is_new] = places.try_emplace(o.row.instruction, out.size());
    if (is_new)
      out.push_back(std::move(o));
    else
      add_piece(o.row, out[place->second].row);
  }
  return out;
}

// What belongs to one instruction, over all steps and devices.
struct Sums {
  Picoseconds time = 0, wait = 0;
  int64_t events = 0;  // without parts
  double surely = 0;   // Σ sure · time
  double flops = 0, bytes = 0;
  MeasuredKind kind = MeasuredKind::other;
  const ProfiledOperation* of = nullptr;  // that takes the most time
  Picoseconds longest = 0;
  std::optional<double> predicted_s;  // Σ of its events, without a module
};

bool has_instruction(const ProfiledOperation& o) {
  return o.matched || !o.instruction.empty();
}

std::string_view reason_word(ResidualTerm term) {
  switch (term) {
    case ResidualTerm::compute:
      return "arithmetic";
    case ResidualTerm::memory:
      return "memory traffic";
    case ResidualTerm::latency:
      return "latency of links";
    case ResidualTerm::bandwidth:
      return "bandwidth of links";
    case ResidualTerm::launch:
      return "launch";
    case ResidualTerm::sync:
      return "synchronisation";
    case ResidualTerm::unmatched:
      return "unmatched";
  }
  return "";
}

class Beside {
 public:
  Beside(const Profile& profile, std::string hardware)
      : profile_(profile), trace_(profile.trace), steps_(steps_or_whole(profile.trace)) {
    out_.hardware = std::move(hardware);
    out_.title = trace_.title;
    out_.format = trace_.format;
    out_.devices = trace_.devices;
    out_.steps = std::max<int64_t>(1, std::ssize(steps_));
    out_.time = step_time(profile, steps_);
    out_.notes = trace_.notes;
    std::set<int16_t> devices;
    for (const MeasuredEvent& e : trace_.events) devices.insert(e.device);
    all_ = static_cast<double>(out_.steps) * std::max(1.0, static_cast<double>(devices.size()));
  }

  Result<ProfileBeside> make(const ProfileRequest& request, const std::stop_token& stop) {
    TRY_VOID(predict(stop));
    sum();
    for (const ProfiledModule& module : profile_.modules) TRY_VOID(simulate(module, request, stop));
    for (auto& [key, module] : simulated_) count_runs(key, module);
    for (const auto& [key, sums] : sums_) put(key, sums);
    put_simulated();
    std::ranges::stable_sort(out_.instructions, std::greater(), &ProfiledInstruction::measured_s);
    std::ranges::stable_sort(out_.unmatched, std::greater(), &ProfiledRest::measured_s);
    return std::move(out_);
  }

 private:
  using Key =
      std::tuple<std::string, int64_t, std::string, bool>;  // module, program, instruction, attributed

  double per_step(Picoseconds time) const { return to_seconds(time) / all_; }

  // Operations without a module are predicted one by one, from the sizes that the profiler wrote.
  Result<void> predict(const std::stop_token& stop) {
    predicted_.resize(trace_.operations.size());
    if (!profile_.modules.empty()) return {};
    TRY(const Hardware hardware, find_hardware(out_.hardware));
    for (const MeasuredPoint& point : points_of(trace_, out_.hardware)) {
      if (stop.stop_requested()) return cancelled();
      if (point.kind == PointKind::unknown) continue;
      const auto place =
          static_cast<size_t>(parse_int(point.id.substr(point.id.find('.') + 1)).value_or(1)) - 1;
      if (const Result<double> seconds = predicted_seconds(hardware, point, stop); seconds.ok())
        predicted_[place] = *seconds;
    }
    return {};
  }

  // The work of the steps, however they overlap on a device.
  void sum() {
    double within = 0, attributed = 0;
    std::vector<TimeRange> worked = steps_;
    if (!trace_.steps.empty()) {
      worked.front().start = std::min(worked.front().start, profile_.worked.start);
      worked.back().end = std::max(worked.back().end, profile_.worked.end);
    }
    for (const MeasuredEvent& e : trace_.events) {
      const ProfiledOperation& o = profile_.operations[static_cast<size_t>(e.operation)];
      if (o.early) continue;
      const bool known = has_instruction(o);
      Sums* to = nullptr;
      each_part_in(worked, {e.start, e.end}, [&](TimeRange part) {
        to = &sums_[{o.module, o.program, o.op, known}];
        to->time += part.length();
        to->surely += o.sure * static_cast<double>(part.length());
        within += static_cast<double>(part.length());
        if (known) attributed += static_cast<double>(part.length());
      });
      if (to != nullptr) take_once(e, o, *to);
    }
    if (within > 0) out_.attributed = attributed / within;
  }
  void take_once(const MeasuredEvent& e, const ProfiledOperation& o, Sums& to) {
    to.wait += e.wait;
    if (e.duration() >= to.longest) {
      to.longest = e.duration();
      to.of = &o;
      to.kind = o.kind;
    }
    if (const auto predicted = predicted_[static_cast<size_t>(e.operation)])
      to.predicted_s = to.predicted_s.value_or(0) + *predicted;
    if (o.part) return;
    ++to.events;
    to.flops += o.flops;
    to.bytes += static_cast<double>(o.bytes);
  }

  Result<void> simulate(const ProfiledModule& module, const ProfileRequest& request,
                        const std::stop_token& stop) {
    if (request.progress) request.progress("simulating " + module.name, 0);
    ModuleRunOptions how;
    how.check = CheckMode::off;
    how.asked.emplace("hardware", out_.hardware);
    const Result<ModuleRun> done = execute_module(*module.text, how, stop);
    if (!done.ok() && done.error().kind == ErrorKind::cancelled) return done.error();
    if (!done.ok() || done->run->untimed) {
      const Error& why = done.ok() ? *done->run->untimed : done.error();
      out_.notes.push_back(fmt::format("{} is not simulated: {}", module.name, why.text()));
      return {};
    }
    SimulatedModule& to = simulated_[{module.name, module.program}];
    const RunPtr& run = done->run;
    to.total = run->timeline.total;
    if (!run->timeline.events.empty())
      to.operations = by_own_instruction(
          *module.text, run->program, simulated_operations(told(run, stop), summarise(run->timeline).device));
    for (size_t o = 0; o < to.operations.size(); ++o) {
      to.places.try_emplace(to.operations[o].row.instruction, o);
      to.places.try_emplace(plain_instruction(to.operations[o].row.instruction), o);
    }
    runs_.emplace_back(run->timeline.total, run);
    return {};
  }

  // How often a step runs the module: as most of its instructions say.
  void count_runs(const ModuleKey& key, SimulatedModule& module) {
    std::vector<double> ratios;
    std::set<std::string> measured;
    for (const auto& [of, sums] : sums_) {
      const auto& [name, program, op, known] = of;
      if (ModuleKey(name, program) != key || !known || sums.events == 0) continue;
      const SimulatedOperation* simulated = module.find(*sums.of);
      if (simulated == nullptr || simulated->row.count == 0) continue;
      measured.insert(simulated->row.instruction);
      ratios.push_back(static_cast<double>(sums.events) / all_ / static_cast<double>(simulated->row.count));
    }
    for (const SimulatedOperation& o : module.operations)
      if (!measured.contains(o.row.instruction) && o.row.simulated > 0)
        out_.missing.push_back(profile_.modules.size() < 2
                                   ? o.row.instruction
                                   : fmt::format("{} of {}", o.row.instruction, key.first));
    if (ratios.empty()) return;
    const auto middle = ratios.begin() + (std::ssize(ratios) - 1) / 2;
    std::ranges::nth_element(ratios, middle);
    module.runs = *middle;
  }

  void put(const Key& key, const Sums& sums) {
    const auto& [module, program, op, known] = key;
    if (!known) {
      out_.unmatched.push_back({op, module, why_unmatched(*sums.of), per_step(sums.time),
                                static_cast<double>(sums.events) / all_});
      return;
    }
    ProfiledInstruction row;
    row.name = op;
    row.module = module;
    row.kind = sums.kind;
    row.count = static_cast<double>(sums.events) / all_;
    row.measured_s = per_step(sums.time);
    row.wait_s = per_step(sums.wait);
    row.sure = sums.time > 0 ? sums.surely / static_cast<double>(sums.time) : 1;
    row.flops = sums.flops / all_;
    row.bytes = sums.bytes / all_;
    const auto simulated = simulated_.find({module, program});
    const SimulatedOperation* of = simulated == simulated_.end() ? nullptr : simulated->second.find(*sums.of);
    if (of != nullptr) row.simulated_s = to_seconds(of->row.simulated) * simulated->second.runs;
    if (of == nullptr && sums.predicted_s) row.simulated_s = *sums.predicted_s / all_;
    if (of != nullptr && row.kind == MeasuredKind::other) row.kind = of->row.kind;
    row.reason = reason(row, of == nullptr ? nullptr : &of->row);
    out_.instructions.push_back(std::move(row));
  }

  std::string why_unmatched(const ProfiledOperation& o) const {
    if (o.module.empty()) return "the profile does not say which module it is of";
    if (profile_.modules.empty())
      return fmt::format("no module of the run is known: give the compiled module (--hlo FILE){}",
                         trace_.format == "xplane" ? "" : " or the run's xplane.pb, which holds it");
    const bool known = std::ranges::any_of(
        profile_.modules, [&](const auto& m) { return m.name == o.module && m.program == o.program; });
    return known ? "no instruction of its module fits its name or its turn"
                 : fmt::format("of {}, another module of the run, whose text is not known", o.module);
  }

  static std::string reason(const ProfiledInstruction& row, const ResidualOperation* simulated) {
    if (!row.simulated_s) return "not simulated";
    const double residual = row.residual_s();
    if (std::abs(residual) <= kSame * std::max(row.measured_s, *row.simulated_s)) return "as simulated";
    if (row.wait_s > std::abs(residual) / 2 && residual > 0) return "waits for the last device";
    if (simulated == nullptr) return row.kind == MeasuredKind::product ? "arithmetic" : "memory traffic";
    const double faster = *row.simulated_s > 0 ? row.measured_s / *row.simulated_s : 0;
    constexpr double kManyTimes = 10;
    return fmt::format("{}: {} the simulated time", reason_word(simulated->bound()),
                       faster < kManyTimes ? format_percent(faster) + " of"
                                           : group_digits(std::llround(std::min(faster, 1e15))) + " ×");
  }

  void put_simulated() {
    double all = 0;
    for (const auto& [_, module] : simulated_) all += to_seconds(module.total) * module.runs;
    if (!simulated_.empty()) out_.simulated_s = all;
    std::ranges::stable_sort(runs_, std::greater(), [](const auto& each) { return each.first; });
    for (const auto& [_, run] : runs_) out_.runs.push_back(run);
  }

  const Profile& profile_;
  const MeasuredTrace& trace_;
  std::vector<TimeRange> steps_;
  ProfileBeside out_;
  double all_ = 1;  // steps of all devices
  std::map<Key, Sums> sums_;
  std::map<ModuleKey, SimulatedModule> simulated_;
  std::vector<std::optional<double>> predicted_;  // by operation, of one event
  std::vector<std::pair<Picoseconds, RunPtr>> runs_;
};

}  // namespace

Result<ProfileBeside> beside_profile(const ProfileRequest& request, const std::stop_token& stop) {
  if (!request.hardware.empty()) TRY_VOID(find_hardware(request.hardware));
  TRY(Profile profile, import_profile(request.files, {stop, request.progress, request.hlo_file}));
  if (profile.trace.events.empty())
    return invalid("the file holds times of single operations, no profile", request.files.front(),
                   "give a profile of a run: xplane.pb, trace.json.gz, a PyTorch trace or an nsys export");
  const ProfileChip chip =
      request.hardware.empty() ? profile_chip(profile) : ProfileChip{request.hardware, false};
  TRY(ProfileBeside out, Beside(profile, chip.hardware).make(request, stop));
  if (chip.guess)
    out.notes.push_back(chip.called.empty()
                            ? fmt::format("the profile does not name its chip: {} is taken", chip.hardware)
                            : fmt::format("the profile names {}, which is no chip known here: {} is taken",
                                          chip.called, chip.hardware));
  out.trace = std::make_shared<const MeasuredTrace>(std::move(profile.trace));
  return out;
}

}  // namespace shardscope::inline session
