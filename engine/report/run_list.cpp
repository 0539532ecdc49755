// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_list.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/report/table.h"

namespace shardscope::inline report {
namespace {

using Number = std::optional<double>;

std::string or_none(const std::string& text) {
  return text.empty() ? kNothing : text;
}

std::string kind_mark(const ListedRun& r) {
  if (r.rank.ranked) return "";
  return fmt::format("  ({})", r.run.status == name(RunStatus::done) ? name(r.run.kind) : r.run.status);
}

std::string numbers_words(const RunSummary& run) {
  return !run.numerics_checked() ? "not checked" : run.numerics_differ() ? "✗ differ" : "✓ equal";
}

std::string peak_words(const RunSummary& run) {
  return run.numbers.text(RunMetric::peak) + (run.exceeds_hbm() ? " > HBM" : "");
}

using Listed = ListedRun;

constexpr ColumnKind kind_of(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::seconds:
      return ColumnKind::seconds;
    case MetricUnit::bytes:
      return ColumnKind::bytes;
    case MetricUnit::fraction:
    case MetricUnit::percent:
      return ColumnKind::fraction;
    default:
      return ColumnKind::number;
  }
}

// A column of a number that a run comes to. `own`: how it is written, where that is not as numbers are.
template <RunMetric id>
RunColumn of_metric(const char* column, std::string (*own)(const Listed&) = nullptr) {
  const Metric& m = metric(id);
  if (own == nullptr) own = [](const Listed& r) { return r.run.numbers.text(id); };
  return {column, m.title, m.meaning, kind_of(m.unit), own, [](const Listed& r) {
            Number value = r.run.numbers[id];
            if (value && metric(id).unit == MetricUnit::percent) *value /= 100;
            return value;
          }};
}
RunColumn at_second(RunColumn column) {
  column.at_first = false;
  return column;
}

// In the order in which a table that nobody has set up shows them.
const std::array kColumns{
    RunColumn{"id", "#", "Number of the run in the workspace", ColumnKind::count,
              [](const Listed& r) { return std::to_string(r.run.id); },
              [](const Listed& r) { return Number(static_cast<double>(r.run.id)); }},
    RunColumn{"strategy", "strategy", "Strategy and what the experiment calls the run", ColumnKind::text,
              [](const Listed& r) {
                return r.run.strategy + (r.run.label.empty() ? "" : "  " + r.run.label) + kind_mark(r);
              },
              nullptr},
    RunColumn{"mesh", "mesh", "Mesh axes", ColumnKind::text, [](const Listed& r) { return r.run.mesh; },
              nullptr},
    RunColumn{
        "total", "total", "Time and resharding together: what runs are ranked by", ColumnKind::seconds,
        [](const Listed& r) { return r.rank.ranked ? format_picoseconds(r.run.priced_total()) : kNothing; },
        [](const Listed& r) {
          return r.rank.ranked ? Number(to_seconds(r.run.priced_total())) : std::nullopt;
        }},
    RunColumn{"x_best", "× best", "Total over that of the best run of the same problem", ColumnKind::ratio,
              [](const Listed& r) { return r.rank.ranked ? format_ratio(r.rank.ratio_to_best) : kNothing; },
              [](const Listed& r) { return r.rank.ranked ? Number(r.rank.ratio_to_best) : std::nullopt; }},
    of_metric<RunMetric::time>("time"),
    RunColumn{"price", "resharding",
              "Resharding: time to bring X, W and Y from and to the experiment's layouts",
              ColumnKind::seconds,
              [](const Listed& r) {
                return r.rank.ranked && r.run.price ? format_picoseconds(*r.run.price) : kNothing;
              },
              [](const Listed& r) {
                return r.rank.ranked && r.run.price ? Number(to_seconds(*r.run.price)) : std::nullopt;
              }},
    RunColumn{"group", "layouts",
              "Runs with the same letter start and end in the same layouts, on the same links: compare their "
              "times directly",
              ColumnKind::text,
              [](const Listed& r) { return r.rank.group ? group_name(*r.rank.group) : kNothing; },
              [](const Listed& r) {
                return r.rank.group ? Number(static_cast<double>(*r.rank.group)) : std::nullopt;
              }},
    RunColumn{"x_group", "× best of its layouts", "Time over that of the fastest run with the same layouts",
              ColumnKind::ratio,
              [](const Listed& r) { return r.rank.group ? format_ratio(r.rank.ratio_in_group) : kNothing; },
              [](const Listed& r) { return r.rank.group ? Number(r.rank.ratio_in_group) : std::nullopt; }},
    of_metric<RunMetric::compute>("compute"),
    of_metric<RunMetric::exposed>("exposed"),
    of_metric<RunMetric::idle>("idle"),
    of_metric<RunMetric::overlap>("overlap"),
    of_metric<RunMetric::sent>("sent"),
    of_metric<RunMetric::peak>("peak", [](const Listed& r) { return peak_words(r.run); }),
    RunColumn{"bound", "bound", "Largest share of the critical path", ColumnKind::text,
              [](const Listed& r) { return r.run.bound; }, nullptr},
    RunColumn{"numbers", "numbers", "Comparison with the reference", ColumnKind::text,
              [](const Listed& r) { return numbers_words(r.run); }, nullptr},
    RunColumn{"name", "name", "Your name for the run; F2 changes it", ColumnKind::text,
              [](const Listed& r) { return r.run.given.name; }, nullptr},
    RunColumn{"problem", "problem", "Sizes of the product, or a module's name", ColumnKind::text,
              [](const Listed& r) { return problem_words(r.run); }, nullptr},
    RunColumn{"dtype", "dtype", "Type of the numbers", ColumnKind::text,
              [](const Listed& r) { return r.run.dtype; }, nullptr},
    RunColumn{"chip", "chip", "Chip that the time is for", ColumnKind::text,
              [](const Listed& r) { return r.run.hardware; }, nullptr},
    RunColumn{"link", "link", "One link in one direction: rate, latency, topology", ColumnKind::text,
              [](const Listed& r) { return or_none(r.run.link); }, nullptr},
    RunColumn{"devices", "devices", "Devices of the mesh", ColumnKind::count,
              [](const Listed& r) { return std::to_string(r.run.devices); },
              [](const Listed& r) { return Number(r.run.devices); }, false},
    RunColumn{"tags", "tags", "Your words for the run, to filter by", ColumnKind::text,
              [](const Listed& r) { return tag_text(r.run.given.tags); }, nullptr},
    RunColumn{"note", "note", "Your note on the run", ColumnKind::text,
              [](const Listed& r) { return r.run.given.note; }, nullptr},
    RunColumn{"title", "experiment", "Title of the experiment that it was part of", ColumnKind::text,
              [](const Listed& r) { return r.run.title; }, nullptr, false},
    RunColumn{"created", "made", "When it was made, UTC", ColumnKind::text,
              [](const Listed& r) { return r.run.created; }, nullptr, false},
    RunColumn{"from", "from", "Workspace that it was imported from", ColumnKind::text,
              [](const Listed& r) { return r.run.given.origin; }, nullptr, false},
    at_second(of_metric<RunMetric::max_abs>("abs_error")),
    at_second(of_metric<RunMetric::mean_abs>("abs_error_mean")),
    at_second(of_metric<RunMetric::percent_bad>("wrong")),
};

// Whether a comes before b in a column: numbers, then texts; what has no value is last.
bool before(const ListedRun& a, const ListedRun& b, const RunColumn& column, bool descending) {
  if (column.number == nullptr) {
    const std::string x = column.text(a), y = column.text(b);
    if (x.empty() != y.empty()) return y.empty();
    return descending ? y < x : x < y;
  }
  const Number x = column.number(a), y = column.number(b);
  if (x.has_value() != y.has_value()) return x.has_value();
  if (!x) return false;
  return descending ? *y < *x : *x < *y;
}

}  // namespace

