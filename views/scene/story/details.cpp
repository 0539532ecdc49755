// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/details.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "engine/base/csv.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/run/chosen_plan.h"
#include "engine/run/metrics.h"
#include "engine/story/sums/range_table.h"
#include "views/scene/core/pen.h"
#include "views/scene/story/cost_formula.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/range_sums.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostLinks = 8;
constexpr size_t kMostInstructionRows = 200;  // of a program with more, a row is an operation

ItemId device_item(int32_t device) {
  ItemId item;
  item.kind = ItemId::Kind::device;
  item.device = device;
  return item;
}

ItemId instruction_item(int32_t instruction) {
  ItemId item;
  item.kind = ItemId::Kind::instruction;
  item.instruction = instruction;
  return item;
}

// The tooltip's lines after the first, which is the title.
Details described(const ViewInput& input, const ItemId& item, Picoseconds now) {
  Details out;
  std::vector<std::string> lines = describe(input, item, now);
  if (lines.empty()) return out;
  out.title = lines.front();
  DetailSection section;
  for (size_t i = 1; i < lines.size(); ++i) section.facts.push_back({"", std::move(lines[i])});
  out.sections.push_back(std::move(section));
  return out;
}

// --- sums by operation

struct Sums {
  int64_t count = 0, bytes = 0;
  Picoseconds sum = 0, least = 0, most = 0;
  std::map<int32_t, Spans> busy;  // by device
};

void add(const Sums& more, Sums& to) {
  to.least = to.count == 0 ? more.least : std::min(to.least, more.least);
  to.most = std::max(to.most, more.most);
  to.sum += more.sum;
  to.bytes += more.bytes;
  to.count += more.count;
  for (const auto& [device, spans] : more.busy)
    for (const TimeRange span : spans) to.busy[device].add(span);
}

// Of the events that `take` lets through, with their part in time; by instruction.
template <class Take>
std::map<int32_t, Sums> sums_by_instruction(const ViewInput& input, Take take) {
  std::map<int32_t, Sums> out;
  for (int64_t i = 0; i < input.trace.event_count(); ++i) {
    const auto event = find_event(input, static_cast<int32_t>(i));
    if (!event || event->relayed || !take(*event)) continue;
    const Picoseconds time = event->end - event->start;
    Sums& sums = out[event->instruction];
    add({1, event->bytes, time, time, time, {}}, sums);
    sums.busy[event->device].add({event->start, event->end});
  }
  return out;
}

// By name: of so many instructions that nobody reads them all, those of one operation are one row.
std::vector<std::pair<std::string, Sums>> named(const ViewInput& input,
                                                const std::map<int32_t, Sums>& by_instruction) {
  std::vector<std::pair<std::string, Sums>> rows;
  if (by_instruction.size() <= kMostInstructionRows) {
    for (const auto& [instruction, sums] : by_instruction)
      rows.emplace_back(instruction_name(input, instruction), sums);
    return rows;
  }
  const Operations operations = operations_of(input);
  for (const std::string& key : operations.keys) rows.emplace_back(key, Sums());
  for (const auto& [instruction, sums] : by_instruction)
    add(sums, rows[static_cast<size_t>(operations.of_instruction[static_cast<size_t>(instruction)])].second);
  std::erase_if(rows, [](const auto& row) { return row.second.count == 0; });
  return rows;
}

int32_t devices_of(const ViewInput& input) {
  return static_cast<int32_t>(input.run.mesh.device_count());
}

// The longest first; shares are those of a range that is the whole run (range_notes).
template <class Take>
DetailSection operations(const ViewInput& input, const std::string& heading, int32_t devices, Take take) {
  DetailSection section{heading};
  if (std::string why = why_not_summed(input); !why.empty()) {
    section.facts.push_back({"", std::move(why)});
    return section;
  }
  auto rows = named(input, sums_by_instruction(input, take));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.sum > b.second.sum; });
  RangeStatistics whole;
  whole.range = {0, input.run.timeline.total};
  whole.devices = devices;
  section.table.columns = {"operation", "count", "sum", "min", "mean", "max", "share", "bytes"};
  for (const auto& [name, row] : rows) {
    Picoseconds busy = 0;
    for (const auto& [device, spans] : row.busy) busy += spans.length();
    section.table.rows.push_back({name, group_digits(row.count), format_picoseconds(row.sum),
                                  format_picoseconds(row.least), format_picoseconds(row.sum / row.count),
                                  format_picoseconds(row.most), format_percent(whole.share(busy)),
                                  format_bytes(static_cast<double>(row.bytes))});
  }
  return section;
}

// --- what each kind of thing adds to its description

