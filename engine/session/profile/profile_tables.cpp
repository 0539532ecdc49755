// SPDX-License-Identifier: Apache-2.0
#include "engine/session/profile/profile_tables.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"

namespace shardscope::inline session {
namespace {

std::string seconds_or_dash(const std::optional<double>& time) {
  return time ? format_seconds(*time) : kNothing;
}

std::string signed_seconds(double time) {
  return fmt::format("{}{}", time < 0 ? "−" : "+", format_seconds(std::abs(time)));
}

std::string count_text(double count) {
  return std::abs(count - std::round(count)) < 1e-9 ? fmt::format("{:.0f}", count)
                                                    : fmt::format("{:.2f}", count);
}

}  // namespace

TextTable profile_overview(const ProfileBeside& beside) {
  const StepTime& t = beside.time;
  TextTable out{
      {"of a step", "time", "share"},
      {},
      {false, true, true},
      {"What the device does, or waits for", "Mean of a step over devices and steps", "Of the step's time"}};
  const auto row = [&](const char* what, double time) {
    out.rows.push_back(
        {what, format_seconds(time), t.step_s > 0 ? format_percent(time / t.step_s) : kNothing});
  };
  row("computing", t.compute_s);
  row("collectives, exposed", t.exposed_comm_s);
  row("copies and memsets, exposed", t.exposed_copy_s);
  row("the device waits for its host", t.host_gap_s);
  row("step", t.step_s);
  return out;
}

TextTable profile_instructions(const ProfileBeside& beside, size_t most) {
  TextTable out{
      {"instruction", "kind", "count", "measured", "simulated", "residual", "sure", "reason"},
      {},
      {false, false, true, true, true, true, true, false},
      {"The instruction of the module that the kernels are of", "What the chip does for it",
       "How often a step runs it", "Time of its kernels in a step, mean over devices and steps",
       "Time of a step in the simulation", "Measured minus simulated",
       "How sure it is that these kernels are its", "Why it takes longer or shorter than simulated"}};
  for (const ProfiledInstruction& i : beside.instructions) {
    if (most > 0 && out.rows.size() == most) break;
    out.rows.push_back({i.name, name(i.kind), count_text(i.count), format_seconds(i.measured_s),
                        seconds_or_dash(i.simulated_s),
                        i.simulated_s ? signed_seconds(i.residual_s()) : kNothing, format_percent(i.sure),
                        i.reason});
  }
  return out;
}

TextTable profile_unmatched(const ProfileBeside& beside, size_t most) {
  TextTable out{{"not attributed", "count", "measured", "why"},
                {},
                {false, true, true, false},
                {"What the profiler calls the work", "How often a step does it", "Time of it in a step",
                 "Why no instruction has it"}};
  for (const ProfiledRest& u : beside.unmatched) {
    if (most > 0 && out.rows.size() == most) break;
    out.rows.push_back({u.name, count_text(u.count), format_seconds(u.measured_s), u.why});
  }
  return out;
}

// What was reached: a roof is what the chip is said to do at most.
TextTable profile_reached(const ProfileBeside& beside, size_t most) {
  TextTable out{{"instruction", "measured", "TFLOP/s", "GB/s", "FLOP per byte"},
                {},
                {false, true, true, true, true},
                {"The instruction of the module", "Its time in a step", "Rate of its arithmetic as measured",
                 "Rate of its memory traffic as measured", "Its arithmetic by its memory traffic"}};
  for (const ProfiledInstruction& i : beside.instructions) {
    if (most > 0 && out.rows.size() == most) break;
    if (i.measured_s <= 0 || (i.flops <= 0 && i.bytes <= 0) || i.kind == MeasuredKind::collective) continue;
    out.rows.push_back({i.name, format_seconds(i.measured_s),
                        i.flops > 0 ? fmt::format("{:.1f}", i.flops / i.measured_s * 1e-12) : kNothing,
                        i.bytes > 0 ? fmt::format("{:.0f}", i.bytes / i.measured_s * 1e-9) : kNothing,
                        i.flops > 0 && i.bytes > 0 ? fmt::format("{:.0f}", i.flops / i.bytes) : kNothing});
  }
  return out;
}

// What a step would take less, the most first.
TextTable profile_help(const ProfileBeside& beside) {
  struct Gain {
    double time;
    std::string what;
  };
  std::vector<Gain> gains{{beside.time.host_gap_s, "work that the host gives the device in time: no gaps"},
                          {beside.time.exposed_comm_s, "collectives under computing: nothing exposed"},
                          {beside.time.exposed_copy_s, "no copies and memsets of their own"}};
  for (const ProfiledInstruction& i : beside.instructions)
    if (i.residual_s() > 0) gains.push_back({i.residual_s(), i.name + " as fast as simulated"});
  std::ranges::stable_sort(gains, std::greater(), &Gain::time);
  TextTable out{{"what would help", "at most"},
                {},
                {false, true},
                {"What would make a step shorter", "What a step would take less"}};
  constexpr size_t kMost = 5;
  for (const Gain& gain : gains)
    if (gain.time > 0 && out.rows.size() < kMost) out.rows.push_back({gain.what, format_seconds(gain.time)});
  return out;
}

std::string profile_headline(const ProfileBeside& beside) {
  std::string out = fmt::format("A step takes {}", format_seconds(beside.time.step_s));
  if (beside.simulated_s)
    out += fmt::format(", simulated on {} {}", beside.hardware, format_seconds(*beside.simulated_s));
  return out + fmt::format(": the device is busy for {}, {} of it has an instruction.",
                           format_seconds(beside.time.device_s), format_percent(beside.attributed));
}

std::string profile_origin(const ProfileBeside& beside) {
  return fmt::format("{}: {}, {}, {}", beside.title, beside.format,
                     say_count("{} device", "{} devices", int64_t{beside.devices}),
                     say_count("{} step", "{} steps", beside.steps));
}

std::vector<std::string> profile_notes(const ProfileBeside& beside) {
  std::vector<std::string> out = beside.notes;
  constexpr size_t kNamed = 6;
  if (beside.missing.empty()) return out;
  std::vector<std::string> first(
      beside.missing.begin(),
      beside.missing.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, beside.missing.size())));
  if (beside.missing.size() > kNamed) first.push_back("…");
  out.push_back(fmt::format("simulated, not in the profile: {}", join(first, ", ")));
  return out;
}

}  // namespace shardscope::inline session
