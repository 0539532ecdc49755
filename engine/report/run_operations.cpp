// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_operations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/program/ir/op_table.h"
#include "engine/report/breakdown.h"
#include "engine/run/buffer_name.h"
#include "engine/run/spans.h"
#include "engine/story/beat_facts.h"
#include "engine/story/sums/operation_name.h"

namespace shardscope::inline report {
namespace {

// Events of one instruction, added up.
struct Sum {
  std::vector<TimeRange> spans;  // on the device
  int64_t device_bytes = 0, sent_bytes = 0, largest_move = 0;
  int64_t computes = 0;
  Picoseconds critical = 0;
  Terms terms{};
};

std::map<int32_t, Sum> sums_of(const Run& run, int32_t device) {
  std::map<int32_t, Sum> out;
  for (const Event& e : run.timeline.events) {
    Sum& sum = out[e.instruction];
    const bool transfer = e.kind == EventKind::transfer;
    if (transfer && !e.relayed) {
      sum.sent_bytes += e.bytes;
      sum.largest_move = std::max(sum.largest_move, e.bytes);
    }
    if (transfer ? !leaves_or_arrives(run, e, device) : e.device != device) continue;
    sum.spans.push_back({e.start, e.end});
    if (transfer) continue;
    sum.device_bytes += e.bytes;
    ++sum.computes;
  }
  for (const auto& [instruction, time] : critical_by_instruction(run.timeline))
    out[instruction].critical = time;
  for (const Stretch& stretch : stretches_of(run, device))
    if (!stretch.instructions.empty())
      out[stretch.instructions.front()].terms[static_cast<size_t>(stretch.term)] += stretch.time;
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

// What an instruction moves.
struct Moved {
  std::set<std::string> arrays;
  bool whole = true;  // no sum in the making is among it
  std::string names() const { return join(std::vector<std::string>(arrays.begin(), arrays.end()), " and "); }
};

std::map<int32_t, Moved> moved_by(const Story& story) {
  std::map<int32_t, Moved> out;
  for (const Beat& beat : story.beats()) {
    if (beat.transfer_step < 0) continue;
    Moved& moved = out[beat.instruction];
    for (const int32_t event : beat.events) {
      for (const Carried& c : story.carried(event)) {
        if (c.piece < 0) continue;
        const Piece& piece = story.piece(c.piece);
        moved.arrays.insert(common_name(story.arrays()[static_cast<size_t>(piece.array)]));
        moved.whole = moved.whole && piece.complete;
      }
    }
  }
  return out;
}

// What is moved in a run that is too big for its story: the input that an instruction reads by way of moves
// and views alone, or a product in the making.
Moved moved_by(const Program& program, int32_t instruction) {
  const Computation& entry = program.entry_computation();
  const int32_t first = program.global_index(program.entry, InstructionId(0));
  Moved out;
  for (int32_t at = instruction - first; at >= 0 && static_cast<size_t>(at) < entry.instructions.size();) {
    const Instruction& i = entry.instructions[static_cast<size_t>(at)];
    if (i.opcode == Opcode::parameter) {
      out.arrays.insert(stored_name(program, first + at));
      return out;
    }
    const OpClass kind = operation(i.opcode).kind;
    const bool passes_on =
        kind == OpClass::movement || (kind == OpClass::collective && has(i.opcode, Trait::moves));
    if (!passes_on || i.operands.empty()) break;
    at = static_cast<int32_t>(i.operands.front().value);
  }
  if (const auto outputs = outputs_of(program); outputs.size() == 1)
    out.arrays.insert(symbol_of(outputs.front()));
  out.whole = false;
  return out;
}

Effect effect_of(Opcode opcode, const Moved& moved) {
  struct Effects {
    Effect of_whole = Effect::none, of_sums = Effect::none;
  };
  constexpr Effects kGathers{Effect::gather, Effect::gather}, kPasses{Effect::gather, Effect::sum};
  static const OpTable<Effects> kEffects({}, {{Opcode::all_gather, kGathers},
                                              {Opcode::all_gather_start, kGathers},
                                              {Opcode::reduce_scatter, {Effect::sum, Effect::sum}},
                                              {Opcode::collective_permute, kPasses},
                                              {Opcode::collective_permute_start, kPasses},
                                              {Opcode::collective_broadcast, kPasses}});
  const Effects effects = kEffects[opcode];
  return moved.whole ? effects.of_whole : effects.of_sums;
}

// Without its times and counts.
RunOperation operation_of(const Run& run, int32_t instruction, const Moved& moved) {
  RunOperation out;
  const OperationName name = operation_name(run.program, instruction);
  const Instruction& i = run.program.by_global_index(instruction);
  out.side.verb = name.size.m > 0 ? std::string(opcode_text(i.opcode)) : verb_of(name);
  out.product = name.size;
  out.key = operation_key(run.program, instruction, moved.names());
  if (name.size.m == 0 && is_collective(i.opcode)) {
    out.array = moved.names();
    out.place = join(split(name.place, ','), " and ");
    if (!out.array.empty() && !out.place.empty()) out.effect = effect_of(i.opcode, moved);
    out.single = has(i.opcode, Trait::by_pairs) || i.opcode == Opcode::collective_broadcast;
    for (const std::string& axis : split(name.place, ','))
      if (const auto at = run.mesh.axis_index(axis)) out.members *= run.mesh.axis_size(*at);
  }
  return out;
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
    for (size_t t = 0; t < side.terms.size(); ++t) side.terms[t] += sum.terms[t];
    row.operation.largest_move = std::max(row.operation.largest_move, sum.largest_move);
    side.instructions.push_back(instruction);
  }

  std::vector<RunOperation> take() {
    std::vector<RunOperation> out;
    for (Row& row : rows_) {
      OperationSide& side = row.operation.side;
      side.bytes += (row.sent + devices_ / 2) / devices_;
      side.range = hull_of(row.spans);
      side.time = Spans(std::move(row.spans)).length();
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

std::string array_held_by(const Run& run, const Story* story, int32_t maker) {
  std::set<std::string> names;
  if (story != nullptr)
    for (const int32_t array : story->arrays_in_buffer(maker))
      names.insert(common_name(story->arrays()[static_cast<size_t>(array)]));
  if (!names.empty()) return join(std::vector<std::string>(names.begin(), names.end()), " and ");
  if (std::string stored = stored_name(run.program, maker); !stored.empty()) return stored;
  const std::string moved = story == nullptr ? moved_by(run.program, maker).names() : "";
  return moved.empty() ? buffer_name(run.program, maker) : moved;
}

std::vector<RunOperation> operations_of(const Run& run, const Story* story, int32_t device) {
  const auto moved = story != nullptr ? moved_by(*story) : std::map<int32_t, Moved>();
  const auto executions = story != nullptr ? executions_of(*story) : std::map<int32_t, int64_t>();
  Rows rows(run);
  for (const auto& [instruction, sum] : sums_of(run, device)) {
    if (instruction < 0 || instruction >= run.program.instruction_count()) continue;
    const auto found = moved.find(instruction);
    const Moved what = found != moved.end() ? found->second
                       : story == nullptr   ? moved_by(run.program, instruction)
                                            : Moved();
    const auto times = executions.find(instruction);
    // What other devices alone compute is carried out once as far as this row knows.
    const int64_t count = times != executions.end() ? times->second : std::max<int64_t>(1, sum.computes);
    rows.add(operation_of(run, instruction, what), instruction, sum, count);
  }
  return rows.take();
}

}  // namespace shardscope::inline report
