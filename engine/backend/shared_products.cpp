// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/shared_products.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "engine/program/ir/free_dims.h"

namespace shardscope::inline backend {
namespace {

constexpr int64_t kMostBytes = int64_t{64}
                               << 20;  // of the side and the result of its own of one that is merged
constexpr size_t kFarthestWay = 4096;  // instructions that are looked at for a way between two
constexpr size_t kMostTogether = 64;   // products that share a side and are looked at

// One product, or several that are to be one.
struct Together {
  std::vector<size_t> members;  // places, ascending
  int64_t free_bytes = 0;       // of their own sides and results together
};

class Merger {
 public:
  Merger(Computation& c, FreshNames& fresh) : c_(c), fresh_(fresh), taken_(c.instructions.size(), false) {}

  void run() {
    std::map<std::pair<int64_t, size_t>, std::vector<size_t>> by_side;  // array and side
    for (size_t k = 0; k < taken_.size(); ++k) {
      const Instruction& i = c_.instructions[k];
      if (i.opcode != Opcode::dot || !i.control_predecessors.empty()) continue;
      for (const size_t side : {size_t{0}, size_t{1}})
        if (free_dim(i, 1 - side)) by_side[{i.operands[side].value, side}].push_back(k);
    }
    for (const auto& [shared, places] : by_side)
      if (places.size() > 1 && places.size() <= kMostTogether) merge_those(shared.second, places);
    if (any_) reorder(c_, operands_first(c_));
  }

 private:
  const Shape& shape(const Instruction& i, size_t side) const { return c_.at(i.operands[side]).shape; }

  // The only dimension of a side that is neither of the batch nor contracted.
  std::optional<size_t> free_dim(const Instruction& dot, size_t side) const {
    const DotDims& dims = *dot.dot;
    const auto& batch = side == 0 ? dims.lhs_batch : dims.rhs_batch;
    const auto& contracting = side == 0 ? dims.lhs_contracting : dims.rhs_contracting;
    const std::vector<int64_t> free = free_dims(shape(dot, side).rank(), batch, contracting);
    return free.size() == 1 ? std::optional(static_cast<size_t>(free.front())) : std::nullopt;
  }

  static bool fits(const Together& all) { return all.free_bytes <= kMostBytes; }

  bool are_alike(const Instruction& a, const Instruction& b, size_t side) const {
    const Shape &of_a = shape(a, 1 - side), &of_b = shape(b, 1 - side);
    if (of_a.type != of_b.type || of_a.rank() != of_b.rank() || of_a.layout != of_b.layout) return false;
    for (size_t d = 0; d < of_a.rank(); ++d)
      if (d != *free_dim(a, 1 - side) && of_a.dims[d] != of_b.dims[d]) return false;
    return a.shape.type == b.shape.type && a.shape.layout == b.shape.layout && a.dot == b.dot &&
           a.attributes == b.attributes && a.verbatim == b.verbatim;
  }

  // Whether `one` needs what `other` makes, or might: it is looked for upwards.
  bool needs(size_t one, size_t other) const {
    std::vector<bool> seen(c_.instructions.size(), false);
    std::vector<size_t> open{one};
    for (size_t looked = 0; !open.empty(); ++looked) {
      if (looked > kFarthestWay) return true;
      const size_t at = open.back();
      open.pop_back();
      if (at == other) return true;
      each_needed(c_.instructions[at], [&](size_t needed) {
        // As long as none is merged, operands stand in front of their readers.
        if (seen[needed] || (!any_ && needed < other)) return;
        seen[needed] = true;
        open.push_back(needed);
      });
    }
    return false;
  }

  bool none_waits(const Together& a, const Together& b) const {
    return std::ranges::none_of(a.members, [&](size_t x) {
      return std::ranges::any_of(b.members, [&](size_t y) {
        return needs(std::max(x, y), std::min(x, y)) || (any_ && needs(std::min(x, y), std::max(x, y)));
      });
    });
  }

  void merge_those(size_t side, const std::vector<size_t>& places) {
    std::vector<Together> all;
    for (const size_t place : places) {
      if (taken_[place]) continue;
      const Instruction& dot = c_.instructions[place];
      Together own{{place}, shape(dot, 1 - side).bytes() + dot.shape.bytes()};
      const auto found = std::ranges::find_if(all, [&](const Together& other) {
        return are_alike(c_.instructions[other.members.front()], dot, side) && fits(other) && fits(own) &&
               none_waits(other, own);
      });
      if (found == all.end()) {
        all.push_back(std::move(own));
      } else {
        found->members.push_back(place);
        found->free_bytes += own.free_bytes;
      }
    }
    for (const Together& together : all)
      if (together.members.size() > 1) write(side, together.members);
  }

  // Operands may stand behind their readers now.
  void write(size_t side, const std::vector<size_t>& members) {
    any_ = true;
    const Instruction first = c_.instructions[members.front()];
    const size_t along = *free_dim(first, 1 - side);
    const size_t result_dim = side == 0 ? first.shape.rank() - 1 : first.dot->lhs_batch.size();
    Shape joined = shape(first, 1 - side), whole = first.shape;
    joined.dims[along] = whole.dims[result_dim] = 0;
    std::vector<InstructionId> sides;
    for (const size_t member : members) {
      sides.push_back(c_.instructions[member].operands[1 - side]);
      joined.dims[along] += c_.at(sides.back()).shape.dims[along];
    }
    whole.dims[result_dim] = joined.dims[along];
    Instruction concatenate = made_instruction(fresh_("concatenate"), Opcode::concatenate, joined, sides);
    concatenate.dimensions = std::vector<int64_t>{static_cast<int64_t>(along)};
    Instruction dot = first;
    dot.name = fresh_(first.name);
    dot.provenance.edit().source = source_name(first);
    dot.sharding = {};
    dot.shape = whole;
    dot.operands[1 - side] = add(std::move(concatenate));
    const InstructionId merged = add(std::move(dot));
    int64_t start = 0;
    for (const size_t member : members) {
      Instruction& i = c_.instructions[member];
      Instruction part = made_instruction(fresh_("slice"), Opcode::slice, i.shape, {merged});
      part.provenance = i.provenance;
      part.provenance.edit().source = source_name(i);
      part.control_predecessors = i.control_predecessors;
      std::vector<SliceDim> slice;
      for (const int64_t size : i.shape.dims) slice.push_back({0, size, 1});
      slice[result_dim] = {start, start + i.shape.dims[result_dim], 1};
      start = slice[result_dim].limit;
      part.slice = std::move(slice);
      i = std::move(part);
      taken_[member] = true;
    }
  }

  InstructionId add(Instruction made) {
    c_.instructions.push_back(std::move(made));
    return InstructionId(static_cast<int64_t>(c_.instructions.size()) - 1);
  }

  Computation& c_;
  FreshNames& fresh_;
  std::vector<bool> taken_;  // of the places that were there before
  bool any_ = false;
};

}  // namespace

void merge_products(Computation& computation, FreshNames& fresh) {
  Merger(computation, fresh).run();
}

}  // namespace shardscope::inline backend
