// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include "engine/backend/product_behind.h"
#include "engine/backend/product_sides.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/local_work.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline backend {
namespace {

// By how much of its time Triton's kernel of a product is slower than the library's: on one H200 it was taken
// for one that saves 26 % and more, and not for one that saves 14 % (modules of JAX 0.11.2).
constexpr double kSlower = 0.15;

// One that computes a side does that again for each tile of the result: it was not taken where that would
// have saved 37 %, and taken for products of a few us.
constexpr double kSlowerComputing = 0.6;

// One that takes in nothing: products of 71 us and less were Triton's, those of 130 and more the library's,
// whose scratch memory is zeroed for 4 us.
constexpr double kPlainSlower = 0.05;

const Instruction& standing_at(const Computation& c, size_t place) {
  return c.instructions[place];
}

class Planner {
 public:
  Planner(const Computation& c, const KernelClock& clock)
      : c_(c), clock_(clock), readers_(followers_of(c)), behind_(stand_behind_products(c, readers_)) {}

  std::vector<Kernel> run() {
    for (size_t k = 0; k < readers_.size(); ++k) {
      if (standing_at(c_, k).opcode != Opcode::dot || !standing_at(c_, k).control_predecessors.empty())
        continue;
      const Choice choice = choose(k);
      for (const std::vector<size_t>& side : choice.apart)
        if (apart_.insert(side.back()).second) out_.push_back(kernel(with_its_part(side), side.back()));
      if (choice.kernel.size() > 1) out_.push_back(kernel(choice.kernel, choice.kernel.back()));
    }
    std::ranges::sort(out_, {}, [](const Kernel& kernel) { return kernel.roots.back(); });
    return std::move(out_);
  }

  bool is_library(size_t dot) const { return choose(dot).is_library; }

 private:
  // How a product is done: places of its kernel, and what stands beside it in kernels of its own.
  struct Choice {
    bool is_library = false;
    std::vector<size_t> kernel;
    std::vector<std::vector<size_t>> apart;
  };

  Kernel kernel(const std::vector<size_t>& places, size_t root) const {
    std::vector<int32_t> members;
    for (const size_t place : places) {
      members.push_back(static_cast<int32_t>(place));
      add_spreads(place, members);
    }
    std::ranges::sort(members);
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return kernel_of(c_, std::move(members), {static_cast<int32_t>(root)});
  }

  // Numbers and vectors are spread where they are read.
  void add_spreads(size_t place, std::vector<int32_t>& members) const {
    for (const InstructionId operand : standing_at(c_, place).operands) {
      const Instruction& of = c_.at(operand);
      if (of.opcode != Opcode::broadcast && !is_number(of)) continue;
      members.push_back(static_cast<int32_t>(operand.value));
      add_spreads(static_cast<size_t>(operand.value), members);
    }
  }

  // And the part of an array that it alone is made of.
  std::vector<size_t> with_its_part(const std::vector<size_t>& places) const {
    std::vector<size_t> more;
    size_t at = places.front();
    while (standing_at(c_, at).operands.size() == 1) {
      at = static_cast<size_t>(standing_at(c_, at).operands[0].value);
      const Opcode opcode = standing_at(c_, at).opcode;
      if (readers_[at].size() != 1 || (!has(opcode, Trait::view) && opcode != Opcode::slice)) break;
      more.push_back(at);
    }
    while (!more.empty() && has(standing_at(c_, more.back()).opcode, Trait::view)) more.pop_back();
    std::ranges::reverse(more);
    more.insert(more.end(), places.begin(), places.end());
    return more;
  }

  double seconds(const std::vector<size_t>& places) const {
    return clock_.seconds(c_, kernel(places, places.back()));
  }

  // Whether the library has no such product: of wide sides, in a narrower type.
  bool is_triton_alone(const Instruction& dot) const {
    return bits(multiplied_as(c_, dot).type) < bits(c_.at(dot.operands[0]).shape.type);
  }

  // A side that choose_libraries writes once more; what was transposed for it stays so.
  bool add_rounded(InstructionId side, Choice& out) const {
    const Instruction& i = c_.at(side);
    if (i.opcode != Opcode::convert) return false;
    const Instruction& wide = c_.at(i.operands[0]);
    if (wide.opcode != Opcode::convert || c_.at(wide.operands[0]).shape.type != i.shape.type) return false;
    const auto from = static_cast<size_t>(wide.operands[0].value);
    out.apart.push_back({static_cast<size_t>(i.operands[0].value), static_cast<size_t>(side.value)});
    if (standing_at(c_, from).opcode == Opcode::transpose) out.apart.push_back({from});
    return true;
  }

