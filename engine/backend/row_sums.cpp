// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/row_sums.h"

#include <algorithm>
#include <set>

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/kernel.h"
#include "engine/backend/product_behind.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

constexpr size_t kMostAbove = 256;  // instructions that are looked at upwards
constexpr int64_t kFewest = 8;      // elements that are summed anew wherever the sum is read

size_t number(InstructionId id) {
  return static_cast<size_t>(id.value);
}
bool looks_on(const Instruction& i) {
  static const OpTable<bool> kLooks(
      {}, {{Opcode::reshape, true}, {Opcode::bitcast, true}, {Opcode::transpose, true}});
  return kLooks[i.opcode];
}

class RowSums {
 public:
  explicit RowSums(const Computation& c) : c_(c), readers_(followers_of(c)), inside_(readers_.size(), false) {}

  std::vector<int32_t> run() {
    std::vector<int32_t> out;
    for (size_t k = 0; k < readers_.size(); ++k) {
      const Instruction& i = c_.instructions[k];
      if (i.opcode != Opcode::reduce || i.shape.is_tuple) continue;
      const bool alone = !is_shared(k);
      inside_[k] = alone && (is_diamond(k) || has_one_in_front(k));
      if (alone && count(number(i.operands[0])) <= kFewest * count(k)) continue;
      if (!inside_[k]) out.push_back(static_cast<int32_t>(k));
    }
    return out;
  }

 private:
  const Shape& shape(size_t place) const { return c_.instructions[place].shape; }
  int64_t count(size_t place) const { return shape(place).is_tuple ? -1 : shape(place).element_count(); }

  // Behind it, as long as nothing more than its rows is there, several read.
  bool is_shared(size_t sum) const {
    size_t at = sum;
    while (readers_[at].size() == 1 && count(readers_[at].front()) == count(sum)) at = readers_[at].front();
    return readers_[at].size() > 1;
  }

  // What it is made of element by element, one after another, with nothing but numbers and vectors beside it.
  std::set<size_t> chain(size_t place) const {
    std::set<size_t> out{place};
    while (out.size() < kMostAbove) {
      const Instruction& i = c_.instructions[place];
      if (!is_fusible(i) || (!is_elementwise(i.opcode) && !looks_on(i))) break;
      std::vector<size_t> of;
      for (const InstructionId id : i.operands)
        if (!is_spread(c_, id) && std::ranges::find(of, number(id)) == of.end()) of.push_back(number(id));
      if (of.size() != 1) break;
      place = of.front();
      out.insert(place);
    }
    return out;
  }

  bool sums_rows(const Instruction& sum) const {
    const auto rank = static_cast<int64_t>(c_.at(sum.operands[0]).shape.rank());
    return std::ranges::find(*sum.dimensions, rank - 1) != sum.dimensions->end();
  }
  static bool passes_on(const Instruction& i) {
    static const OpTable<bool> kSpreads({}, {{Opcode::broadcast, true}});
    return !i.shape.is_tuple && is_fusible(i) &&
           (is_elementwise(i.opcode) || looks_on(i) || kSpreads[i.opcode]);
  }

  // Whether its result meets, spread along its rows, what it was made of.
  bool is_diamond(size_t sum) const {
    if (!sums_rows(c_.instructions[sum])) return false;
    const size_t of = number(c_.instructions[sum].operands[0]);
    const std::set<size_t> made_of = chain(of);
    size_t at = sum;
    while (readers_[at].size() == 1) {
      const size_t next = readers_[at].front();
      const Instruction& i = c_.instructions[next];
      if (!passes_on(i)) return false;
      const bool meets = is_elementwise(i.opcode) && count(next) == count(of) && count(of) != count(sum);
      if (meets)
        return std::ranges::any_of(i.operands, [&](InstructionId id) {
          if (number(id) == at) return false;
          return std::ranges::any_of(chain(number(id)),
                                     [&](size_t place) { return made_of.contains(place); });
        });
      at = next;
    }
    return false;
  }

  // Whether such a one, done in its kernel, is spread over what this one is made of.
  bool has_one_in_front(size_t sum) const {
    const int64_t all = count(number(c_.instructions[sum].operands[0]));
    std::set<size_t> seen;
    std::vector<size_t> open{number(c_.instructions[sum].operands[0])};
    while (!open.empty() && seen.size() < kMostAbove) {
      const size_t at = open.back();
      open.pop_back();
      const Instruction& i = c_.instructions[at];
      if (!seen.insert(at).second || !is_fusible(i)) continue;
      if (inside_[at]) return true;
      if (operation(i.opcode).kind == OpClass::reduction || count(at) > all) continue;
      for (const InstructionId id : i.operands) open.push_back(number(id));
    }
    return false;
  }

  const Computation& c_;
  std::vector<std::vector<size_t>> readers_;
  std::vector<bool> inside_;
};

}  // namespace

std::vector<int32_t> sums_of_their_own(const Computation& computation) {
  return RowSums(computation).run();
}

}  // namespace shardscope::inline backend
