// SPDX-License-Identifier: Apache-2.0
// A profile beside its simulation as JSON, text and page.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/base/xml.h"
#include "engine/report/html_page.h"
#include "engine/report/page/page_frame.h"
#include "engine/report/table.h"
#include "engine/session/profile/profile_beside.h"

namespace shardscope {
namespace {

using Json = nlohmann::ordered_json;

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

TextTable overview_table(const ProfileBeside& beside) {
  const StepTime& t = beside.time;
  TextTable out{{"of a step", "time", "share"}, {}, {false, true, true}};
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

TextTable instruction_table(const ProfileBeside& beside, size_t most) {
  TextTable out{{"instruction", "kind", "count", "measured", "simulated", "residual", "sure", "reason"},
                {},
                {false, false, true, true, true, true, true, false}};
  for (const ProfiledInstruction& i : beside.instructions) {
    if (most > 0 && out.rows.size() == most) break;
    out.rows.push_back({i.name, name(i.kind), count_text(i.count), format_seconds(i.measured_s),
                        seconds_or_dash(i.simulated_s),
                        i.simulated_s ? signed_seconds(i.residual_s()) : kNothing, format_percent(i.sure),
                        i.reason});
  }
  return out;
}

TextTable unmatched_table(const ProfileBeside& beside, size_t most) {
  TextTable out{{"not attributed", "count", "measured", "why"}, {}, {false, true, true, false}};
  for (const ProfiledRest& u : beside.unmatched) {
    if (most > 0 && out.rows.size() == most) break;
    out.rows.push_back({u.name, count_text(u.count), format_seconds(u.measured_s), u.why});
  }
  return out;
}

// What was reached: a roof is what the chip is said to do at most.
TextTable roofline_table(const ProfileBeside& beside, size_t most) {
  TextTable out{
      {"instruction", "measured", "TFLOP/s", "GB/s", "FLOP per byte"}, {}, {false, true, true, true, true}};
  for (const ProfiledInstruction& i : beside.instructions) {
    if (out.rows.size() == most) break;
    if (i.measured_s <= 0 || (i.flops <= 0 && i.bytes <= 0) || i.kind == MeasuredKind::collective) continue;
    out.rows.push_back({i.name, format_seconds(i.measured_s),
                        i.flops > 0 ? fmt::format("{:.1f}", i.flops / i.measured_s * 1e-12) : kNothing,
                        i.bytes > 0 ? fmt::format("{:.0f}", i.bytes / i.measured_s * 1e-9) : kNothing,
                        i.flops > 0 && i.bytes > 0 ? fmt::format("{:.0f}", i.flops / i.bytes) : kNothing});
  }
  return out;
}

// What a step would take less, the most first.
TextTable help_table(const ProfileBeside& beside) {
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
  TextTable out{{"what would help", "at most"}, {}, {false, true}};
  constexpr size_t kMost = 5;
  for (const Gain& gain : gains)
    if (gain.time > 0 && out.rows.size() < kMost) out.rows.push_back({gain.what, format_seconds(gain.time)});
  return out;
}

std::string headline(const ProfileBeside& beside) {
  std::string out = fmt::format("A step takes {}", format_seconds(beside.time.step_s));
  if (beside.simulated_s)
    out += fmt::format(", simulated on {} {}", beside.hardware, format_seconds(*beside.simulated_s));
  return out + fmt::format(": the device is busy for {}, {} of it has an instruction.",
                           format_seconds(beside.time.device_s), format_percent(beside.attributed));
}

std::string where(const ProfileBeside& beside) {
  return fmt::format("{}: {}, {}, {}", beside.title, beside.format,
                     say_count("{} device", "{} devices", int64_t{beside.devices}),
                     say_count("{} step", "{} steps", beside.steps));
}

// What a list leaves out is said.
std::string left_out(size_t all, size_t shown) {
  return all > shown ? fmt::format("and {} more (--json lists all)\n", all - shown) : "";
}

std::vector<std::string> notes_of(const ProfileBeside& beside) {
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

}  // namespace

std::string beside_json(const ProfileBeside& beside) {
  const auto number = [](const std::optional<double>& time) { return time ? Json(*time) : Json(nullptr); };
  Json instructions = Json::array(), unmatched = Json::array();
  for (const ProfiledInstruction& i : beside.instructions)
    instructions.push_back({{"name", i.name},
                            {"kind", name(i.kind)},
                            {"count", i.count},
                            {"measured_s", i.measured_s},
                            {"simulated_s", number(i.simulated_s)},
                            {"residual_s", i.simulated_s ? Json(i.residual_s()) : Json(nullptr)},
                            {"reason", i.reason},
                            {"sure", i.sure},
                            {"module", i.module}});
  for (const ProfiledRest& u : beside.unmatched)
    unmatched.push_back({{"name", u.name},
                         {"module", u.module},
                         {"count", u.count},
                         {"measured_s", u.measured_s},
                         {"reason", u.why}});
  const StepTime& t = beside.time;
  const Json out{{"steps", beside.steps},
                 {"step_s", t.step_s},
                 {"device_s", t.device_s},
                 {"attributed", beside.attributed},
                 {"compute_s", t.compute_s},
                 {"comm_s", t.comm_s},
                 {"exposed_comm_s", t.exposed_comm_s},
                 {"exposed_copy_s", t.exposed_copy_s},
                 {"host_gap_s", t.host_gap_s},
                 {"simulated_s", number(beside.simulated_s)},
                 {"hardware", beside.hardware},
                 {"devices", beside.devices},
                 {"instructions", instructions},
                 {"unmatched", unmatched},
                 {"missing", beside.missing},
                 {"notes", beside.notes}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string beside_text(const ProfileBeside& beside) {
  std::string out = where(beside) + "\n" + headline(beside) + "\n";
  for (const std::string& note : notes_of(beside)) out += "note: " + note + "\n";
  out += "\n" + plain_table(overview_table(beside));
  out += fmt::format("collectives in all {}, hidden {}\n", format_seconds(beside.time.comm_s),
                     format_seconds(beside.time.comm_s - beside.time.exposed_comm_s));
  if (const TextTable help = help_table(beside); !help.rows.empty()) out += "\n" + plain_table(help);
  if (!beside.instructions.empty()) {
    out += "\n" + plain_table(instruction_table(beside, kReportRows));
    out += left_out(beside.instructions.size(), kReportRows);
  }
  if (!beside.unmatched.empty()) {
    out += "\n" + plain_table(unmatched_table(beside, kTextRows));
    out += left_out(beside.unmatched.size(), kTextRows);
  }
  return out;
}

std::string beside_page(const ProfileBeside& beside, const std::vector<BesidePicture>& pictures) {
  const auto section = [](const char* title, const TextTable& table) {
    return table.rows.empty() ? std::string()
                              : fmt::format("<h2>{}</h2>\n", title) +
                                    html_table(table, std::vector<bool>(table.rows.size(), false));
  };
  std::string out = page_head({"Profile beside simulation: " + beside.title});
  out += fmt::format("<p>{}</p>\n<p>{}</p>\n", xml_escaped(headline(beside)), xml_escaped(where(beside)));
  for (const std::string& note : notes_of(beside)) out += fmt::format("<p>{}</p>\n", xml_escaped(note));
  out += section("Where a step's time goes", overview_table(beside));
  out += section("What would help", help_table(beside));
  out += section("Instructions", instruction_table(beside, 0));
  out += section("Not attributed", unmatched_table(beside, 0));
  out += section("What was reached", roofline_table(beside, kReportRows));
  for (const BesidePicture& picture : pictures)
    out += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", inline_svg(picture.svg),
                       xml_escaped(picture.caption));
  return out + page_foot("Measured times are the profiler's, simulated ones those of a model of the chip.");
}

}  // namespace shardscope
