// SPDX-License-Identifier: Apache-2.0
#include "engine/report/crossover_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/report/ranking.h"

namespace shardscope::inline report {
namespace {

using CrossoverJson = nlohmann::ordered_json;

const std::string& value_at(const CrossoverTable& table, size_t axis, const std::vector<int32_t>& at) {
  return table.axes[axis].values[static_cast<size_t>(at[axis])];
}

CrossoverJson value_json(const std::string& value) {
  const auto number = parse_int(value);
  return number ? CrossoverJson(*number) : CrossoverJson(value);
}

// The values of a point by name, but for one axis; -1: all of them.
CrossoverJson values_json(const CrossoverTable& table, const std::vector<int32_t>& at, int32_t without) {
  CrossoverJson out = CrossoverJson::object();
  for (size_t a = 0; a < table.axes.size(); ++a) {
    if (static_cast<int32_t>(a) != without) out[table.axes[a].name] = value_json(value_at(table, a, at));
  }
  return out;
}

std::optional<double> lead(const SweepPoint& point) {
  if (point.ranking.size() < 2 || point.ranking[0].priced_s() <= 0) return std::nullopt;
  return point.ranking[1].priced_s() / point.ranking[0].priced_s();
}

CrossoverJson point_json(const CrossoverTable& table, const SweepPoint& point) {
  CrossoverJson ranking = CrossoverJson::array();
  CrossoverJson totals = CrossoverJson::object();
  CrossoverJson prices = CrossoverJson::object();
  CrossoverJson allclose = CrossoverJson::object();
  for (const StrategyTime& time : point.ranking) {
    ranking.push_back(time.strategy);
    totals[time.strategy] = time.total_s;
    prices[time.strategy] = time.price_s;
    if (time.allclose) allclose[time.strategy] = *time.allclose;
  }
  CrossoverJson out = {{"values", values_json(table, point.at, -1)}, {"ranking", ranking}};
  out["best"] = point.ranking.empty() ? CrossoverJson(nullptr) : CrossoverJson(point.ranking[0].strategy);
  const std::optional<double> ratio = lead(point);
  out["ratio_to_second"] = ratio ? CrossoverJson(*ratio) : CrossoverJson(nullptr);
  out["total_s"] = totals;
  out["price_s"] = prices;
  if (!allclose.empty()) out["allclose"] = allclose;
  out["skipped"] = point.skipped;
  return out;
}

// Strategies of a point whose numbers are wrong.
std::string wrong_words(const SweepPoint& point) {
  std::vector<std::string> wrong;
  for (const StrategyTime& time : point.ranking) {
    if (time.allclose && !*time.allclose) wrong.push_back(time.strategy);
  }
  return wrong.empty() ? "" : "WRONG: " + join(wrong, ", ");
}

std::string crossover_line(const CrossoverTable& table, const Crossover& crossover) {
  const auto axis = static_cast<size_t>(crossover.axis);
  std::vector<std::string> others;
  for (size_t a = 0; a < table.axes.size(); ++a) {
    if (a != axis) others.push_back(table.axes[a].name + "=" + value_at(table, a, crossover.from));
  }
  return fmt::format("{} {} to {}{}: {} gives way to {}\n", table.axes[axis].name,
                     value_at(table, axis, crossover.from), value_at(table, axis, crossover.to),
                     others.empty() ? "" : " at " + join(others, ", "), crossover.before, crossover.after);
}

}  // namespace

TextTable crossover_points(const CrossoverTable& table) {
  TextTable out;
  for (const SweepAxis& axis : table.axes) {
    out.header.push_back(axis.name);
    out.right_aligned.push_back(true);
  }
  for (const char* column : {"best", "time", "price", "second", "lead", "skipped", ""})
    out.header.emplace_back(column);
  for (const bool right : {false, true, true, false, true, true, false}) out.right_aligned.push_back(right);
  for (const SweepPoint& point : table.points) {
    std::vector<std::string> row;
    for (size_t a = 0; a < table.axes.size(); ++a) row.push_back(value_at(table, a, point.at));
    const auto& ranking = point.ranking;
    row.push_back(ranking.empty() ? "nothing could run" : ranking[0].strategy);
    row.push_back(ranking.empty() ? "" : format_seconds(ranking[0].total_s));
    row.push_back(ranking.empty() ? "" : format_seconds(ranking[0].price_s));
    row.push_back(ranking.size() < 2 ? "" : ranking[1].strategy);
    const std::optional<double> ratio = lead(point);
    row.push_back(!ratio ? "" : *ratio < kTie ? "tie" : format_ratio(*ratio));
    row.push_back(std::to_string(point.skipped));
    row.push_back(wrong_words(point));
    out.rows.push_back(std::move(row));
  }
  return out;
}

std::string crossover_text(const CrossoverTable& table) {
  std::string out = table.title.empty() ? "" : table.title + "\n";
  if (!table.complete)
    out += fmt::format("CANCELLED, these {} points were done\n", group_digits(std::ssize(table.points)));
  out += plain_table(crossover_points(table)) + "\n";
  const std::vector<Crossover> all = crossovers(table);
  if (all.empty()) return out + "no crossover: along every parameter the winner stays\n";
  for (const Crossover& crossover : all) out += crossover_line(table, crossover);
  return out;
}

std::string crossover_json(const CrossoverTable& table) {
  CrossoverJson out;
  out["over"] = CrossoverJson::array();
  for (const SweepAxis& axis : table.axes) {
    CrossoverJson values = CrossoverJson::array();
    for (const std::string& value : axis.values) values.push_back(value_json(value));
    out["over"].push_back({{"name", axis.name}, {"values", values}});
  }
  out["points"] = CrossoverJson::array();
  for (const SweepPoint& point : table.points) out["points"].push_back(point_json(table, point));
  out["crossovers"] = CrossoverJson::array();
  for (const Crossover& crossover : crossovers(table)) {
    const auto axis = static_cast<size_t>(crossover.axis);
    out["crossovers"].push_back({{"along", table.axes[axis].name},
                                 {"from", value_json(value_at(table, axis, crossover.from))},
                                 {"to", value_json(value_at(table, axis, crossover.to))},
                                 {"before", crossover.before},
                                 {"after", crossover.after},
                                 {"at", values_json(table, crossover.from, crossover.axis)}});
  }
  out["complete"] = table.complete;
  return out.dump(2) + "\n";
}

std::string crossover_csv(const CrossoverTable& table) {
  const std::vector<std::string> strategies = strategies_of(table);
  const auto quoted = [](const std::string& text) {
    return text.find(',') == std::string::npos ? text : '"' + text + '"';
  };
  std::vector<std::string> cells;
  for (const SweepAxis& axis : table.axes) cells.push_back(axis.name);
  cells.emplace_back("best");
  for (const char* of : {"_s", "_price_s"}) {
    for (const std::string& strategy : strategies) cells.push_back(strategy + of);
  }
  std::string out = join(cells, ",") + "\n";
  for (const SweepPoint& point : table.points) {
    cells.clear();
    for (size_t a = 0; a < table.axes.size(); ++a) cells.push_back(quoted(value_at(table, a, point.at)));
    cells.push_back(point.ranking.empty() ? "" : point.ranking[0].strategy);
    for (const auto of : {&StrategyTime::total_s, &StrategyTime::price_s}) {
      for (const std::string& strategy : strategies) {
        const auto found = std::ranges::find(point.ranking, strategy, &StrategyTime::strategy);
        cells.push_back(found == point.ranking.end() ? "" : fmt::format("{:.12g}", (*found).*of));
      }
    }
    out += join(cells, ",") + "\n";
  }
  return out;
}

std::string crossover_verdict(const CrossoverTable& table) {
  const size_t changes = crossovers(table).size();
  const std::string said = changes == 0   ? "Along every parameter the winner stays."
                           : changes == 1 ? "The winner changes at one place."
                                          : fmt::format("The winner changes at {} places.", changes);
  return table.complete ? said : "Cancelled: these points were done. " + said;
}

std::vector<std::string> crossover_sentences(const CrossoverTable& table) {
  std::vector<std::string> out;
  for (const Crossover& crossover : crossovers(table))
    out.emplace_back(trim(crossover_line(table, crossover)));
  return out;
}

}  // namespace shardscope::inline report
