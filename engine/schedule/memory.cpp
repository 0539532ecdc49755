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
  int32_t last = 0;      // instruction that reads it last
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
      buffers[static_cast<size_t>(same)].last = last[i];
      buffer_of[i] = same;
      continue;
    }
    buffer_of[i] = static_cast<int32_t>(buffers.size());
    buffers.push_back({id, it.shape.bytes(), work, last[i], it.rooted});
  }
  return buffers;
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
  std::vector<std::pair<Picoseconds, int64_t>> changes;
  for (size_t d = 0; d < devices; ++d) {
    changes.clear();
    for (const Buffer& b : buffers) {
      if (b.rooted && plan.works[static_cast<size_t>(b.made_by)].groups->rank_of[d] > 0) continue;
      BufferLife life;
      life.device = static_cast<int32_t>(d);
      life.instruction = program.global_index(program.entry, b.maker);
      life.bytes = b.bytes;
      life.start = b.made_by < 0 ? 0 : span(b.made_by, d).start;
      life.end = b.made_by < 0 ? timeline.total : span(b.made_by, d).end;
      const int32_t reader = plan.work_of[static_cast<size_t>(b.last)];
      const bool to_the_end = b.last == computation.root.value ||
                              b.last + 1 == static_cast<int32_t>(computation.instructions.size());
      if (to_the_end) {
        life.end = timeline.total;
      } else if (reader >= 0) {
        life.end = std::max(life.end, span(reader, d).end);
      }
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
