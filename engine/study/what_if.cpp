// SPDX-License-Identifier: Apache-2.0
#include "engine/study/what_if.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/request/fields.h"

namespace shardscope::inline study {
namespace {

// "1.2 µs less compute".
std::string change_text(Picoseconds delta, const char* of) {
  return fmt::format("{} {} {}", format_picoseconds(std::abs(delta)), delta < 0 ? "less" : "more", of);
}

}  // namespace

TimeSplit split_of(const Timeline& timeline) {
  return {timeline.total, terms_of(timeline), parts_of(timeline.critical_path)};
}

std::string what_if_sentence(const WhatIfAnswer& a) {
  std::string out =
      fmt::format("{} → {}", format_picoseconds(a.base.total), format_picoseconds(a.then.total));
  if (a.delta() == 0) return out + ": nothing changes";
  out += fmt::format(": {} {}", format_picoseconds(std::abs(a.delta())), a.delta() < 0 ? "less" : "more");
  std::vector<size_t> order(kTerms.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto delta = [&](size_t i) { return a.then.terms[i] - a.base.terms[i]; };
  std::ranges::stable_sort(order, {}, [&](size_t i) { return -std::abs(delta(i)); });
  std::vector<std::string> parts;
  for (const size_t i : order)
    if (delta(i) != 0) parts.push_back(change_text(delta(i), name(kTerms[i])));
  return out + " (" + join(parts, ", ") + ")";
}

std::string value_text(const Sensitivity& row) {
  return row.unit == "s" ? format_seconds(row.value) : format_rate(row.value, row.unit.c_str());
}

std::string stops_at_text(const Sensitivity& row) {
  if (!row.stops_at) return "to the end";
  return *row.stops_at == 1 ? "nothing" : fmt::format("until ×{:.3g}", *row.stops_at);
}

std::vector<std::string> options_of(const WhatIf& question) {
  std::vector<std::string> out;
  Experiment changes;
  changes.overrides = question.overrides;
  changes.chip = question.chip;
  for (const Field& field : fields()) {
    if (!field.has(kWhatIf)) continue;
    const std::string text = field.experiment->print(changes);
    if (!text.empty()) out.insert(out.end(), {"--" + field.key, text});
  }
  for (const int64_t event : question.events)
    out.insert(out.end(), {"--event", std::to_string(event) + "=0"});
  for (const std::string& operation : question.operations) out.insert(out.end(), {"--op", operation + "=0"});
  return out;
}

std::string changes_text(const WhatIf& question) {
  std::string out;
  for (const std::string& word : options_of(question)) {
    const bool key = word.starts_with("--");
    if (key && !out.empty()) out += ",";
    out += (out.empty() ? "" : " ") + (key ? word.substr(2) : word);
  }
  return out;
}

}  // namespace shardscope::inline study
