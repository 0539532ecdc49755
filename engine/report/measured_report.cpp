// SPDX-License-Identifier: Apache-2.0
#include "engine/report/measured_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/say.h"
#include "engine/base/units.h"

namespace shardscope::inline report {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShown = 30;  // lines of text; JSON has all

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<const MeasuredOperation*> by_time(const MeasuredTrace& trace) {
  std::vector<const MeasuredOperation*> out;
  for (const MeasuredOperation& o : trace.operations) out.push_back(&o);
  std::ranges::stable_sort(out, [](const auto* a, const auto* b) { return a->total_s > b->total_s; });
  return out;
}

std::string cut(const std::string& text, size_t width) {
  if (text.size() <= width) return text;
  size_t end = width - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

}  // namespace

std::string measured_json(const MeasuredTrace& trace, int64_t id) {
  Json unmatched = Json::array(), operations = Json::array();
  for (const MeasuredUnmatched& u : trace.unmatched)
    unmatched.push_back({{"name", u.name}, {"time_s", u.time_s}, {"count", u.count}});
  for (const MeasuredOperation* o : by_time(trace))
    operations.push_back({{"op", o->op},
                          {"kind", name(o->kind)},
                          {"shapes", o->shapes},
                          {"bytes", o->bytes},
                          {"count", o->count},
                          {"mean_s", o->mean_s},
                          {"p50_s", o->p50_s},
                          {"p95_s", o->p95_s}});
  return dumped({{"measured_id", id},
                 {"format", trace.format},
                 {"devices", trace.devices},
                 {"events", trace.event_count},
                 {"steps", trace.steps.size()},
                 {"device_time_s", trace.device_time_s},
                 {"matched_share", trace.matched_share},
                 {"unmatched", unmatched},
                 {"operations", operations}});
}

std::string measured_text(const MeasuredTrace& trace, int64_t id) {
  std::string out =
      fmt::format("measured {}: {}, {}, {}, {} on devices, {} of it matched\n", id, trace.format,
                  counted(trace.devices, "device"), grouped_count(trace.event_count, "event"),
                  format_seconds(trace.device_time_s), format_percent(trace.matched_share));
  const auto operations = by_time(trace);
  out += fmt::format("\n{:<40} {:<12} {:>9} {:>12} {:>12} {:>12}  {}\n", "operation", "kind", "count", "mean",
                     "p50", "p95", "shapes");
  for (size_t i = 0; i < operations.size() && i < kShown; ++i) {
    const MeasuredOperation& o = *operations[i];
    out += fmt::format("{:<40} {:<12} {:>9} {:>12} {:>12} {:>12}  {}\n", cut(o.op, 40), name(o.kind),
                       group_digits(o.count), format_seconds(o.mean_s), format_seconds(o.p50_s),
                       format_seconds(o.p95_s), cut(o.shapes, 60));
  }
  if (operations.size() > kShown)
    out += fmt::format("and {} more (--json lists all)\n", operations.size() - kShown);
  if (!trace.unmatched.empty()) out += "\nunmatched:\n";
  for (size_t i = 0; i < trace.unmatched.size() && i < kShown; ++i)
    out += fmt::format("{:>12} {:>9} times  {}\n", format_seconds(trace.unmatched[i].time_s),
                       group_digits(trace.unmatched[i].count), cut(trace.unmatched[i].name, 80));
  for (const std::string& note : trace.notes) out += "\nnote: " + note + "\n";
  return out;
}

std::string measured_list_json(const std::vector<MeasuredSummary>& traces) {
  Json list = Json::array();
  for (const MeasuredSummary& t : traces)
    list.push_back({{"measured_id", t.id},
                    {"created", t.created},
                    {"title", t.title},
                    {"source", t.source},
                    {"format", t.format},
                    {"devices", t.devices},
                    {"events", t.event_count},
                    {"device_time_s", t.device_time_s},
                    {"matched_share", t.matched_share}});
  return dumped({{"measured", list}});
}

std::string measured_list_text(const std::vector<MeasuredSummary>& traces) {
  if (traces.empty()) return "no measured traces\n";
  std::string out = fmt::format("{:>8}  {:<20}  {:<10} {:>7} {:>11} {:>12} {:>8}  {}\n", "measured",
                                "recorded", "format", "devices", "events", "device time", "matched", "title");
  for (const MeasuredSummary& t : traces)
    out += fmt::format("{:>8}  {:<20}  {:<10} {:>7} {:>11} {:>12} {:>8}  {}\n", t.id, t.created, t.format,
                       t.devices, group_digits(t.event_count), format_seconds(t.device_time_s),
                       format_percent(t.matched_share), t.title);
  return out;
}

}  // namespace shardscope::inline report
