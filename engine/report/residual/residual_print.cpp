// SPDX-License-Identifier: Apache-2.0
// A residual as sentence, tables, text, CSV and JSON. Every time says whether it is simulated or measured.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/report/residual/residual.h"
#include "engine/study/difference.h"

namespace shardscope::inline report {
namespace {

using Json = nlohmann::ordered_json;

std::string time_or_dash(const std::optional<Picoseconds>& time) {
  return time ? format_picoseconds(*time) : kNothing;
}

std::string signed_percent(double share) {
  if (share == 0) return format_percent(0);
  return fmt::format("{}{}", share < 0 ? "−" : "+", format_percent(std::abs(share)));
}

std::string terms_words(const ResidualOperation& o) {
  std::vector<std::string> out;
  for (const ResidualTerm term : kResidualTerms)
    if (const Picoseconds time = o.terms[static_cast<size_t>(term)]; time > 0)
      out.push_back(fmt::format("{} {}", name(term), format_picoseconds(time)));
  return join(out, ", ");
}

std::string count_words(const ResidualOperation& o) {
  if (!o.measured || o.count == o.measured_count) return std::to_string(o.count);
  return fmt::format("{} / {}", o.count, o.measured_count);
}

Json seconds_or_null(const std::optional<Picoseconds>& time) {
  return time ? Json(to_seconds(*time)) : Json(nullptr);
}

Json operation_json(const ResidualOperation& o) {
  Json terms = Json::object();
  for (const ResidualTerm term : kResidualTerms)
    if (const Picoseconds time = o.terms[static_cast<size_t>(term)]; time > 0)
      terms[name(term)] = to_seconds(time);
  const auto share = o.share();
  return {{"instruction", o.instruction},
          {"op", o.op},
          {"kind", name(o.kind)},
          {"count", o.count},
          {"measured_count", o.measured_count},
          {"simulated_s", to_seconds(o.simulated)},
          {"measured_s", seconds_or_null(o.measured)},
          {"residual_s", o.measured ? Json(to_seconds(o.residual())) : Json(nullptr)},
          {"residual", share ? Json(*share) : Json(nullptr)},
          {"terms", terms}};
}

std::string csv_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string csv_seconds(const std::optional<Picoseconds>& time) {
  return time ? fmt::format("{:.12g}", to_seconds(*time)) : "";
}

}  // namespace

std::string residual_sentence(const Residual& r) {
  const Picoseconds more = r.measured - r.simulated;
  const double share = static_cast<double>(more) / static_cast<double>(std::max<Picoseconds>(1, r.simulated));
  return say(
      "Measured {}, simulated {}: {} ({}). {} of the measured device time was matched to operations of this "
      "run.",
      format_picoseconds(r.measured), format_picoseconds(r.simulated), signed_picoseconds(more),
      signed_percent(share), format_percent(r.matched_share));
}

TextTable residual_terms_table(const Residual& r) {
  TextTable out{{"term", "simulated", "measured", "residual"}, {}, {false, true, true, true}};
  for (const ResidualRow& row : r.terms)
    out.rows.push_back({name(row.term), format_picoseconds(row.simulated), time_or_dash(row.measured),
                        row.measured ? signed_picoseconds(row.residual()) : kNothing});
  out.rows.push_back({"total", format_picoseconds(r.simulated), format_picoseconds(r.measured),
                      signed_picoseconds(r.measured - r.simulated)});
  return out;
}

TextTable residual_operations_table(const Residual& r, size_t most) {
  TextTable out{
      {"instruction", "operation", "count", "simulated", "measured", "residual", "share", "simulated as"},
      {},
      {false, false, true, true, true, true, true, false},
      {"Name in the run's program", "Kind of operation", "How many events, simulated and measured",
       "Time in the simulated run", "Time in the trace, median over its steps",
       "Measured less simulated time", "Residual over the simulated time",
       "What the simulated time is made of"}};
  for (const ResidualOperation& o : r.operations) {
    if (most > 0 && out.rows.size() == most) {
      out.rows.push_back(
          {fmt::format("and {} more", r.operations.size() - most), "", "", "", "", "", "", ""});
      break;
    }
    const auto share = o.share();
    out.rows.push_back({o.instruction, o.op, count_words(o), format_picoseconds(o.simulated),
                        time_or_dash(o.measured), o.measured ? signed_picoseconds(o.residual()) : kNothing,
                        share ? signed_percent(*share) : kNothing, terms_words(o)});
  }
  return out;
}

TextTable residual_unmatched_table(const Residual& r, size_t most) {
  TextTable out{{"measured, not in the run", "time", "events"}, {}, {false, true, true}};
  for (const MeasuredUnmatched& row : r.unmatched) {
    if (most > 0 && out.rows.size() == most) {
      out.rows.push_back({fmt::format("and {} more", r.unmatched.size() - most), "", ""});
      break;
    }
    out.rows.push_back({row.name, format_seconds(row.time_s), group_digits(row.count)});
  }
  return out;
}

std::string residual_text(const Residual& r) {
  std::string out = residual_sentence(r) + "\n";
  for (const std::string& note : r.notes) out += "Note: " + note + ".\n";
  out += "\n" + plain_table(residual_terms_table(r));
  TextTable operations = residual_operations_table(r, kTextRows);
  for (auto& row : operations.rows) row.pop_back();
  operations.header.pop_back();
  operations.right_aligned.pop_back();
  out += "\n" + plain_table(operations);
  if (!r.unmatched.empty()) out += "\n" + plain_table(residual_unmatched_table(r, kTextRows));
  return out;
}

std::string residual_markdown(const Residual& r) {
  std::string out = residual_sentence(r) + "\n";
  for (const std::string& note : r.notes) out += "\nNote: " + note + ".\n";
  out += "\n" + markdown_table(residual_terms_table(r));
  out += "\n" + markdown_table(residual_operations_table(r, kReportRows));
  if (!r.unmatched.empty()) out += "\n" + markdown_table(residual_unmatched_table(r, kReportRows));
  return out;
}

std::string residual_csv(const Residual& r) {
  std::string out = "instruction,op,kind,count,measured_count,simulated_s,measured_s,residual_s,residual\n";
  for (const ResidualOperation& o : r.operations) {
    const auto share = o.share();
    out +=
        fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_quoted(o.instruction), csv_quoted(o.op), name(o.kind),
                    o.count, o.measured_count, csv_seconds(o.simulated), csv_seconds(o.measured),
                    o.measured ? csv_seconds(o.residual()) : "", share ? fmt::format("{:.6g}", *share) : "");
  }
  return out;
}

