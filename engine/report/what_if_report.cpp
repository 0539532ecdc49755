// SPDX-License-Identifier: Apache-2.0
#include "engine/report/what_if_report.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/report/run_difference.h"
#include "engine/request/command_line.h"

namespace shardscope::inline report {
namespace {

using Json = nlohmann::ordered_json;

// The run, then the answer: a difference of two.
template <class Names, class Values>
std::vector<TimeRow> rows_of(const Names& names, const Values& base, const Values& then) {
  std::vector<TimeRow> out;
  for (size_t i = 0; i < base.size(); ++i) out.push_back({names(i), {base[i], then[i]}});
  return out;
}
std::vector<TimeRow> terms_of(const WhatIfAnswer& a) {
  return rows_of([](size_t i) { return std::string(name(kTerms[i])); }, a.base.terms, a.then.terms);
}
std::vector<TimeRow> parts_of(const WhatIfAnswer& a) {
  return rows_of([](size_t i) { return std::string(kPartNames[i]); }, a.base.parts, a.then.parts);
}

TextTable split_table(const char* of, const std::vector<TimeRow>& rows) {
  TextTable out{{of, "run", "then", "Δ"}, {}, {false, true, true, true}};
  for (const TimeRow& row : rows)
    out.rows.push_back({row.name, format_picoseconds(row.values[0]), format_picoseconds(row.values[1]),
                        signed_picoseconds(row.delta(1))});
  return out;
}

std::string memory_text(const WhatIfReport& report) {
  const auto& hbm = report.run->hardware.memory.hbm_bytes;
  std::string out = fmt::format("memory: {} at most on a device", format_bytes(report.answer.peak_bytes));
  if (hbm)
    out +=
        fmt::format(", {} the chip's {}", *report.answer.fits ? "fits" : "does NOT fit", format_bytes(*hbm));
  return out + "\n";
}

}  // namespace

TextTable sensitivity_table(const std::vector<Sensitivity>& rows) {
  TextTable out{{"parameter", "is", "10 % better", "helps"}, {}, {false, true, true, false}};
  for (const Sensitivity& row : rows) {
    out.rows.push_back({row.parameter, value_text(row), signed_picoseconds(row.plus10), stops_at_text(row)});
  }
  return out;
}

std::string what_if_text(const WhatIfReport& report) {
  const WhatIfAnswer& a = report.answer;
  const std::vector<std::string> options = options_of(a.question);
  std::string out = report.run->strategy + (options.empty() ? "" : ", what if " + join(options, " ")) + "\n" +
                    what_if_sentence(a) + "\n\n";
  out += plain_table(split_table("term", terms_of(a))) + "\n" +
         plain_table(split_table("critical path", parts_of(a))) + "\n" + memory_text(report);
  if (report.sensitivities) out += "\n" + plain_table(sensitivity_table(*report.sensitivities));
  return out + "\nnote: " + kWhatIfNote + "\n";
}

std::string what_if_command(const Run& run, const WhatIf& question, const std::string& file) {
  std::vector<std::string> words{"shardscope", "what-if", "--db",
                                 file,         "--run",   std::to_string(run.id.value_or(0))};
  for (const std::string& word : options_of(question)) words.push_back(word);
  return shell_line(words);
}

Json sensitivity_json(const std::vector<Sensitivity>& rows) {
  Json out = Json::array();
  for (const Sensitivity& s : rows)
    out.push_back({{"parameter", s.parameter},
                   {"value", s.value},
                   {"unit", s.unit},
                   {"plus10_s", to_seconds(s.plus10)},
                   {"stops_at", s.stops_at ? Json(*s.stops_at) : Json(nullptr)}});
  return out;
}

std::string what_if_json(const WhatIfReport& report) {
  const WhatIfAnswer& a = report.answer;
  const Run& run = *report.run;
  Json out;
  out["run_id"] = run.id ? Json(*run.id) : Json(nullptr);
  out["strategy"] = run.strategy;
  out["asked"] = options_of(a.question);
  out["base_s"] = to_seconds(a.base.total);
  out["total_s"] = to_seconds(a.then.total);
  out["delta_s"] = to_seconds(a.delta());
  out["terms"] = time_rows_json("term", terms_of(a));
  out["parts"] = time_rows_json("part", parts_of(a));
  out["memory"] = {
      {"peak_bytes", a.peak_bytes},
      {"base_peak_bytes", max_per_device(run.timeline).peak_bytes},
      {"hbm_bytes", run.hardware.memory.hbm_bytes ? Json(*run.hardware.memory.hbm_bytes) : Json(nullptr)}};
  out["fits"] = a.fits ? Json(*a.fits) : Json(nullptr);
  out["sensitivity"] = report.sensitivities ? sensitivity_json(*report.sensitivities) : Json(nullptr);
  out["note"] = kWhatIfNote;
  return out.dump(2) + "\n";
}

}  // namespace shardscope::inline report
