// SPDX-License-Identifier: Apache-2.0
#include "engine/report/document/make_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/base/text.h"
#include "engine/hardware/chip_numbers.h"
#include "engine/report/crossover_report.h"
#include "engine/report/difference_table.h"
#include "engine/report/document/first_page.h"
#include "engine/report/document/folders.h"
#include "engine/report/residual/residual.h"
#include "engine/report/run_difference.h"
#include "engine/report/verdict.h"
#include "engine/report/what_if_report.h"
#include "engine/request/command_line.h"

namespace shardscope::inline report {
namespace {

constexpr size_t kOperationRows = 40;
constexpr size_t kRunKeys = 3;  // place, number and strategy say which run a row is

void add_table(ReportSection& section, std::string caption, TextTable table, size_t keys = 1) {
  if (table.rows.empty()) return;
  section.blocks.emplace_back(ReportTable{std::move(caption), std::move(table), {}, keys});
}

// A time that is told to a cycle of a chip: what differs by less is the same.
constexpr Picoseconds kClockStep = 1'000;

bool runs_differ(const TimeRow& row) {
  return std::ranges::any_of(
      row.values, [&](Picoseconds time) { return std::abs(time - row.values.front()) >= kClockStep; });
}

bool takes_time(const TimeRow& row) {
  return std::ranges::any_of(row.values, [](Picoseconds time) { return time != 0; });
}

template <class Keep>
std::vector<TimeRow> rows_that(const std::vector<TimeRow>& rows, Keep keep) {
  std::vector<TimeRow> out;
  std::ranges::copy_if(rows, std::back_inserter(out), keep);
  return out;
}

// Where the time of those that are compared goes; its rows add up.
ReportSection why(const RunDifference* d) {
  ReportSection out{"why", "Why", {}};
  if (d == nullptr) return out;
  add_table(out, "Time of the slowest device: compute, exposed communication and idle add up to the total.",
            times_table(*d, "terms", rows_that(d->terms, takes_time), all_others(*d)));
  return out;
}

// Letters are of runs; where layouts differ they are counted.
TextTable numbered_layouts(const Comparison& comparison, TextTable table) {
  const size_t groups = group_table(comparison).rows.size();
  const auto of_layouts = [](const std::string& header) {
    return header.find("layouts") != std::string::npos;
  };
  if (groups < 2) return with_columns(table, [&](const std::string& header) { return !of_layouts(header); });
  std::map<std::string, std::string> numbers;
  for (size_t group = 0; group < groups; ++group)
    numbers[group_name(group)] = fmt::format("no. {}", group + 1);
  const auto column = std::ranges::find(table.header, "layouts") - table.header.begin();
  for (auto& row : table.rows) {
    std::string& cell = row[static_cast<size_t>(column)];
    if (const auto number = numbers.find(cell); number != numbers.end()) cell = number->second;
  }
  for (std::string& meaning : table.meanings)
    if (const size_t at = meaning.find("same letter"); at != std::string::npos)
      meaning.replace(at, std::string_view("same letter").size(), "same number");
  return table;
}

TextTable shown_runs(const Comparison& comparison, Audience audience) {
  return columns_for(audience, numbered_layouts(comparison, comparison_table(comparison)));
}

ReportSection runs(const Comparison& comparison, Audience audience) {
  ReportSection out{"runs", "Runs", {}};
  ReportTable table{
      "", shown_runs(comparison, audience), {}, audience == Audience::engineer ? kRunKeys : 1, true};
  for (const RankedRun& r : rank(comparison.runs)) table.best.push_back(r.is_best());
  if (!table.cells.rows.empty()) out.blocks.emplace_back(std::move(table));
  const TextTable groups = numbered_layouts(comparison, group_table(comparison));
  if (groups.rows.size() > 1 && audience == Audience::engineer)
    add_table(out,
              "Layouts: runs with the same number start and end in the same layouts, so compare their times "
              "directly.",
              groups);
  return out;
}

// What the columns of the table of runs are.
ReportSection columns(const Comparison& comparison, Audience audience) {
  ReportSection out{"columns", "Columns", {}};
  const TextTable table = shown_runs(comparison, audience);
  ReportList list;
  for (size_t c = 0; c < table.header.size(); ++c)
    if (!table.meanings[c].empty()) list.items.push_back({table.header[c], table.meanings[c]});
  if (!table.rows.empty()) out.blocks.emplace_back(std::move(list));
  return out;
}

// Operations that differ by less than a step of the clock take the same.
RunDifference to_the_clock(RunDifference d) {
  for (OperationRow& row : d.operations)
    for (size_t r = 1; r < row.sides.size(); ++r)
      if (row.sides[r].there() == row.sides.front().there() && std::abs(row.delta(r)) < kClockStep)
        row.sides[r].time = row.sides.front().time;
  return d;
}

ReportSection operations(const Comparison& comparison, const RunDifference* compared) {
  ReportSection out{"operations", "Operation by operation", {}};
  if (compared == nullptr) return out;
  const RunDifference d = to_the_clock(*compared);
  const Shown others = all_others(d);
  const size_t ranked = static_cast<size_t>(std::ranges::count_if(rank(comparison.runs), &RankedRun::ranked));
  if (ranked > d.runs.size())
    out.blocks.emplace_back(ReportText{
        fmt::format("The {} best of {} ranked runs; the others stand in the table of runs and in its CSV.",
                    d.runs.size(), ranked)});
  add_table(out, "", runs_table(d));
  for (const std::string& note : d.notes) out.blocks.emplace_back(ReportText{note});
  const std::vector<TimeRow> parts = rows_that(d.parts, runs_differ);
  if (!parts.empty())
    add_table(out, "The critical path: what differs by a nanosecond or more, and the total.",
              times_table(d, "critical path", parts, others));
  add_table(out, "Operations", operations_table(d, others, kOperationRows));
  add_table(out, "Memory of the fullest device at its peak", memory_table(d, others));
  return out;
}

// What a trace of the real program takes beside what is simulated; the two never add up to one number.
ReportSection measured(const Comparison& comparison) {
  ReportSection out{"measured", "Measured beside simulated", {}};
  if (!comparison.measured) return out;
  const Residual& r = comparison.measured->residual;
  out.blocks.emplace_back(ReportText{fmt::format("The trace {} beside {}. {}", r.trace,
                                                 run_name(*comparison.measured->run), residual_sentence(r))});
  for (const std::string& note : r.notes) out.blocks.emplace_back(ReportText{"Note: " + note + "."});
  add_table(
      out,
      "By cause: simulated of the critical path; what an operation on it takes longer counts as its "
      "largest cause, and what operations do not explain is unmatched. Simulated times and residuals add "
      "up to their totals; a cause that nothing measured counts as simulated.",
      residual_terms_table(r));
  add_table(out, "By operation, on one device; the largest residuals first.",
            residual_operations_table(r, kOperationRows), 2);
  add_table(out, "Measured, but of no operation of the run; of all devices and steps.",
            residual_unmatched_table(r, kOperationRows));
  return out;
}

// What every run's numbers were compared with, and which side is off.
ReportSection numbers(const Comparison& comparison) {
  ReportSection out{"numbers", "Numbers", {}};
  ReportList list;
  for (const RunPtr& run : comparison.runs) {
    const NumericsReport& n = run->numerics;
    if (!n.exact || (n.allclose && n.max_abs == 0 && n.exact->result.max_abs == 0)) continue;
    const ExactComparison& e = *n.exact;
    list.items.push_back(
        {run_name(*run),
         fmt::format(
             "{} (rtol {:g}, atol {:g}; passes from atol {:.3g}). Relative error against f64 {:.3g}, of {} "
             "{:.3g}. {}",
             numerics_word(n), n.rtol, n.atol, n.smallest_atol, e.result.rel_frobenius, reference_words(n),
             e.reference.rel_frobenius, e.explanation)});
  }
  if (!list.items.empty()) out.blocks.emplace_back(std::move(list));
  return out;
}

ReportSection sensitivity(const std::vector<RunWorth>& worth) {
  ReportSection out{"sensitivity", "What would help", {}};
  for (const RunWorth& of : worth) {
    std::vector<Sensitivity> rows = of.rows;
    std::erase_if(rows, [](const Sensitivity& row) { return std::abs(row.plus10) < kClockStep; });
    add_table(out, fmt::format("{}: what 10 % better would give", run_name(*of.run)),
              sensitivity_table(rows));
  }
  if (!out.blocks.empty()) out.blocks.emplace_back(ReportText{fmt::format("Here {}.", kWhatIfNote)});
  return out;
}

ReportSection skipped(const Comparison& comparison) {
  ReportSection out{"skipped", "Not run", {}};
  ReportList list;
  for (const SkippedRun& s : comparison.skipped) {
    const auto same = std::ranges::find(list.items, reason_alone(s), &ReportItem::text);
    if (same == list.items.end())
      list.items.push_back({s.strategy, reason_alone(s)});
    else
      same->head += ", " + s.strategy;
  }
  if (!list.items.empty()) out.blocks.emplace_back(std::move(list));
  return out;
}

// What the partitioning of a module should not have needed.
ReportSection warnings(const Comparison& comparison) {
  ReportSection out{"warnings", "Warnings", {}};
  ReportList list;
  for (const RunPtr& run : comparison.runs) {
    if (!run->module) continue;
    for (const std::string& text : run->module->warnings) list.items.push_back({run_name(*run), text});
  }
  if (!list.items.empty()) out.blocks.emplace_back(std::move(list));
  return out;
}

ReportSection assumptions(const Comparison& comparison) {
  ReportSection out{"assumptions", "Assumptions", {}};
  std::vector<std::string> seen;
  ReportList list;
  list.items.push_back({"",
                        "Times are simulated on a model of the chip; measured times, where shown, are of "
                        "the machine that made the run."});
  for (const RunPtr& run : comparison.runs) {
    for (const std::string& text : run->timeline.assumptions) {
      if (std::ranges::find(seen, text) != seen.end()) continue;
      seen.push_back(text);
      list.items.push_back({"", text});
    }
  }
  out.blocks.emplace_back(std::move(list));
  return out;
}

// A text once, by its number from 1.
std::string place_in(std::vector<std::string>& texts, const std::string& text) {
  auto found = std::ranges::find(texts, text);
  if (found == texts.end()) found = texts.insert(texts.end(), text);
  return std::to_string(found - texts.begin() + 1);
}

// The numbers that the times are made of, and where each is from.
ReportSection chips(const Comparison& comparison) {
  ReportSection out{"chip", "Chip", {}};
  std::vector<const Hardware*> seen;
  for (const RunPtr& run : comparison.runs) {
    const Hardware& chip = run->hardware;
    if (std::ranges::any_of(seen, [&](const Hardware* other) { return *other == chip; })) continue;
    seen.push_back(&chip);
    TextTable table{{"number", "value", "source"}, {}, {false, true, true}};
    std::vector<std::string> sources;
    for (const ChipNumber& number : chip_numbers(chip)) {
      const auto value = number.get(chip);
      const auto source = chip.sources.find(number.key);
      if (!value) continue;
      table.rows.push_back({fmt::format("{}: {}", number.section, label_of(number)),
                            fmt::format("{:.12g} {}", *value / number.factor, number.unit),
                            source == chip.sources.end() ? kNothing : place_in(sources, source->second)});
    }
    add_table(out, fmt::format("{}, {}", chip.name, name(chip.topology)), std::move(table));
    ReportList list;
    for (size_t k = 0; k < sources.size(); ++k)
      list.items.push_back({fmt::format("source {}", k + 1), sources[k]});
    if (!list.items.empty()) out.blocks.emplace_back(std::move(list));
  }
  return out;
}

ReportSection made(const Comparison& comparison, const HowMade& how, Audience audience) {
  ReportSection out{"made", "How this was made", {}};
  ReportList facts;
  const auto fact = [&](const char* head, const std::string& text) {
    if (!text.empty()) facts.items.push_back({head, text});
  };
  fact("Shardscope", how.commit.empty() ? how.version : how.version + ", commit " + how.commit);
  fact("Date", how.date);
  const auto data_of = [](const Run& run) {
    return run.module ? "" : fmt::format("{}, seed {}", name(run.experiment.fill), run.experiment.seed);
  };
  fact("Data", join(texts_of(comparison, data_of), "; "));
  out.blocks.emplace_back(std::move(facts));
  const auto command = [&](const char* what, const std::string& line) {
    if (line.empty()) return;
    out.blocks.emplace_back(ReportText{what});
    out.blocks.emplace_back(ReportText{line, true});
  };
  command("This report, made again:", how.command);
  command("Its table as CSV, the same bytes each time:", how.csv_command);
  if (audience == Audience::students) return out;
  std::string lines;
  for (const RankedRun& r : rank(comparison.runs))
    if (!r.run->module) lines += (lines.empty() ? "" : "\n") + run_command(*r.run);
  command("Each run alone, in the order of the table:", lines);
  return out;
}

// The sections that have something to say, with their pictures: before the tables that say the same in
// numbers, but for the first page's.
void fill(Report& out, std::vector<ReportSection> all, const ReportParts& parts) {
  for (ReportSection& section : all) {
    if (parts.extent.leaves_out(section.id)) continue;
    const bool below = section.id == "why" || section.id == "problem";
    auto place = below ? section.blocks.end() : section.blocks.begin();
    if (section.id == "problem" && !section.blocks.empty()) place = section.blocks.begin() + 1;
    for (const auto& [of, figure] : parts.figures)
      if (of == section.id) place = section.blocks.insert(place, figure) + 1;
    if (!section.blocks.empty()) out.sections.push_back(std::move(section));
  }
  leave_out_folders(out);
}

// Each with what it has to say, which may be nothing.
std::vector<ReportSection> sections_of(const Comparison& comparison, const ReportParts& parts) {
  const std::optional<RunDifference> difference = difference_of_best(comparison.runs);
  const RunDifference* compared = difference ? &*difference : nullptr;
  return {first_page(comparison, compared),
          why(compared),
          runs(comparison, parts.extent.audience),
          {"timelines", "Timelines", {}},
          operations(comparison, compared),
          measured(comparison),
          {"links", "Links", {}},
          {"moment", "What happens", {}},
          {"memory", "Memory", {}},
          numbers(comparison),
          warnings(comparison),
          sensitivity(parts.worth),
          skipped(comparison),
          assumptions(comparison),
          chips(comparison),
          columns(comparison, parts.extent.audience),
          made(comparison, parts.made, parts.extent.audience)};
}

}  // namespace

std::string run_name(const Run& run) {
  return run.id ? fmt::format("{} (run {})", heading_of(run), *run.id) : heading_of(run);
}

const std::vector<ReportPart>& report_parts() {
  static const std::vector<ReportPart> kParts = [] {
    std::vector<ReportPart> out;
    for (const ReportSection& section : sections_of({}, {})) out.push_back({section.id, section.title});
    return out;
  }();
  return kParts;
}

Report make_report(const Comparison& comparison, const ReportParts& parts) {
  Report out{report_title(comparison), verdict(comparison.runs), {}};
  fill(out, sections_of(comparison, parts), parts);
  return out;
}

Report make_report(const CrossoverTable& table, const ReportParts& parts) {
  ReportSection where{"where", "Where the winner changes", {}};
  ReportList changes;
  for (const std::string& sentence : crossover_sentences(table)) changes.items.push_back({"", sentence});
  if (!changes.items.empty()) where.blocks.emplace_back(std::move(changes));
  ReportSection points{"points", "Every point", {}};
  points.blocks.emplace_back(ReportTable{"", crossover_points(table), {}, table.axes.size(), true});
  Report out{table.title.empty() ? "Who wins where" : table.title, crossover_verdict(table), {}};
  fill(out, {std::move(where), std::move(points), made({}, parts.made, parts.extent.audience)}, parts);
  return out;
}

}  // namespace shardscope::inline report