  // Its sides that a kernel of its own would make too.
  struct Sides {
    std::vector<std::vector<size_t>> inside;
    bool computes = false, never = false;  // never: Triton's kernel cannot take one of them in
    double saved = 0;
  };
  Sides sides_of(const Instruction& product, bool alone, Choice& out) const {
    Sides sides;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      if (add_rounded(product.operands[side], out)) continue;
      const MadeSide made = made_side(c_, readers_, behind_, product, side);
      if (made.places.empty() || !(made.computes || made.moves)) continue;
      const bool is_own = readers_[made.places.back()].size() == 1;
      const bool moves_batches = made.moves && !product.dot->lhs_batch.empty();
      if (moves_batches && !(alone && is_own)) {
        out.apart.push_back(made.places);
        sides.never = sides.never || made.computes;
      } else if (is_own) {
        if (!alone) sides.saved += seconds(made.places);
        sides.computes = sides.computes || made.computes;
        sides.inside.push_back(made.places);
      } else if (made.computes) {
        out.apart.push_back(made.places);
        sides.never = true;
      }
    }
    return sides;
  }

  Choice choose(size_t dot) const {
    const Instruction& product = standing_at(c_, dot);
    const bool alone = is_triton_alone(product);
    Choice out;
    const Sides sides = sides_of(product, alone, out);
    const std::vector<size_t> behind = behind_product(c_, readers_, dot);
    const auto by_library = static_cast<std::ptrdiff_t>(done_by_library(c_, dot, behind));
    const std::vector<size_t> rest(behind.begin() + by_library, behind.end());
    const double saved = sides.saved + (rest.empty() ? 0 : seconds(rest));
    const double rate = sides.computes ? kSlowerComputing : saved > 0 ? kSlower : kPlainSlower;
    const double slower = clock_.product_seconds(c_, product) * rate;
    const bool is_slower = sides.never || slower > saved + clock_.scratch_seconds();
    out.is_library = has_scratch(product) || (!alone && is_slower);
    for (const std::vector<size_t>& side : sides.inside) {
      if (!out.is_library)
        out.kernel.insert(out.kernel.end(), side.begin(), side.end());
      else
        out.apart.push_back(side);
    }
    out.kernel.push_back(dot);
    out.kernel.insert(out.kernel.end(), behind.begin(),
                      out.is_library ? behind.begin() + by_library : behind.end());
    if (out.is_library && !rest.empty()) out.apart.push_back(rest);
    return out;
  }

  const Computation& c_;
  const KernelClock& clock_;
  ReadersOf readers_;
  std::vector<bool> behind_;
  std::vector<Kernel> out_;
  std::set<size_t> apart_;  // sides that are kernels already
};

}  // namespace

void choose_libraries(Computation& c, const KernelClock& clock, FreshNames& fresh) {
  if (clock.scratch_seconds() <= 0) return;
  const Computation before = std::move(c);
  const Planner planner(before, clock);
  ComputationRewrite rewrite(before);
  for (size_t k = 0; k < before.instructions.size(); ++k) {
    Instruction dot = before.instructions[k];
    if (dot.opcode != Opcode::dot || !dot.control_predecessors.empty() || !planner.is_library(k)) {
      rewrite.copy(k);
      continue;
    }
    for (InstructionId& operand : dot.operands) {
      const Shape shape = before.at(operand).shape;
      operand = rewrite.at(operand);
      if (verbatim_attribute(dot, "algorithm") == nullptr || bits(shape.type) != 16) continue;
      Shape wide = shape;
      wide.type = ElementType::f32;
      operand = rewrite.add(made_instruction(fresh("convert"), Opcode::convert, std::move(wide), {operand}));
      operand = rewrite.add(made_instruction(fresh("convert"), Opcode::convert, shape, {operand}));
    }
    dot.verbatim.edit().push_back({std::string("backend_config"), R"({"scratch_bytes":"33554432"})"});
    rewrite.stand_for(k, rewrite.add(std::move(dot)));
  }
  c = std::move(rewrite).finish();
}

std::vector<Kernel> plan_products(const Computation& computation, const KernelClock& clock) {
  return Planner(computation, clock).run();
}

}  // namespace shardscope::inline backend
