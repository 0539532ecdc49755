// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/combined_collectives.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/program/analysis/combining.h"

namespace shardscope::inline backend {
namespace {

class Combiner {
 public:
  Combiner(const Program& program, Computation& c, const CombineOptions& how)
      : program_(program), c_(c), opcode_(how.opcode), most_(how.most), stop_(how.stop) {}

  PassLinks run() {
    PassLinks out;
    while (const auto group = next_group()) {
      const std::string name = c_.instructions[group->back()].name;
      for (const size_t member : *group) out.emplace_back(name, c_.instructions[member].name);
      combine(*group);
    }
    return out;
  }

 private:
  bool is_candidate(size_t k) const {
    const Instruction& i = c_.instructions[k];
    return i.opcode == opcode_ && is_combined(i);
  }

  // The first that go together. What is combined makes others wait for more, so a candidate that went with
  // none never will.
  std::optional<std::vector<size_t>> next_group() {
    int64_t seen = 0;
    for (size_t first = 0; first < c_.instructions.size(); ++first) {
      if (!is_candidate(first) || seen++ < alone_) continue;
      if (stop_.stop_requested()) return std::nullopt;
      std::vector<size_t> group = group_from(first);
      if (group.size() > 1) return group;
      ++alone_;
    }
    return std::nullopt;
  }

  // In one walk: a member is what waits for no other member.
  std::vector<size_t> group_from(size_t first) const {
    std::vector<size_t> group{first};
    int64_t bytes = c_.instructions[first].shape.bytes();
    std::vector<bool> waits(c_.instructions.size());
    waits[first] = true;
    for (size_t k = first + 1; k < c_.instructions.size() && group.size() < kMostCombined; ++k) {
      const Instruction& i = c_.instructions[k];
      waits[k] = std::ranges::any_of(
          i.operands, [&](InstructionId operand) { return waits[static_cast<size_t>(operand.value)]; });
      if (waits[k] || !is_candidate(k) || !go_alike(program_, c_.instructions[first], i)) continue;
      if (bytes + i.shape.bytes() > most_) continue;
      bytes += i.shape.bytes();
      waits[k] = true;
      group.push_back(k);
    }
    return group;
  }

  void combine(const std::vector<size_t>& group) {
    // Behind the last member's place: what reads an earlier one comes after it.
    std::vector<Instruction> all = std::move(c_.instructions);
    const size_t last = group.back();
    Instruction one = all[last];
    one.operands.clear();
    std::vector<Shape> shapes;
    for (const size_t member : group) {
      one.operands.push_back(all[member].operands[0]);
      shapes.push_back(all[member].shape);
    }
    one.shape = Shape::tuple(std::move(shapes));
    one.sharding.reset();
    place(std::move(all), group, std::move(one));
  }

  // Writes the computation anew: members are elements of the one, each where all that it needs stands.
  void place(std::vector<Instruction> all, const std::vector<size_t>& group, Instruction one) {
    std::vector<bool> waits(all.size());  // reads a member, directly or not, in front of the last
    Computation out;
    out.name = c_.name;
    std::vector<InstructionId> to(all.size());
    std::vector<size_t> later;
    const auto write = [&](Instruction i) {
      for (InstructionId& operand : i.operands) operand = to[static_cast<size_t>(operand.value)];
      out.instructions.push_back(std::move(i));
      return InstructionId(static_cast<int64_t>(out.instructions.size()) - 1);
    };
    auto next = group.begin();
    for (size_t k = 0; k < all.size(); ++k) {
      const bool member = next != group.end() && *next == k;
      if (member) ++next;
      if (k == group.back()) {
        const InstructionId made = write(one);
        for (size_t n = 0; n < group.size(); ++n)
          to[group[n]] = element(out, made, all[group[n]], n, one.name);
        for (const size_t held : later) to[held] = write(std::move(all[held]));
        continue;
      }
      waits[k] =
          k < group.back() && (member || std::ranges::any_of(all[k].operands, [&](InstructionId operand) {
                                 return waits[static_cast<size_t>(operand.value)];
                               }));
      if (member) continue;
      if (waits[k])
        later.push_back(k);
      else
        to[k] = write(std::move(all[k]));
    }
    out.root = to[static_cast<size_t>(c_.root.value)];
    c_ = std::move(out);
  }

  static InstructionId element(Computation& out, InstructionId tuple, const Instruction& member, size_t n,
                               const std::string& name) {
    Instruction made;
    made.name = name + ".element." + std::to_string(n);
    made.opcode = Opcode::get_tuple_element;
    made.shape = member.shape;
    made.tuple_index = static_cast<int64_t>(n);
    made.operands = {tuple};
    made.provenance = member.provenance;
    out.instructions.push_back(std::move(made));
    return InstructionId(static_cast<int64_t>(out.instructions.size()) - 1);
  }

  const Program& program_;
  Computation& c_;
  Opcode opcode_;
  int64_t most_;
  std::stop_token stop_;
  int64_t alone_ = 0;  // candidates, from the first on, that go with none
};

}  // namespace

PassLinks combine_collectives(const Program& program, Computation& c, const CombineOptions& how) {
  return Combiner(program, c, how).run();
}

}  // namespace shardscope::inline backend
