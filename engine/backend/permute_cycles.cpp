// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/permute_cycles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/backend/computation_rewrite.h"
#include "engine/base/say.h"

namespace shardscope::inline backend {
namespace {

// The pair that closes the ring; none: pairs are no ring of neighbours, or of two devices alone.
std::optional<SourceTarget> closing_pair(const Permutation& permutation) {
  std::vector<SourceTarget> pairs = permutation.pairs();
  const auto count = static_cast<int32_t>(pairs.size());
  if (count < 2) return std::nullopt;
  std::ranges::sort(pairs);
  const DeviceId first = pairs.front().source, last = pairs.back().source;
  if (last.value - first.value != count - 1) return std::nullopt;
  const auto steps = [&](int32_t by) {
    return std::ranges::all_of(pairs, [&](const SourceTarget& pair) {
      return pair.target.value == first.value + (pair.source.value - first.value + by + count) % count;
    });
  };
  if (steps(1)) return SourceTarget{last, first};
  if (steps(-1)) return SourceTarget{first, last};
  return std::nullopt;
}

int64_t last_channel(const Program& program) {
  int64_t out = 0;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions) out = std::max(out, i.channel_id.value_or(0));
  return out;
}

class RingOpener {
 public:
  RingOpener(int64_t devices, int64_t& channel, FreshNames& fresh, ComputationRewrite& to)
      : devices_(devices), channel_(channel), fresh_(fresh), to_(to) {}

  // What stands for the permute, which sends `sent`.
  InstructionId open(const Instruction& permute, InstructionId sent, SourceTarget closing, PassLinks& links) {
    std::vector<SourceTarget> others = permute.permutation->pairs();
    std::erase(others, closing);
    const InstructionId back = part(permute, sent, {closing}, links);
    const InstructionId forward = part(permute, sent, std::move(others), links);
    const Shape number = Shape::array(ElementType::u32, {}), truth = Shape::array(ElementType::pred, {});
    const InstructionId device =
        to_.add(made_instruction(fresh_("partition"), Opcode::partition_id, number, {}));
    const InstructionId receiver =
        to_.add(scalar_constant(fresh_("receiver"), ElementType::u32, closing.target.value));
    Instruction compare = made_instruction(fresh_("closes_ring"), Opcode::compare, truth, {device, receiver});
    compare.attributes = Attributes(CompareDirection::eq);
    InstructionId which = to_.add(std::move(compare));
    const Shape mask = Shape::array(ElementType::pred, permute.shape.dims);
    if (permute.shape.rank() > 0)
      which = to_.add(made_instruction(fresh_("closes_ring.array"), Opcode::broadcast, mask, {which}));
    Instruction chosen =
        made_instruction(fresh_(permute.name), Opcode::select, permute.shape, {which, back, forward});
    chosen.provenance = permute.provenance;
    links.emplace_back(chosen.name, permute.name);
    return to_.add(std::move(chosen));
  }

 private:
  InstructionId part(const Instruction& permute, InstructionId sent, std::vector<SourceTarget> pairs,
                     PassLinks& links) {
    Instruction out = permute;
    out.name = fresh_(permute.name);
    out.operands = {sent};
    out.permutation = std::make_shared<const Permutation>(*Permutation::make(std::move(pairs), devices_));
    if (out.channel_id) out.channel_id = ++channel_;
    links.emplace_back(out.name, permute.name);
    return to_.add(std::move(out));
  }

  int64_t devices_;
  int64_t& channel_;
  FreshNames& fresh_;
  ComputationRewrite& to_;
};

}  // namespace

PassEffect open_permute_rings(Program& program, int64_t least_bytes) {
  PassEffect out;
  FreshNames fresh(program);
  int64_t channel = last_channel(program);
  for (Computation& c : program.computations) {
    const Computation before = c;
    ComputationRewrite to(before);
    RingOpener opener(program.mesh.device_count(), channel, fresh, to);
    for (size_t k = 0; k < before.instructions.size(); ++k) {
      const Instruction& i = before.instructions[k];
      const bool large = i.opcode == Opcode::collective_permute && i.operands.size() == 1 &&
                         !i.shape.is_tuple && i.control_predecessors.empty() &&
                         i.shape.bytes() >= least_bytes;
      const auto closing = large ? closing_pair(*i.permutation) : std::nullopt;
      if (!closing) {
        to.copy(k);
        continue;
      }
      to.stand_for(k, opener.open(i, to.at(i.operands.front()), *closing, out.links));
      out.said.push_back(say("{}: device {} to {}, which closes its ring, is a permute of its own", i.name,
                             closing->source.value, closing->target.value));
    }
    c = std::move(to).finish();
  }
  return out;
}

}  // namespace shardscope::inline backend