std::span<const RunColumn> run_columns() {
  return kColumns;
}

Result<size_t> find_run_column(std::string_view name) {
  std::vector<std::string> matching, all;
  size_t found = 0;
  for (size_t c = 0; c < kColumns.size(); ++c) {
    const std::string_view id = kColumns[c].id;
    all.emplace_back(id);
    if (id == name) return c;
    if (!id.starts_with(name)) continue;
    matching.emplace_back(id);
    found = c;
  }
  if (matching.size() == 1) return found;
  if (!matching.empty())
    return invalid(fmt::format("'{}' may be {}", name, join(matching, " or ")), "column",
                   "say more of its name");
  const auto near = nearest(name, all);
  return invalid(fmt::format("there is no column '{}'", name), "column",
                 near ? fmt::format("did you mean {}", *near) : "columns are " + join(all, ", "));
}

std::string problem_words(const RunSummary& run) {
  if (!run.signature.empty()) return run.label;
  return fmt::format("[{},{}] · [{},{}]", run.m, run.k, run.k, run.n);
}

std::vector<Rank> ranks_by_place(std::span<const RunSummary> runs) {
  std::vector<Rank> out(runs.size());
  for (const Rank& r : rank(runs)) out[r.place] = r;
  return out;
}

std::vector<RunGroup> ordered(std::span<const RunSummary> runs, const std::vector<Rank>& ranks,
                              const std::set<size_t>& shown, const RunOrder& order) {
  std::vector<size_t> places;
  for (size_t i = 0; i < runs.size(); ++i)
    if (shown.count(i) > 0) places.push_back(i);
  const auto listed = [&](size_t i) { return ListedRun{runs[i], ranks[i]}; };
  std::ranges::stable_sort(places, [&](size_t a, size_t b) {
    return before(listed(a), listed(b), kColumns[order.column], order.descending);
  });
  std::vector<RunGroup> groups;
  for (const size_t i : places) {
    const std::string key = order.group_by ? kColumns[*order.group_by].text(listed(i)) : "";
    auto group = std::ranges::find(groups, key, &RunGroup::key);
    if (group == groups.end()) group = groups.insert(groups.end(), RunGroup{key, {}, {}});
    group->rows.push_back(i);
    if (!ranks[i].ranked) continue;
    if (!group->best || runs[i].priced_total() < runs[*group->best].priced_total()) group->best = i;
  }
  return groups;
}

