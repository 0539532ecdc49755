// SPDX-License-Identifier: Apache-2.0
#include "engine/report/calibration_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/report/table.h"

namespace shardscope::inline report {
namespace {

using CalibrationJson = nlohmann::ordered_json;

std::string value_text(double value, const std::string& unit) {
  if (unit == "s") return value < 1e-12 ? fmt::format("{:.3g} s", value) : format_seconds(value);
  return unit == "B/s" ? format_rate(value, "B/s") : fmt::format("{:.3g}", value);
}

bool has_too_few_points(const CalibratedParameter& p) {
  return p.points < kLeastPoints;
}

std::string note_of(const CalibratedParameter& p) {
  if (p.identified) return "";
  if (has_too_few_points(p)) return fmt::format("too few points ({} needed): as before", kLeastPoints);
  return p.value == p.before ? "not identified: as before" : "not identified alone";
}

TextTable parameter_table(const Calibration& calibration) {
  TextTable table;
  table.header = {"parameter", "before", "value", "95 % from", "to", "points", ""};
  table.right_aligned = {false, true, true, true, true, true, false};
  for (const CalibratedParameter& p : calibration.parameters)
    table.rows.push_back({p.name, value_text(p.before, p.unit), value_text(p.value, p.unit),
                          value_text(p.low, p.unit), value_text(p.high, p.unit), std::to_string(p.points),
                          note_of(p)});
  return table;
}

TextTable group_error_table(const Calibration& calibration) {
  TextTable table;
  table.header = {"group", "points", "before", "fitted to", "held out", "worst", "which"};
  table.right_aligned = {false, true, true, true, true, true, false};
  for (const CalibratedGroup& g : calibration.groups)
    table.rows.push_back({g.group, std::to_string(g.points), format_percent(g.before_error),
                          g.held_out < g.points ? format_percent(g.train_error) : "-",
                          g.held_out > 0 ? format_percent(g.test_error) : "-", format_percent(g.worst),
                          g.worst_point});
  return table;
}

CalibrationJson error_json(int64_t points, double error) {
  return points > 0 ? CalibrationJson(error) : CalibrationJson();
}

}  // namespace

std::string calibration_text(const Calibration& calibration) {
  std::string out = fmt::format("{}: {}\n\n", calibration.chip, counted(calibration.points.size(), "point"));
  out += plain_table(parameter_table(calibration));
  out += "\nMean error |predicted / measured − 1|\n";
  out += plain_table(group_error_table(calibration));
  if (std::ranges::any_of(calibration.parameters, has_too_few_points))
    out += fmt::format(
        "\nA number needs {} points that are not held out: measure more sizes, or fit to all with --holdout "
        "0\n",
        kLeastPoints);
  if (!calibration.left_out.empty())
    out += fmt::format("\nLeft out: {}\n", counted(calibration.left_out.size(), "point"));
  for (const std::string& line : calibration.left_out) out += "  " + line + "\n";
  return out;
}

std::string calibration_json(const Calibration& calibration, const std::string& file) {
  CalibrationJson out = {{"chip", calibration.chip},
                         {"parameters", CalibrationJson::array()},
                         {"groups", CalibrationJson::array()}};
  for (const CalibratedParameter& p : calibration.parameters)
    out["parameters"].push_back({{"name", p.name},
                                 {"value", p.value},
                                 {"low", p.low},
                                 {"high", p.high},
                                 {"unit", p.unit},
                                 {"identified", p.identified},
                                 {"points", p.points}});
  for (const CalibratedGroup& g : calibration.groups)
    out["groups"].push_back({{"group", g.group},
                             {"points", g.points},
                             {"train_error", error_json(g.points - g.held_out, g.train_error)},
                             {"test_error", error_json(g.held_out, g.test_error)},
                             {"worst", g.worst}});
  out["least_points"] = kLeastPoints;
  out["file"] = file.empty() ? CalibrationJson() : CalibrationJson(file);
  return out.dump(2) + "\n";
}

}  // namespace shardscope::inline report
