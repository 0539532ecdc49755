// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/loops/loop_buffers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/plan/memory.h"

namespace shardscope::inline planner {
namespace {

// By instruction the works that read its value, through views.
std::vector<std::set<int32_t>> readers_of(const LoopPlan& loops) {
  const auto& all = loops.program.entry_computation().instructions;
  std::vector<std::set<int32_t>> out(all.size());
  for (size_t k = all.size(); k-- > 0;) {
    const int32_t work = loops.plan.work_of[k];
    for (const InstructionId operand : all[k].operands) {
      std::set<int32_t>& readers = out[to_index(operand.value)];
      if (work >= 0) readers.insert(work);
      if (work < 0) readers.insert(out[k].begin(), out[k].end());
    }
  }
  return out;
}

}  // namespace

std::vector<RoundBuffer> buffers_of(const LoopPlan& loops) {
  const auto readers = readers_of(loops);
  const Program& program = loops.program;
  const int32_t first = program.global_index(program.entry, InstructionId(0));
  std::vector<RoundBuffer> out;
  for (const BufferContents& b : plan_buffers(program, loops.plan.fused_add)) {
    const Instruction& maker = program.entry_computation().instructions[to_index(b.maker() - first)];
    const auto& read_by = readers[to_index(b.values.back().instruction - first)];
    out.push_back({loops.plan.work_of[to_index(b.maker() - first)], maker.shape.bytes(), b.kept, maker.rooted,
                   b.kept ? Needs() : Needs(read_by.begin(), read_by.end())});
  }
  return out;
}

bool are_read(const LoopPlan& loops, const std::vector<RoundBuffer>& buffers, ReadBy by) {
  const auto is_of_rounds = [&](int32_t work) {
    const auto block = loops.block_of(work);
    return block == loops.blocks.end() || block->repeats();
  };
  return std::ranges::all_of(buffers, [&](const RoundBuffer& b) {
    const auto block = loops.block_of(b.maker);
    // What is there from the start, and what is as in the round before it.
    if (b.kept || block == loops.blocks.end()) return true;
    if (!block->repeats()) return by == ReadBy::one_way || std::ranges::none_of(b.readers, is_of_rounds);
    const auto inside = std::ranges::count_if(b.readers, [&](int32_t reader) { return block->has(reader); });
    return inside == std::ssize(b.readers) || (by == ReadBy::one_way && inside == 0);
  });
}

}  // namespace shardscope::inline planner