std::string runs_text(std::span<const RunSummary> runs, const std::set<size_t>& shown,
                      const RunOrder& order) {
  const std::vector<Rank> ranks = ranks_by_place(runs);
  std::string out;
  for (const RunGroup& group : ordered(runs, ranks, shown, order)) {
    TextTable table;
    for (const RunColumn& column : kColumns) {
      const bool filled = std::ranges::any_of(group.rows, [&](size_t i) {
        return !column.text({runs[i], ranks[i]}).empty();
      });
      if (!column.at_first || !filled) continue;
      table.header.emplace_back(column.header);
      table.right_aligned.push_back(column.right());
    }
    for (const size_t i : group.rows) {
      auto& row = table.rows.emplace_back();
      for (const RunColumn& column : kColumns) {
        if (std::ranges::find(table.header, column.header) != table.header.end())
          row.push_back(column.text({runs[i], ranks[i]}));
      }
    }
    if (!out.empty()) out += "\n";
    if (order.group_by) out += fmt::format("{}: {}\n", or_none(group.key), counted(group.rows.size(), "run"));
    out += plain_table(table);
  }
  return out;
}

std::string runs_json(std::span<const RunSummary> runs, const std::set<size_t>& shown,
                      const RunOrder& order) {
  const std::vector<Rank> ranks = ranks_by_place(runs);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RunGroup& group : ordered(runs, ranks, shown, order)) {
    for (const size_t i : group.rows) {
      const ListedRun listed{runs[i], ranks[i]};
      nlohmann::ordered_json row;
      for (const RunColumn& column : kColumns) {
        if (column.quantity == ColumnKind::count) {
          row[column.id] = static_cast<int64_t>(*column.number(listed));
        } else if (column.quantity == ColumnKind::text) {
          row[column.id] = column.text(listed);
        } else {
          const Number number = column.number(listed);
          row[column.id] = number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json(nullptr);
        }
      }
      row["strategy"] = runs[i].strategy;
      row["tags"] = runs[i].given.tags;
      list.push_back(std::move(row));
    }
  }
  return nlohmann::ordered_json{{"runs", list}}.dump(2) + "\n";
}

}  // namespace shardscope::inline report
