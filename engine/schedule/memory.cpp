// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/memory.h"

#include <algorithm>

#include "engine/program/analysis/analysis.h"

namespace shardscope {

namespace {

// The same on every device but for rooted sums: only times differ.
struct Buffer {
  InstructionId maker;
  int64_t bytes = 0;
  int32_t made_by = -1;  // work; -1: a parameter, there from the start
  int32_t holds = 0;     // the last instruction whose value it holds: sums in place have several
  bool rooted = false;   // only the root of each group has it
};

std::vector<Buffer> buffers_of(const Computation& computation, const WorkPlan& plan) {
  const std::vector<int32_t> last = last_use(computation);
  std::vector<Buffer> buffers;
  std::vector<int32_t> buffer_of(computation.instructions.size(), -1);
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    const Instruction& it = computation.instructions[i];
    const int32_t work = plan.work_of[i];
    if (it.opcode != Opcode::parameter && work < 0) continue;
    if (plan.fused_add[i].valid()) continue;  // the add owns the bytes of its dot
    const InstructionId id(static_cast<int64_t>(i));
    const bool fused = work >= 0 && plan.works[static_cast<size_t>(work)].instruction != id;
    int32_t same = -1;
    if (fused) {
      for (const InstructionId operand : it.operands) {
        const size_t o = static_cast<size_t>(operand.value);
        const bool accumulator = plan.work_of[o] >= 0 && plan.fused_add[o] != id;
        if (accumulator && last[o] == static_cast<int32_t>(i)) same = buffer_of[o];
      }
    }
    if (same >= 0) {
      buffers[static_cast<size_t>(same)].holds = static_cast<int32_t>(i);
      buffer_of[i] = same;
      continue;
    }
    buffer_of[i] = static_cast<int32_t>(buffers.size());
    buffers.push_back({id, it.shape.bytes(), work, static_cast<int32_t>(i), it.rooted});
  }
  return buffers;
}

// Whether a value is wanted to the end: a parameter or the result, through views.
std::vector<bool> wanted_at_the_end(const Computation& computation) {
  const size_t count = computation.instructions.size();
  std::vector<bool> wanted(count, false);
  wanted[static_cast<size_t>(computation.root.value)] = true;
  for (size_t k = count; k-- > 0;) {
    const Instruction& i = computation.instructions[k];
    if (i.opcode == Opcode::parameter) wanted[k] = true;
    if (!wanted[k] || !is_free(i)) continue;
    for (const InstructionId operand : i.operands) wanted[static_cast<size_t>(operand.value)] = true;
  }
  return wanted;
}

// When each value was read for the last time on one device, through views: what comes last in the program
// need not end last.
template <typename EndOf>
std::vector<Picoseconds> last_reads(const Computation& computation, const WorkPlan& plan,
                                    const EndOf& end_of) {
  std::vector<Picoseconds> read(computation.instructions.size(), 0);
  for (size_t k = read.size(); k-- > 0;) {
    const int32_t work = plan.work_of[k];
    const Picoseconds use = work < 0 ? read[k] : end_of(work);
    for (const InstructionId operand : computation.instructions[k].operands) {
      Picoseconds& last = read[static_cast<size_t>(operand.value)];
      last = std::max(last, use);
    }
  }
  return read;
}

}  // namespace

void record_memory(const Program& program, const WorkPlan& plan, const std::vector<Span>& spans,
                   int32_t played, bool keep, Timeline& timeline) {
  const Computation& computation = program.entry_computation();
  const std::vector<Buffer> buffers = buffers_of(computation, plan);
  const size_t devices = static_cast<size_t>(played);
  const auto span = [&](int32_t work, size_t device) {
    return spans[static_cast<size_t>(work) * devices + device];
  };
  if (keep) timeline.memory.resize(static_cast<size_t>(timeline.devices));
  const std::vector<bool> wanted = wanted_at_the_end(computation);
  std::vector<std::pair<Picoseconds, int64_t>> changes;
  for (size_t d = 0; d < devices; ++d) {
    changes.clear();
    const std::vector<Picoseconds> read =
        last_reads(computation, plan, [&](int32_t work) { return span(work, d).end; });
    for (const Buffer& b : buffers) {
      if (b.rooted && plan.works[static_cast<size_t>(b.made_by)].groups->rank_of[d] > 0) continue;
      BufferLife life;
      life.device = static_cast<int32_t>(d);
      life.instruction = program.global_index(program.entry, b.maker);
      life.bytes = b.bytes;
      life.start = b.made_by < 0 ? 0 : span(b.made_by, d).start;
      life.end = b.made_by < 0 ? timeline.total : span(b.made_by, d).end;
      const auto holds = static_cast<size_t>(b.holds);
      const bool to_the_end = wanted[holds];
      life.end = to_the_end ? timeline.total : std::max(life.end, read[holds]);
      changes.emplace_back(life.start, life.bytes);
      if (!to_the_end && b.made_by >= 0) changes.emplace_back(life.end, -life.bytes);
      if (keep) timeline.buffers.push_back(life);
    }
    // At one time what dies goes before what is made: negative bytes sort first.
    std::sort(changes.begin(), changes.end());
    int64_t live = 0;
    int64_t peak = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      live += changes[i].second;
      peak = std::max(peak, live);
      if (!keep || (i + 1 < changes.size() && changes[i + 1].first == changes[i].first)) continue;
      timeline.memory[d].push_back({changes[i].first, live});
    }
    timeline.totals[d].peak_bytes = peak;
  }
  const size_t buffers_each = timeline.buffers.size();
  for (size_t d = devices; d < static_cast<size_t>(timeline.devices); ++d) {
    timeline.totals[d].peak_bytes = timeline.totals[0].peak_bytes;
    if (keep) timeline.memory[d] = timeline.memory[0];
    for (size_t i = 0; i < buffers_each; ++i) {
      timeline.buffers.push_back(timeline.buffers[i]);
      timeline.buffers.back().device = static_cast<int32_t>(d);
    }
  }
}

}  // namespace shardscope