Json residual_object(const Residual& r) {
  Json terms = Json::array(), operations = Json::array(), unmatched = Json::array();
  for (const ResidualRow& row : r.terms)
    terms.push_back({{"term", name(row.term)},
                     {"simulated_s", to_seconds(row.simulated)},
                     {"measured_s", seconds_or_null(row.measured)},
                     {"residual_s", row.measured ? Json(to_seconds(row.residual())) : Json(nullptr)}});
  for (const ResidualOperation& o : r.operations) operations.push_back(operation_json(o));
  for (const MeasuredUnmatched& row : r.unmatched)
    unmatched.push_back({{"name", row.name}, {"time_s", row.time_s}, {"count", row.count}});
  return {{"run_id", r.run_id ? Json(*r.run_id) : Json(nullptr)},
          {"measured_id", r.measured_id},
          {"matched_share", r.matched_share},
          {"simulated_s", to_seconds(r.simulated)},
          {"measured_s", to_seconds(r.measured)},
          {"steps", r.steps.size()},
          {"step", r.one_step ? Json(r.step + 1) : Json(nullptr)},
          {"device_time_s", to_seconds(r.matched_time + r.unmatched_time)},
          {"terms", terms},
          {"operations", operations},
          {"unmatched", unmatched},
          {"notes", r.notes}};
}

std::string residual_json(const Residual& r) {
  return residual_object(r).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace shardscope::inline report
