// SPDX-License-Identifier: Apache-2.0
// A profile beside its simulation as JSON, text and page.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/base/xml.h"
#include "engine/report/html_page.h"
#include "engine/report/page/page_frame.h"
#include "engine/report/table.h"
#include "engine/session/profile/profile_tables.h"

namespace shardscope::inline session {
namespace {

using Json = nlohmann::ordered_json;

// What a list leaves out is said.
std::string left_out(size_t all, size_t shown) {
  return all > shown ? fmt::format("and {} more (--json lists all)\n", all - shown) : "";
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
  std::string out = profile_origin(beside) + "\n" + profile_headline(beside) + "\n";
  for (const std::string& note : profile_notes(beside)) out += "note: " + note + "\n";
  out += "\n" + plain_table(profile_overview(beside));
  out += fmt::format("collectives in all {}, hidden {}\n", format_seconds(beside.time.comm_s),
                     format_seconds(beside.time.comm_s - beside.time.exposed_comm_s));
  if (const TextTable help = profile_help(beside); !help.rows.empty()) out += "\n" + plain_table(help);
  if (!beside.instructions.empty()) {
    out += "\n" + plain_table(profile_instructions(beside, kReportRows));
    out += left_out(beside.instructions.size(), kReportRows);
  }
  if (!beside.unmatched.empty()) {
    out += "\n" + plain_table(profile_unmatched(beside, kTextRows));
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
  out += fmt::format("<p>{}</p>\n<p>{}</p>\n", xml_escaped(profile_headline(beside)),
                     xml_escaped(profile_origin(beside)));
  for (const std::string& note : profile_notes(beside)) out += fmt::format("<p>{}</p>\n", xml_escaped(note));
  out += section("Where a step's time goes", profile_overview(beside));
  out += section("What would help", profile_help(beside));
  out += section("Instructions", profile_instructions(beside, 0));
  out += section("Not attributed", profile_unmatched(beside, 0));
  out += section("What was reached", profile_reached(beside, kReportRows));
  for (const BesidePicture& picture : pictures)
    out += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", inline_svg(picture.svg),
                       xml_escaped(picture.caption));
  return out + page_foot("Measured times are the profiler's, simulated ones those of a model of the chip.");
}

}  // namespace shardscope::inline session
