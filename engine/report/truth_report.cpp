// SPDX-License-Identifier: Apache-2.0
#include "engine/report/truth_report.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/units.h"
#include "engine/base/xml.h"
#include "engine/report/html_page.h"
#include "engine/report/page/page_frame.h"
#include "engine/report/table.h"

namespace shardscope::inline report {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

TextTable group_table(const Truth& truth) {
  TextTable out;
  out.header = {"chip", "kind", "points", "mean error", "held out", "their error"};
  out.right_aligned = {false, false, true, true, true, true};
  for (const TruthGroup& g : truth.groups)
    out.rows.push_back({g.chip, g.kind, std::to_string(g.n), percent(g.mean_error),
                        std::to_string(g.held_out), g.held_out_error ? percent(*g.held_out_error) : "–"});
  return out;
}

TextTable point_table(const Truth& truth) {
  TextTable out;
  out.header = {"chip", "kind", "point", "measured", "predicted", "error", "fitted"};
  out.right_aligned = {false, false, false, true, true, true, false};
  for (const TruthPoint& p : truth.points) {
    if (!p.predicted_s) continue;
    out.rows.push_back({p.chip, p.kind, p.id, format_seconds(p.measured_s), format_seconds(*p.predicted_s),
                        fmt::format("{:+.1f} %", 100 * (*p.predicted_s / p.measured_s - 1)),
                        p.fitted ? "fitted" : "held out"});
  }
  return out;
}

// "12 points: no chip 'tpu-v2' is shipped".
std::vector<std::string> left_out(const Truth& truth) {
  std::map<std::string, int> reasons;
  for (const TruthPoint& p : truth.points)
    if (!p.predicted_s) ++reasons[p.kind + ": " + p.why];
  std::vector<std::string> out;
  for (const auto& [why, count] : reasons)
    out.push_back(
        fmt::format("not predicted: {} of {}", count == 1 ? "a point" : counted(count, "point"), why));
  return out;
}

std::string headline(const Truth& truth) {
  const auto predicted =
      std::ranges::count_if(truth.points, [](const TruthPoint& p) { return p.predicted_s.has_value(); });
  const auto fitted =
      std::ranges::count_if(truth.points, [](const TruthPoint& p) { return p.predicted_s && p.fitted; });
  return fmt::format(
      "{} measured points, {} of them predicted: {} that a chip's numbers were fitted to, {} held out. "
      "Errors are means of |predicted / measured − 1|.",
      truth.points.size(), predicted, fitted, predicted - fitted);
}

}  // namespace

std::string truth_json(const Truth& truth) {
  Json points = Json::array(), groups = Json::array();
  for (const TruthPoint& p : truth.points)
    points.push_back({{"id", p.id},
                      {"chip", p.chip},
                      {"kind", p.kind},
                      {"measured_s", p.measured_s},
                      {"predicted_s", p.predicted_s ? Json(*p.predicted_s) : Json(nullptr)},
                      {"fitted", p.fitted}});
  for (const TruthGroup& g : truth.groups)
    groups.push_back({{"chip", g.chip},
                      {"kind", g.kind},
                      {"n", g.n},
                      {"mean_error", g.mean_error},
                      {"held_out", g.held_out},
                      {"held_out_error", g.held_out_error ? Json(*g.held_out_error) : Json(nullptr)}});
  return Json{{"points", points}, {"groups", groups}}.dump(2) + "\n";
}

std::string truth_text(const Truth& truth) {
  std::string out = headline(truth) + "\n\n" + plain_table(group_table(truth));
  for (const std::string& line : left_out(truth)) out += line + "\n";
  return out;
}

std::string truth_page(const Truth& truth) {
  const auto section = [](const char* title, const TextTable& table) {
    return fmt::format("<h2>{}</h2>\n", title) +
           html_table(table, std::vector<bool>(table.rows.size(), false));
  };
  std::string out = page_head({"Measured beside predicted"});
  out += fmt::format("<p>{}</p>\n", xml_escaped(headline(truth)));
  out += section("By chip and kind", group_table(truth)) + section("Every point", point_table(truth));
  for (const std::string& line : left_out(truth)) out += fmt::format("<p>{}</p>\n", xml_escaped(line));
  return out + page_foot("Predicted times are those of a model of the chip.");
}

}  // namespace shardscope::inline report