DetailSection ways_of_event(const ViewInput& input, int32_t number, const Event& event) {
  DetailSection section{"Causes and effects"};
  if (event.cause >= 0)
    section.links.push_back({"waited for " + event_name(input, event.cause), event_item(input, event.cause)});
  int64_t more = 0;
  if (std::string unread = why_unread(input); !unread.empty())
    section.facts.push_back({"", std::move(unread)});
  const int64_t last = is_unread(input) ? 0 : std::min(input.trace.event_count(), kMostSummed);
  for (int64_t i = 0; i < last; ++i) {
    const auto other = find_event(input, static_cast<int32_t>(i));
    if (!other || other->cause != number) continue;
    if (section.links.size() > kMostLinks) {
      ++more;
      continue;
    }
    section.links.push_back({"let start " + event_name(input, static_cast<int32_t>(i)),
                             event_item(input, static_cast<int32_t>(i))});
  }
  if (more > 0) section.facts.push_back({"", fmt::format("and let {} more start", more)});
  section.links.push_back(
      {"instruction " + instruction_name(input, event.instruction), instruction_item(event.instruction)});
  section.links.push_back({"device " + device_name(input.run.mesh, event.device), device_item(event.device)});
  return section;
}

void add_event(const ViewInput& input, const ItemId& item, Details& out) {
  const auto event = find_event(input, item.event);
  if (!event) return;
  out.sections.push_back({"Why it takes that long", duration_facts(input, *event)});
  if (auto whole = collective_formula(input, item.event))
    out.sections.push_back({"Its collective", std::move(whole->facts)});
  if (auto start = start_formula(input, *event))
    out.sections.push_back({"Why it starts then", std::move(start->facts)});
  out.sections.push_back(ways_of_event(input, item.event, *event));
  out.sections.push_back(
      operations(input, "All of this operation", devices_of(input),
                 [&](const Event& other) { return other.instruction == event->instruction; }));
}

void add_instruction(const ViewInput& input, const ItemId& item, Details& out) {
  out.sections.push_back(operations(input, "Its events", devices_of(input), [&](const Event& event) {
    return event.instruction == item.instruction;
  }));
  DetailSection& section = out.sections.back();
  if (is_unread(input)) return;
  for (int64_t i = 0; i < std::min(input.trace.event_count(), kMostSummed); ++i) {
    const auto event = find_event(input, static_cast<int32_t>(i));
    if (!event || event->instruction != item.instruction || event->relayed) continue;
    if (section.links.size() == kMostLinks) break;
    section.links.push_back(
        {event_name(input, static_cast<int32_t>(i)), event_item(input, static_cast<int32_t>(i))});
  }
}

void add_device(const ViewInput& input, const ItemId& item, Details& out) {
  out.sections.push_back(operations(input, "Its operations", 1,
                                    [&](const Event& event) { return event.device == item.device; }));
}

void add_link(const ViewInput& input, const ItemId& item, Details& out) {
  out.sections.push_back(operations(input, "What it carried", 1, [&](const Event& event) {
    return event.device == item.device && event.lane == item.lane;
  }));
  out.sections.back().links = {
      {"device " + device_name(input.run.mesh, item.device), device_item(item.device)},
      {"device " + device_name(input.run.mesh, item.index), device_item(item.index)}};
}

// The terms of the devices, then their operations; what counts with its part is said.
Details of_range(const ViewInput& input, TimeRange range, const std::vector<int32_t>& devices) {
  Details out;
  out.title = fmt::format("{} to {}: {}", format_picoseconds(range.start), format_picoseconds(range.end),
                          format_picoseconds(range.length()));
  const bool all = std::ssize(devices) == input.run.timeline.devices;
  DetailSection section{all ? "Operations of all devices in it"
                            : "Operations of device " + device_name(input.run.mesh, devices.front()) +
                                  " in it"};
  const auto sums = range_sums(input, range, devices);
  if (!sums) {
    section.facts.push_back({"", why_not_summed(input)});
    out.sections.push_back(std::move(section));
    return out;
  }
  DetailSection terms{all ? "The devices' time, on the average" : "The device's time"};
  for (const auto& [label, of_all] : {std::pair{"compute", sums->compute},
                                      std::pair{"exposed", sums->exposed}, std::pair{"idle", sums->idle}})
    terms.facts.push_back({label, format_picoseconds(of_all / std::max(1, sums->devices)),
                           format_percent(sums->share(of_all)) + " of the range"});
  terms.facts.push_back({"moved", format_bytes(static_cast<double>(sums->bytes_sent)), "by all"});
  section.table = {range_columns(), range_rows(*sums)};
  for (std::string& note : range_notes(*sums)) section.facts.push_back({"", std::move(note)});
  out.sections = {std::move(terms), std::move(section)};
  return out;
}

