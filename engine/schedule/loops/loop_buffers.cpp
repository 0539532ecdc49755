// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/loops/loop_buffers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/schedule/memory.h"

namespace shardscope::inline scheduler {
namespace {

// The works that read the value of an instruction, through views.
class Readers {
 public:
  explicit Readers(const LoopPlan& loops) : loops_(loops) {
    const auto& all = loops.program.entry_computation().instructions;
    users_.resize(all.size());
    for (size_t k = 0; k < all.size(); ++k)
      for (const InstructionId operand : all[k].operands) users_[to_index(operand.value)].push_back(k);
  }
  Needs of(size_t instruction) const {
    std::set<int32_t> works;
    std::set<size_t> seen;
    std::vector<size_t> open{instruction};
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      for (const size_t user : users_[at]) {
        const int32_t work = loops_.plan.work_of[user];
        if (work >= 0) works.insert(work);
        if (work < 0 && seen.insert(user).second) open.push_back(user);
      }
    }
    return {works.begin(), works.end()};
  }

 private:
  const LoopPlan& loops_;
  std::vector<std::vector<size_t>> users_;
};

}  // namespace

std::vector<RoundBuffer> buffers_of(const LoopPlan& loops) {
  const Readers readers(loops);
  const Program& program = loops.program;
  const int32_t first = program.global_index(program.entry, InstructionId(0));
  std::vector<RoundBuffer> out;
  for (const BufferContents& b : plan_buffers(program, loops.plan.fused_add)) {
    const Instruction& maker = program.entry_computation().instructions[to_index(b.maker() - first)];
    RoundBuffer buffer{loops.plan.work_of[to_index(b.maker() - first)], maker.shape.bytes(), b.kept,
                       maker.rooted,
                       b.kept ? Needs() : readers.of(to_index(b.values.back().instruction - first))};
    out.push_back(std::move(buffer));
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

}  // namespace shardscope::inline scheduler
