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

bool are_read_in_one_way(const LoopPlan& loops, const std::vector<RoundBuffer>& buffers) {
  return std::ranges::all_of(buffers, [&](const RoundBuffer& b) {
    if (b.kept || b.maker < 0) return true;
    const auto block = loops.block_of(b.maker);
    if (block == loops.blocks.end() || !block->repeats()) return true;
    return std::ranges::all_of(b.readers, [&](int32_t reader) { return block->has(reader); }) ||
           std::ranges::none_of(b.readers, [&](int32_t reader) { return block->has(reader); });
  });
}

bool stay_in_their_rounds(const LoopPlan& loops, const std::vector<RoundBuffer>& buffers) {
  const auto repeats = [&](int32_t work) {
    const auto block = loops.block_of(work);
    return block == loops.blocks.end() || block->repeats();
  };
  return std::ranges::all_of(buffers, [&](const RoundBuffer& b) {
    if (b.kept || b.maker < 0) return true;
    const bool in_round = repeats(b.maker);
    const auto block = loops.block_of(b.maker);
    if (block == loops.blocks.end()) return true;  // as in the round before it
    return std::ranges::all_of(
        b.readers, [&](int32_t reader) { return in_round ? block->has(reader) : !repeats(reader); });
  });
}

}  // namespace shardscope::inline scheduler