DetailSection path_of(const ViewInput& input) {
  const CriticalPath& path = input.run.timeline.critical_path;
  DetailSection section{"Critical path"};
  for (const auto& [label, part] :
       {std::pair{"compute", path.compute}, std::pair{"memory", path.memory},
        std::pair{"latency", path.latency}, std::pair{"bandwidth", path.bandwidth},
        std::pair{"overhead", path.overhead}}) {
    if (part <= 0) continue;
    const double share =
        static_cast<double>(part) / static_cast<double>(std::max<Picoseconds>(1, input.run.timeline.total));
    section.facts.push_back({label, format_picoseconds(part), format_percent(share) + " of the time"});
  }
  if (!path.events.empty()) {
    section.links.push_back(
        {"begins with " + event_name(input, path.events.front()), event_item(input, path.events.front())});
    section.links.push_back(
        {"ends with " + event_name(input, path.events.back()), event_item(input, path.events.back())});
  }
  return section;
}

Details of_run(const ViewInput& input) {
  const SimulatedSummary sum = summarise(input.run.timeline);
  const std::string device = "device " + device_name(input.run.mesh, sum.device);
  DetailSection section;
  const RunNumbers numbers = numbers_of(input.run);
  const std::string communication = numbers.text(RunMetric::communication);
  const std::string exposed = numbers.text(RunMetric::exposed);
  section.facts = {{"time", numbers.text(RunMetric::time), "end of the last event"},
                   {"compute", numbers.text(RunMetric::compute), "of " + device + ", the most exposed"},
                   {"communication", communication},
                   {"exposed", exposed, "communication that nothing hides"}};
  if (sum.overlap)
    section.facts.push_back(
        {"overlap", numbers.text(RunMetric::overlap), fmt::format("1 − {} / {}", exposed, communication)});
  section.facts.push_back({"idle", numbers.text(RunMetric::idle)});
  section.facts.push_back({"bound by", sum.bound, "the largest part of the critical path"});
  if (const auto chosen = chosen_plan(input.run.program)) section.facts.push_back({"", chosen->sentence()});
  for (const std::string& assumption : input.run.timeline.assumptions)
    section.facts.push_back({"", "≈ " + assumption});
  section.links.push_back({device, device_item(sum.device)});
  return {input.run.strategy,
          {std::move(section), path_of(input),
           operations(input, "Operations", devices_of(input), [](const Event&) { return true; })}};
}

std::string markdown_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) {
    for (size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2) cell.insert(at, 1, '\\');
  }
  return "| " + join(cells, " | ") + " |\n";
}

std::string markdown_head(const std::vector<std::string>& columns) {
  return markdown_row(columns) + markdown_row(std::vector<std::string>(columns.size(), "---"));
}

}  // namespace

Details details_of(const ViewInput& input, const Selection& selection) {
  if (selection.range && selection.range->length() > 0)
    return of_range(input, *selection.range, chosen_devices(input, selection));
  const ItemId& item = selection.selected;
  Details out = described(input, item, selection.time);
  if (out.title.empty()) return of_run(input);
  switch (item.kind) {
    case ItemId::Kind::event:
    case ItemId::Kind::chunk:
      add_event(input, item, out);
      break;
    case ItemId::Kind::instruction:
      add_instruction(input, item, out);
      break;
    case ItemId::Kind::device:
    case ItemId::Kind::buffer:
      add_device(input, item, out);
      break;
    case ItemId::Kind::link:
      add_link(input, item, out);
      break;
    case ItemId::Kind::none:
    case ItemId::Kind::event_group:
    case ItemId::Kind::block:
    case ItemId::Kind::step:
    case ItemId::Kind::handle:
    case ItemId::Kind::candidate:
      break;
  }
  return out;
}

std::string details_csv(const Details& details) {
  std::string out = csv_line({"section", "fact", "value", "formula", "source"});
  for (const DetailSection& section : details.sections) {
    const std::string heading = section.heading.empty() ? details.title : section.heading;
    for (const Fact& fact : section.facts)
      out += csv_line({heading, fact.label, fact.value, fact.formula, fact.source});
    for (const DetailLink& link : section.links) out += csv_line({heading, "", link.text, "", ""});
  }
  for (const DetailSection& section : details.sections) {
    if (section.table.rows.empty()) continue;
    out += "\n" + csv_line(section.table.columns);
    for (const auto& row : section.table.rows) out += csv_line(row);
  }
  return out;
}

std::string details_markdown(const Details& details) {
  std::string out = "## " + details.title + "\n";
  for (const DetailSection& section : details.sections) {
    if (!section.heading.empty()) out += "\n### " + section.heading + "\n";
    if (!section.facts.empty()) {
      out += "\n" + markdown_head({"fact", "value", "formula", "source"});
      for (const Fact& fact : section.facts)
        out += markdown_row({fact.label, fact.value, fact.formula, fact.source});
    }
    if (!section.table.rows.empty()) {
      out += "\n" + markdown_head(section.table.columns);
      for (const auto& row : section.table.rows) out += markdown_row(row);
    }
    if (!section.links.empty()) out += "\n";
    for (const DetailLink& link : section.links) out += "- " + link.text + "\n";
  }
  return out;
}

}  // namespace shardscope::inline views
