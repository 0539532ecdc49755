// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/memory.h"

#include <algorithm>

#include "engine/program/analysis/analysis.h"

namespace shardscope::inline planner {

namespace {

// Whether a value is wanted to the end: a parameter or the result, through views.
std::vector<bool> wanted_at_the_end(const Computation& computation) {
  const size_t count = computation.instructions.size();
  std::vector<bool> wanted(count, false);
  wanted[static_cast<size_t>(computation.root.value)] = true;
  for (const InstructionId given : parameter_ids(computation))
    wanted[static_cast<size_t>(given.value)] = true;
  for (size_t k = count; k-- > 0;) {
    const Instruction& i = computation.instructions[k];
    if (!wanted[k] || !is_free(i)) continue;
    for (const InstructionId operand : i.operands) wanted[static_cast<size_t>(operand.value)] = true;
  }
  return wanted;
}

// The buffer that a sum works in: of an accumulator that nobody reads after it; -1: it has its own.
int32_t buffer_to_add_in(const Instruction& sum, InstructionId id, InstructionId dot,
                         const std::vector<int32_t>& last, const std::vector<int32_t>& buffer_of) {
  for (const InstructionId operand : sum.operands) {
    const auto o = static_cast<size_t>(operand.value);
    if (operand != dot && buffer_of[o] >= 0 && last[o] == static_cast<int32_t>(id.value)) return buffer_of[o];
  }
  return -1;
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

// What a device played holds, as what another one that does the same holds. `buffers`: from, to.
void share_memory(size_t played, size_t device, std::pair<size_t, size_t> buffers, Timeline& timeline) {
  timeline.totals[device].peak_bytes = timeline.totals[played].peak_bytes;
  if (!timeline.memory.empty()) timeline.memory[device] = timeline.memory[played];
  for (size_t i = buffers.first; i < buffers.second; ++i) {
    BufferLife life = timeline.buffers[i];
    life.device = static_cast<int32_t>(device);
    timeline.buffers.push_back(life);
  }
}

}  // namespace

int64_t peak_of_changes(std::vector<MemoryChange>& changes, std::vector<MemoryPoint>* over_time) {
  std::sort(changes.begin(), changes.end());
  int64_t live = 0, peak = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    live += changes[i].second;
    peak = std::max(peak, live);
    const bool more = i + 1 < changes.size() && changes[i + 1].first == changes[i].first;
    if (over_time != nullptr && !more) over_time->push_back({changes[i].first, live});
  }
  return peak;
}

std::vector<BufferContents> plan_buffers(const Program& program,
                                         const std::vector<InstructionId>& fused_add) {
  const Computation& entry = program.entry_computation();
  const size_t count = entry.instructions.size();
  std::vector<InstructionId> dot_of(count);
  for (size_t i = 0; i < count; ++i)
    if (fused_add[i].valid()) dot_of[static_cast<size_t>(fused_add[i].value)] = InstructionId(int64_t(i));
  const std::vector<int32_t> last = last_use(entry);
  const std::vector<bool> wanted = wanted_at_the_end(entry);
  const int32_t first = program.global_index(program.entry, InstructionId(0));
  std::vector<BufferContents> out;
  std::vector<int32_t> buffer_of(count, -1);  // of what a sum may work in too
  for (size_t i = 0; i < count; ++i) {
    const Instruction& it = entry.instructions[i];
    const bool parameter = it.opcode == Opcode::parameter;
    if (!parameter && is_free(it)) continue;
    if (fused_add[i].valid()) continue;  // the add owns the bytes of its dot
    const InstructionId id(static_cast<int64_t>(i)), dot = dot_of[i];
    int32_t buffer = dot.valid() ? buffer_to_add_in(it, id, dot, last, buffer_of) : -1;
    if (buffer < 0) {
      buffer = static_cast<int32_t>(out.size());
      out.emplace_back();
    }
    BufferContents& contents = out[static_cast<size_t>(buffer)];
    const int32_t product = dot.valid() ? first + static_cast<int32_t>(dot.value) : -1;
    contents.values.push_back({first + static_cast<int32_t>(i), product});
    contents.kept = wanted[i];
    if (!parameter) buffer_of[i] = buffer;
  }
  return out;
}

void record_memory(const Program& program, const WorkPlan& plan, const Played& played, bool keep,
                   Timeline& timeline) {
  const Computation& computation = program.entry_computation();
  std::vector<BufferContents> buffers = plan_buffers(program, plan.fused_add);
  const int32_t first = program.global_index(program.entry, InstructionId(0));
  const auto span = [&](int32_t work, size_t device) {
    return played.span(work, static_cast<int32_t>(device));
  };
  if (keep) timeline.memory.resize(static_cast<size_t>(timeline.devices));
  std::vector<MemoryChange> changes;
  std::vector<size_t> first_buffer;  // by device
  for (size_t d = 0; d < timeline.totals.size(); ++d) {
    first_buffer.push_back(timeline.buffers.size());
    const auto same = static_cast<size_t>(played.by(static_cast<int32_t>(d)));
    if (same != d) {
      share_memory(same, d, {first_buffer[same], first_buffer[same + 1]}, timeline);
      continue;
    }
    changes.clear();
    const std::vector<Picoseconds> read =
        last_reads(computation, plan, [&](int32_t work) { return span(work, d).over(); });
    for (const BufferContents& b : buffers) {
      const Instruction& maker = computation.instructions[static_cast<size_t>(b.maker() - first)];
      const int32_t made_by =
          plan.work_of[static_cast<size_t>(b.maker() - first)];  // -1: there from the start
      if (maker.rooted && plan.works[static_cast<size_t>(made_by)].groups->rank_of[d] > 0) continue;
      BufferLife life;
      life.device = static_cast<int32_t>(d);
      life.instruction = b.maker();
      life.bytes = maker.shape.bytes();
      life.start = made_by < 0 ? 0 : span(made_by, d).start;
      const Picoseconds made = made_by < 0 ? timeline.total : span(made_by, d).over();
      const auto holds = static_cast<size_t>(b.values.back().instruction - first);
      life.end = b.kept ? timeline.total : std::max(made, read[holds]);
      changes.emplace_back(life.start, life.bytes);
      if (!b.kept && made_by >= 0) changes.emplace_back(life.end, -life.bytes);
      if (keep) timeline.buffers.push_back(life);
    }
    timeline.totals[d].peak_bytes = peak_of_changes(changes, keep ? &timeline.memory[d] : nullptr);
  }
  if (keep) timeline.contents = std::move(buffers);
}

}  // namespace shardscope::inline planner
