// SPDX-License-Identifier: Apache-2.0
// The rules are those of XLA's InstructionFusion and CpuInstructionFusion.
#include "engine/backend/cpu_fusions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/backend/library_kernels.h"
#include "engine/backend/loop_code.h"
#include "engine/backend/loop_rules.h"
#include "engine/program/memory/in_place.h"

namespace shardscope::inline backend {
namespace {

constexpr int kMostReductions = 5;
constexpr size_t kLongestLoop = 1000;
constexpr int kMostPaths = 256;  // that are followed from one instruction

class CpuFusions {
 public:
  CpuFusions(const Computation& c, LibraryKernels library)
      : c_(c), library_(std::move(library)), nodes_(c.instructions.size()), readers_(nodes_.size()) {
    for (size_t k = 0; k < nodes_.size(); ++k) {
      nodes_[k].members = {static_cast<int32_t>(k)};
      read(nodes_[k].members[0], true);
    }
    for (size_t k = 0; k < nodes_.size(); ++k) apart_.push_back(must_stay_apart(static_cast<int32_t>(k)));
  }

  Result<std::vector<Kernel>> run(const std::stop_token& stop) {
    std::vector<Kernel> out = library_.kernels;
    for (size_t k = nodes_.size(); k-- > 0;) {
      if (stop.stop_requested()) return cancelled();
      const auto reader = static_cast<int32_t>(k);
      if (nodes_[k].gone || !can_be_in_loop(reader)) continue;
      while (take_one(reader)) continue;
      if (nodes_[k].members.size() > 1) out.push_back(kernel_of(c_, nodes_[k].members, {reader}));
    }
    std::ranges::sort(out, {}, [](const Kernel& kernel) { return kernel.roots.back(); });
    return out;
  }

 private:
  struct Node {
    std::vector<int32_t> members;  // ascending
    bool gone = false;             // all who read it compute it themselves
  };

  bool can_be_in_loop(int32_t place) const {
    return is_in_loops(at(place)) && !library_.taken[static_cast<size_t>(place)];
  }
  const Instruction& at(int32_t place) const { return c_.instructions[static_cast<size_t>(place)]; }
  std::set<int32_t>& readers(int32_t place) { return readers_[static_cast<size_t>(place)]; }

  void read(int32_t reader, bool on) {
    for (const InstructionId operand : at(reader).operands) {
      std::set<int32_t>& all = readers(static_cast<int32_t>(operand.value));
      on ? void(all.insert(reader)) : void(all.erase(reader));
    }
  }

  // The last of what it reads first, so that nothing is computed twice in one loop.
  bool take_one(int32_t reader) {
    Node& node = nodes_[static_cast<size_t>(reader)];
    if (node.members.size() >= kLongestLoop) return false;
    const Kernel kernel = kernel_of(c_, node.members, {reader});
    for (size_t n = kernel.inputs.size(); n-- > 0;) {
      const int32_t producer = kernel.inputs[n];
      if (apart_[static_cast<size_t>(producer)] || !may_join(producer, reader)) continue;
      take(producer, reader);
      return true;
    }
    return false;
  }

  void take(int32_t producer, int32_t reader) {
    Node& node = nodes_[static_cast<size_t>(reader)];
    if (const auto code = code_.find(reader); code != code_.end()) code->second.add(at(producer), producer);
    node.members.insert(std::ranges::upper_bound(node.members, producer), producer);
    readers(producer).erase(reader);
    for (const InstructionId operand : at(producer).operands)
      if (!std::ranges::binary_search(node.members, static_cast<int32_t>(operand.value)))
        readers(static_cast<int32_t>(operand.value)).insert(reader);
    if (!readers(producer).empty() || producer == c_.root.value) return;
    nodes_[static_cast<size_t>(producer)].gone = true;
    read(producer, false);
  }

