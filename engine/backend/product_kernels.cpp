// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include "engine/backend/product_sides.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline backend {
namespace {

// By how much of its time Triton's kernel of a product is slower than the library's: on one H200 it was taken
// for one that saves 26 % and more, and not for one that saves 14 % (modules of JAX 0.11.2).
constexpr double kSlower = 0.15;

// One that takes in nothing: products of 71 us and less were Triton's, those of 130 and more the library's,
// whose scratch memory is zeroed for 4 us.
constexpr double kPlainSlower = 0.05;

const Instruction& standing_at(const Computation& c, size_t place) {
  return c.instructions[place];
}

// The place of what alone reads it, behind views of it; none: several do, or nothing.
std::optional<size_t> only_reader(const Computation& c, const ReadersOf& readers, size_t place,
                                  std::vector<size_t>& views) {
  for (;;) {
    if (readers[place].size() != 1 || static_cast<size_t>(c.root.value) == place) return std::nullopt;
    place = readers[place].front();
    if (standing_at(c, place).opcode != Opcode::reshape) return place;
    views.push_back(place);
  }
}

bool is_parameter(const Computation& c, InstructionId id) {
  const Instruction* i = &c.at(id);
  while (has(i->opcode, Trait::view)) i = &c.at(i->operands[0]);
  return is_given(*i);
}

class Planner {
 public:
  Planner(const Computation& c, const KernelClock& clock) : c_(c), clock_(clock), readers_(followers_of(c)) {}

  std::vector<Kernel> run() {
    for (size_t k = 0; k < readers_.size(); ++k) {
      if (standing_at(c_, k).opcode != Opcode::dot || !standing_at(c_, k).control_predecessors.empty())
        continue;
      const Choice choice = choose(k);
      for (const std::vector<size_t>& side : choice.apart)
        if (apart_.insert(side.back()).second) out_.push_back(kernel(side, side.back()));
      if (choice.kernel.size() > 1) out_.push_back(kernel(choice.kernel, choice.kernel.back()));
    }
    std::ranges::sort(out_, {}, [](const Kernel& kernel) { return kernel.roots.back(); });
    return std::move(out_);
  }

  bool is_library(size_t dot) const { return choose(dot).kernel.empty(); }

 private:
  // How a product is done: by Triton, places of its kernel; none: by the library. And its sides that are
  // kernels of their own.
  struct Choice {
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

  double seconds(const std::vector<size_t>& places) const {
    return clock_.seconds(c_, kernel(places, places.back()));
  }

  // The sum of the product and a parameter that alone reads it, with what stands between.
  std::vector<size_t> sum_behind(size_t dot) const {
    std::vector<size_t> out;
    const auto reader = only_reader(c_, readers_, dot, out);
    if (!reader || standing_at(c_, *reader).opcode != Opcode::add) return {};
    const auto& operands = standing_at(c_, *reader).operands;
    const size_t product = out.empty() ? dot : out.back();
    for (const size_t other : {size_t{0}, size_t{1}})
      if (static_cast<size_t>(operands[1 - other].value) == product && is_parameter(c_, operands[other])) {
        out.push_back(*reader);
        return out;
      }
    return {};
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

  Choice choose(size_t dot) const {
    const Instruction& product = standing_at(c_, dot);
    const bool is_batch = !product.dot->lhs_batch.empty(), alone = is_triton_alone(product);
    Choice out;
    double saved = 0;
    bool computes = false;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      if (add_rounded(product.operands[side], out)) continue;
      const MadeSide made = made_side(c_, readers_, product, side);
      if (made.places.empty() || !(made.computes || made.moves)) continue;
      const bool is_own = readers_[made.places.back()].size() == 1;
      if ((made.computes || is_batch) && !(alone && is_own)) {
        out.apart.push_back(made.places);
        computes = computes || made.computes;
      } else if (is_own) {
        if (!alone) saved += seconds(made.places);
        out.kernel.insert(out.kernel.end(), made.places.begin(), made.places.end());
      }
    }
    const std::vector<size_t> sum = sum_behind(dot);
    if (!sum.empty()) saved += seconds({sum.back()});
    const double slower = clock_.product_seconds(c_, product) * (saved > 0 ? kSlower : kPlainSlower);
    if (!alone && (computes || slower > saved + clock_.scratch_seconds())) {
      out.kernel.clear();
      return out;
    }
    out.kernel.push_back(dot);
    out.kernel.insert(out.kernel.end(), sum.begin(), sum.end());
    return out;
  }

  const Computation& c_;
  const KernelClock& clock_;
  ReadersOf readers_;
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
