// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_operations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/story/beat_facts.h"

namespace shardscope {
namespace {

// Events of one instruction, added up.
struct Sum {
  std::vector<TimeRange> spans;  // on the device
  int64_t device_bytes = 0, sent_bytes = 0;
  int64_t computes = 0;
  Picoseconds critical = 0;
};

// Time that the union of `spans` covers.
Picoseconds covered(std::vector<TimeRange> spans) {
  std::ranges::sort(spans);
  Picoseconds out = 0, until = INT64_MIN;
  for (const TimeRange& span : spans) {
    out += std::max<Picoseconds>(0, span.end - std::max(span.start, until));
    until = std::max(until, span.end);
  }
  return out;
}

std::map<int32_t, Sum> sums_of(const Run& run, int32_t device) {
  std::map<int32_t, Sum> out;
  for (const Event& e : run.timeline.events) {
    Sum& sum = out[e.instruction];
    const bool transfer = e.kind == EventKind::transfer;
    if (transfer && !e.relayed) sum.sent_bytes += e.bytes;
    if (transfer ? !leaves_or_arrives(run, e, device) : e.device != device) continue;
    sum.spans.push_back({e.start, e.end});
    if (transfer) continue;
    sum.device_bytes += e.bytes;
    ++sum.computes;
  }
  // Each event of the path brings the end of the run nearer by what it ends after the one before.
  Picoseconds before = 0;
  for (const int32_t number : run.timeline.critical_path.events) {
    if (static_cast<size_t>(number) >= run.timeline.events.size()) break;  // recorded without its events
    const Event& e = run.timeline.events[static_cast<size_t>(number)];
    out[e.instruction].critical += e.end - before;
    before = e.end;
  }
  return out;
}

// How often each collective was carried out: the beats of its first transfer step.
std::map<int32_t, int64_t> executions_of(const Story& story) {
  std::map<int32_t, std::pair<int32_t, int64_t>> first;  // transfer step, beats
  for (const Beat& beat : story.beats()) {
    if (beat.transfer_step < 0) continue;
    auto& [step, count] = first.try_emplace(beat.instruction, beat.transfer_step, 0).first->second;
    if (beat.transfer_step < step) step = beat.transfer_step, count = 0;
    count += beat.transfer_step == step ? 1 : 0;
  }
  std::map<int32_t, int64_t> out;
  for (const auto& [instruction, found] : first) out[instruction] = found.second;
  return out;
}

// The arrays whose pieces travel, by instruction: "W", "X and W".
std::map<int32_t, std::string> arrays_of(const Story& story) {
  std::map<int32_t, std::set<std::string>> names;
  for (const Beat& beat : story.beats()) {
    if (beat.transfer_step < 0) continue;
    for (const int32_t event : beat.events)
      for (const Carried& c : story.carried(event))
        if (c.piece >= 0)
          names[beat.instruction].insert(
              common_name(story.arrays()[static_cast<size_t>(story.piece(c.piece).array)]));
  }
  std::map<int32_t, std::string> out;
  for (const auto& [instruction, found] : names)
    out[instruction] = join(std::vector<std::string>(found.begin(), found.end()), " and ");
  return out;
}

std::string key_of(const Run& run, const OperationName& name, int32_t instruction, const std::string& array) {
  if (name.size.m > 0) return name.verb;
  const Instruction& i = run.program.by_global_index(instruction);
  if (!is_collective(i.opcode)) return name.verb + " " + i.shape.text().substr(0, i.shape.text().find('{'));
  return name.verb + (array.empty() ? "" : " of " + array) +
         (name.place.empty() ? "" : " over " + join(split(name.place, ','), " and "));
}

// Rows by key as they are found.
class Rows {
 public:
  explicit Rows(const Run& run) : devices_(std::max<int64_t>(1, run.timeline.devices)) {}

  void add(RunOperation operation, int32_t instruction, const Sum& sum, int64_t executions) {
    const auto [at, is_new] = place_.try_emplace(operation.key, rows_.size());
    if (is_new) rows_.push_back({std::move(operation), {}, 0});
    Row& row = rows_[at->second];
    OperationSide& side = row.operation.side;
    row.spans.insert(row.spans.end(), sum.spans.begin(), sum.spans.end());
    row.sent += sum.sent_bytes;
    side.bytes += sum.device_bytes;
    side.count += executions;
    side.critical += sum.critical;
    side.instructions.push_back(instruction);
  }

  std::vector<RunOperation> take() {
    std::vector<RunOperation> out;
    for (Row& row : rows_) {
      OperationSide& side = row.operation.side;
      side.time = covered(row.spans);
      side.bytes += (row.sent + devices_ / 2) / devices_;
      if (!row.spans.empty()) {
        side.range = row.spans.front();
        for (const TimeRange& span : row.spans)
          side.range = {std::min(side.range.start, span.start), std::max(side.range.end, span.end)};
      }
      out.push_back(std::move(row.operation));
    }
    return out;
  }

 private:
  struct Row {
    RunOperation operation;
    std::vector<TimeRange> spans;
    int64_t sent = 0;  // by all devices
  };
  int64_t devices_;
  std::map<std::string, size_t> place_;
  std::vector<Row> rows_;
};

}  // namespace

std::vector<RunOperation> operations_of(const Run& run, const Story* story, int32_t device) {
  const auto arrays = story != nullptr ? arrays_of(*story) : std::map<int32_t, std::string>();
  const auto executions = story != nullptr ? executions_of(*story) : std::map<int32_t, int64_t>();
  Rows rows(run);
  for (const auto& [instruction, sum] : sums_of(run, device)) {
    if (instruction < 0 || instruction >= run.program.instruction_count()) continue;
    const OperationName name = operation_name(run.program, instruction);
    const auto array = arrays.find(instruction);
    const auto times = executions.find(instruction);
    // What other devices alone compute is carried out once as far as this row knows.
    const int64_t count = times != executions.end() ? times->second : std::max<int64_t>(1, sum.computes);
    rows.add({key_of(run, name, instruction, array == arrays.end() ? "" : array->second), name.size, {}},
             instruction, sum, count);
  }
  return rows.take();
}

}  // namespace shardscope