  bool may_join(int32_t producer, int32_t reader) {
    const Instruction& made = at(producer);
    if (!can_be_in_loop(producer) || !made.control_predecessors.empty()) return false;
    if (is_put_together_alone(made) || is_put_together_alone(at(reader))) return false;
    const auto& members = nodes_[static_cast<size_t>(reader)].members;
    const bool dear = is_dear(c_, made);
    if (dear && repeats_elements(c_, members, producer)) return false;
    if (dear && readers(producer).size() > 1) return false;
    if (writes_what_it_reads(made, at(reader))) return false;
    if (members.size() == 1) return made.opcode != Opcode::constant;  // a number alone makes no loop
    if (reductions({producer}) > 0 && reductions(members) > kMostReductions) return false;
    return !is_too_much_code(producer, reader);
  }

  // Of an update in place: another part of the same array would be read when it is written already.
  bool writes_what_it_reads(const Instruction& made, const Instruction& update) const {
    if (!has(update.opcode, Trait::updates) || operation(made.opcode).kind == OpClass::elementwise)
      return false;
    return !is_part_of_update(made, update) &&
           std::ranges::find(made.operands, update.operands[0]) != made.operands.end();
  }

  int reductions(const std::vector<int32_t>& members) const {
    return static_cast<int>(
        std::ranges::count_if(members, [&](int32_t m) { return at(m).opcode == Opcode::reduce; }));
  }

  bool is_too_much_code(int32_t producer, int32_t reader) {
    if (at(producer).opcode == Opcode::broadcast) return false;
    auto found = code_.find(reader);
    if (found == code_.end()) {
      found = code_.emplace(reader, LoopCode(c_, reader)).first;
      const auto& members = nodes_[static_cast<size_t>(reader)].members;
      for (size_t m = members.size() - 1; m-- > 0;) found->second.add(at(members[m]), members[m]);
    }
    const int64_t times = found->second.times(producer);
    if (times > LoopCode::kMostTimes) return true;
    return LoopCode::starts_block(at(producer)) && (times > 1 || uses(producer) > 1);
  }

  // How often it is read, inside of loops too.
  int64_t uses(int32_t producer) {
    int64_t out = 0;
    for (const int32_t reader : readers(producer))
      for (const int32_t member : nodes_[static_cast<size_t>(reader)].members)
        out += reads(at(member), producer) ? 1 : 0;
    return out;
  }

  // What reads more than it gives, and what cannot be computed by all its readers, is computed once.
  bool must_stay_apart(int32_t producer) {
    const Instruction& i = at(producer);
    if (!can_be_in_loop(producer) || i.shape.is_tuple || readers(producer).size() < 2) return false;
    if (reads_one_array(c_, i) || !reads_more_than_it_gives(c_, i)) return false;
    std::map<int32_t, Path> known;
    return std::ranges::any_of(readers(producer),
                               [&](int32_t reader) { return path(producer, reader, known) != Path::fused; });
  }

  enum class Path { none, fused, broken };
  Path path(int32_t producer, int32_t reader, std::map<int32_t, Path>& known) {
    if (reader == producer) return Path::fused;
    if (const auto found = known.find(reader); found != known.end()) return found->second;
    if (known.size() > kMostPaths) return Path::broken;
    known[reader] = Path::broken;
    Path out = Path::none;
    for (const InstructionId operand : at(reader).operands) {
      const auto before = static_cast<int32_t>(operand.value);
      if (before < producer) continue;
      const Path part = path(producer, before, known);
      if (part == Path::none) continue;
      const bool fused = part == Path::fused && can_be_in_loop(reader) && may_join(before, reader);
      out = fused && out != Path::broken ? Path::fused : Path::broken;
    }
    return known[reader] = out;
  }

  const Computation& c_;
  const LibraryKernels library_;
  std::vector<Node> nodes_;
  std::vector<std::set<int32_t>> readers_;  // by place: who reads it now
  std::vector<bool> apart_;
  std::map<int32_t, LoopCode> code_;  // by reader
};

}  // namespace

Result<std::vector<Kernel>> plan_cpu_fusions(const Program& program, const Computation& computation,
                                             const std::stop_token& stop) {
  return CpuFusions(computation, library_kernels(program, computation)).run(stop);
}

}  // namespace shardscope::inline backend
