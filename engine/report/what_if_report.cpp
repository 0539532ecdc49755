// SPDX-License-Identifier: Apache-2.0
#include "engine/report/what_if_report.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/run/difference.h"

namespace shardscope {
namespace {

using Json = nlohmann::ordered_json;

template <class Names, class Values>
Json split_json(const char* key, const Names& names, const Values& base, const Values& then) {
  Json out = Json::array();
  for (size_t i = 0; i < base.size(); ++i) {
    out.push_back({{key, names(i)},
                   {"values_s", {to_seconds(base[i]), to_seconds(then[i])}},
                   {"delta_s", {0.0, to_seconds(then[i] - base[i])}}});
  }
  return out;
}

std::string term_name(size_t i) {
  return name(kTerms[i]);
}
std::string part_name(size_t i) {
  return kPartNames[i];
}

template <class Names, class Values>
void add_rows(const Names& names, const Values& base, const Values& then, TextTable& table) {
  for (size_t i = 0; i < base.size(); ++i) {
    const Picoseconds delta = then[i] - base[i];
    table.rows.push_back(
        {names(i), format_picoseconds(base[i]), format_picoseconds(then[i]), signed_picoseconds(delta)});
  }
}

TextTable split_table(const char* of) {
  return {{of, "run", "then", "Δ"}, {}, {false, true, true, true}};
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
  const std::vector<std::string> options = options_of(a.asked);
  std::string out = report.run->strategy + (options.empty() ? "" : ", what if " + join(options, " ")) + "\n" +
                    what_if_sentence(a) + "\n\n";
  TextTable terms = split_table("term"), parts = split_table("critical path");
  add_rows(term_name, a.base.terms, a.then.terms, terms);
  add_rows(part_name, a.base.parts, a.then.parts, parts);
  out += plain_table(terms) + "\n" + plain_table(parts) + "\n" + memory_text(report);
  if (report.sensitivities) out += "\n" + plain_table(sensitivity_table(*report.sensitivities));
  return out + "\nnote: " + kWhatIfNote + "\n";
}

std::string what_if_json(const WhatIfReport& report) {
  const WhatIfAnswer& a = report.answer;
  const Run& run = *report.run;
  Json out;
  out["run_id"] = run.id ? Json(*run.id) : Json(nullptr);
  out["strategy"] = run.strategy;
  out["asked"] = options_of(a.asked);
  out["base_s"] = to_seconds(a.base.total);
  out["total_s"] = to_seconds(a.then.total);
  out["delta_s"] = to_seconds(a.delta());
  out["terms"] = split_json("term", term_name, a.base.terms, a.then.terms);
  out["parts"] = split_json("part", part_name, a.base.parts, a.then.parts);
  out["memory"] = {
      {"peak_bytes", a.peak_bytes},
      {"base_peak_bytes", max_per_device(run.timeline).peak_bytes},
      {"hbm_bytes", run.hardware.memory.hbm_bytes ? Json(*run.hardware.memory.hbm_bytes) : Json(nullptr)}};
  out["fits"] = a.fits ? Json(*a.fits) : Json(nullptr);
  out["sensitivity"] = nullptr;
  if (report.sensitivities) {
    out["sensitivity"] = Json::array();
    for (const Sensitivity& s : *report.sensitivities)
      out["sensitivity"].push_back({{"parameter", s.parameter},
                                    {"value", s.value},
                                    {"unit", s.unit},
                                    {"plus10_s", to_seconds(s.plus10)},
                                    {"stops_at", s.stops_at ? Json(*s.stops_at) : Json(nullptr)}});
  }
  out["note"] = kWhatIfNote;
  return out.dump(2) + "\n";
}

}  // namespace shardscope
