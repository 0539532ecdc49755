// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/size_classes.h"

#include <algorithm>
#include <numeric>

#include "engine/partition/shardy/factor_rule.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {

size_t SizeClasses::of(size_t computation, size_t instruction, size_t leaf, size_t dim) const {
  return find(first_[computation][instruction][leaf] + dim);
}

size_t SizeClasses::find(size_t size) const {
  while (parent_[size] != size) size = parent_[size] = parent_[parent_[size]];
  return size;
}

size_t SizeClasses::add(int64_t size) {
  sizes_.push_back(size);
  fixed_.push_back(false);
  parent_.push_back(parent_.size());
  return parent_.size() - 1;
}

void SizeClasses::unite(size_t a, size_t b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  if (sizes_[a] != sizes_[b]) {
    fixed_[a] = fixed_[b] = true;
    return;
  }
  parent_[b] = a;
  fixed_[a] = fixed_[a] || fixed_[b];
}

// Reads a module, instruction by instruction.
class SizeCollector {
 public:
  SizeCollector(const Program& module, SizeClasses& out) : module_(module), out_(out) {
    for (const Computation& c : module.computations) {
      auto& by_instruction = out.first_.emplace_back();
      for (const Instruction& i : c.instructions) {
        auto& by_leaf = by_instruction.emplace_back();
        for (const Shape& leaf : leaves_of(i.shape)) {
          by_leaf.push_back(out.sizes_.size());
          for (const int64_t size : leaf.dims) out.add(size);
        }
      }
    }
    for (size_t c = 0; c < module.computations.size(); ++c)
      for (size_t k = 0; k < module.computations[c].instructions.size(); ++k) instruction(c, k);
  }

 private:
  // A value: where it is made.
  struct Place {
    size_t computation, instruction;
  };
  const Instruction& at(Place p) const {
    return module_.computations[p.computation].instructions[p.instruction];
  }
  size_t leaves(Place p) const { return out_.first_[p.computation][p.instruction].size(); }
  size_t dim(Place p, size_t leaf, size_t d) const {
    return out_.first_[p.computation][p.instruction][leaf] + d;
  }
  Place operand(Place p, size_t k) const {
    return {p.computation, static_cast<size_t>(at(p).operands[k].value)};
  }
  Place root(ComputationId of) const {
    return {static_cast<size_t>(of.value), static_cast<size_t>(module_.computation(of).root.value)};
  }
  std::vector<Place> parameters(ComputationId of) const {
    std::vector<Place> out;
    const auto c = static_cast<size_t>(of.value);
    const auto& instructions = module_.computations[c].instructions;
    for (size_t k = 0; k < instructions.size(); ++k) {
      if (instructions[k].opcode != Opcode::parameter) continue;
      const auto number = static_cast<size_t>(instructions[k].parameter_number);
      if (out.size() <= number) out.resize(number + 1, {c, k});
      out[number] = {c, k};
    }
    return out;
  }

  void fix(Place p) {
    const std::vector<Shape> shapes = leaves_of(at(p).shape);
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf)
      for (size_t d = 0; d < shapes[leaf].rank(); ++d) out_.fix(dim(p, leaf, d));
  }
  void fix_all(Place p) {
    fix(p);
    for (size_t k = 0; k < at(p).operands.size(); ++k) fix(operand(p, k));
  }

  // Leaf `to` of one value is leaf `from` of the other.
  void same_leaf(Place a, size_t from, Place b, size_t to) {
    const std::vector<Shape> shapes = leaves_of(at(a).shape);
    for (size_t d = 0; d < shapes[from].rank(); ++d) out_.unite(dim(a, from, d), dim(b, to, d));
  }
  void same(Place a, Place b) {
    for (size_t leaf = 0; leaf < std::min(leaves(a), leaves(b)); ++leaf) same_leaf(a, leaf, b, leaf);
  }

  void instruction(size_t c, size_t k) {
    const Place here{c, k};
    const Instruction& i = at(here);
    switch (i.opcode) {
      case Opcode::parameter:
      case Opcode::iota:
      case Opcode::partition_id:
      case Opcode::replica_id:
      case Opcode::after_all:
        return;
      case Opcode::constant:
        return fix(here);
      case Opcode::tuple:
      case Opcode::get_tuple_element:
      case Opcode::optimization_barrier:
        return handed_on(here);
      case Opcode::while_:
        return loop(here);
      case Opcode::conditional:
        return branches(here);
      default:
        break;
    }
    if (operation(i.opcode).kind == OpClass::collective) return collective(here);
    if (enters_region(i) || leaves_region(i)) return region_edge(here);
    if (i.opcode == Opcode::custom_call && custom_call_target(i) == "TopK") return largest(here);
    const auto rule = factor_rule(module_.computations[c], i);
    const bool other_calls = i.opcode == Opcode::custom_call && custom_call_target(i) != "Sharding";
    if (!rule || other_calls || i.opcode == Opcode::bitcast_convert || i.opcode == Opcode::bitcast)
      return fix_all(here);
    by_factors(here, *rule);
  }

  void handed_on(Place here) {
    const Instruction& i = at(here);
    if (i.opcode == Opcode::get_tuple_element) {
      size_t leaf = 0;
      const Shape& tuple = at(operand(here, 0)).shape;
      for (int64_t e = 0; e < i.tuple_index; ++e) leaf += leaf_count(tuple.elements[static_cast<size_t>(e)]);
      for (size_t l = 0; l < leaves(here); ++l) same_leaf(operand(here, 0), leaf + l, here, l);
      return;
    }
    size_t leaf = 0;
    for (size_t k = 0; k < i.operands.size(); ++k)
      for (size_t l = 0; l < leaves(operand(here, k)); ++l) same_leaf(operand(here, k), l, here, leaf++);
  }

  void loop(Place here) {
    same(operand(here, 0), here);
    for (const CalledComputation& called : at(here).called) {
      for (const Place parameter : parameters(called.computation)) same(parameter, here);
      if (called.key == "body") same(root(called.computation), here);
    }
  }

  void branches(Place here) {
    const Instruction& i = at(here);
    for (size_t b = 0; b < i.called.size(); ++b) {
      const ComputationId called = i.called[b].computation;
      same(root(called), here);
      if (b + 1 < i.operands.size())
        for (const Place parameter : parameters(called)) same(operand(here, b + 1), parameter);
    }
  }

  // What is merged from equal parts or split into them; else it stays.
  void multiple(size_t whole, size_t part) {
    const int64_t n = out_.size(whole), m = out_.size(part);
    if (m > 0 && n % m == 0) {
      out_.products_.push_back({whole, n / m, {part}});
    } else {
      out_.fix(whole);
      out_.fix(part);
    }
  }
  void scaled(size_t a, size_t b) {
    if (out_.size(a) == out_.size(b)) return out_.unite(a, b);
    out_.size(a) > out_.size(b) ? multiple(a, b) : multiple(b, a);
  }

  void collective(Place here) {
    const Instruction& i = at(here);
    const bool one = i.operands.size() == 1 && !i.shape.is_tuple &&
                     i.shape.rank() == at(operand(here, 0)).shape.rank() &&
                     i.opcode != Opcode::ragged_all_to_all;
    if (!one) return fix_all(here);
    for (size_t d = 0; d < i.shape.rank(); ++d) scaled(dim(operand(here, 0), 0, d), dim(here, 0, d));
  }

  void region_edge(Place here) {
    if (at(here).shape.rank() != at(operand(here, 0)).shape.rank()) return fix_all(here);
    for (size_t d = 0; d < at(here).shape.rank(); ++d) scaled(dim(operand(here, 0), 0, d), dim(here, 0, d));
  }

  // A dimension of an array, with the factors that it is made of.
  struct Made {
    size_t size;
    const std::vector<size_t>* factors;
  };

  void by_factors(Place here, const FactorRule& rule) {
    std::vector<Made> dims;
    const Instruction& i = at(here);
    for (size_t k = 0; k < rule.operands.size(); ++k)
      for (size_t d = 0; d < rule.operands[k].size(); ++d)
        dims.push_back({dim(operand(here, k), 0, d), &rule.operands[k][d]});
    for (size_t leaf = 0; leaf < rule.results.size(); ++leaf)
      for (size_t d = 0; d < rule.results[leaf].size(); ++d)
        dims.push_back({dim(here, leaf, d), &rule.results[leaf][d]});
    if (moves(here)) return;
    std::vector<size_t> factors;
    for (const FactorRule::Factor& f : rule.factors) factors.push_back(out_.add(f.size));
    std::vector<int> uses(factors.size());
    for (const Made& made : dims) {
      for (const size_t f : *made.factors) ++uses[f];
      if (made.factors->size() == 1 && out_.size(made.size) == rule.factors[made.factors->front()].size) {
        out_.unite(made.size, factors[made.factors->front()]);
      } else {
        composed(made, rule, factors);
      }
    }
    const auto alone = [&](const Made& made) {
      return std::ranges::any_of(*made.factors,
                                 [&](size_t f) { return uses[f] == 1 && rule.factors[f].size > 1; });
    };
    // What a reshape does not share between its sides has no size of its own.
    if (i.opcode == Opcode::reshape)
      for (const Made& made : dims)
        if (alone(made)) out_.fix(made.size);
    // A part that is looked up or written is as large as the operation says.
    if (i.opcode != Opcode::gather && i.opcode != Opcode::scatter) return;
    const Place parts = i.opcode == Opcode::gather ? here : operand(here, i.operands.size() - 1);
    const size_t first = out_.first_[parts.computation][parts.instruction][0];
    for (const Made& made : dims)
      if (made.size >= first && made.size < first + leaf_shape(parts).rank() && alone(made)) fix_all(here);
  }
  Shape leaf_shape(Place p) const { return leaves_of(at(p).shape).front(); }

  void composed(const Made& made, const FactorRule& rule, const std::vector<size_t>& factors) {
    int64_t product = 1;
    std::vector<size_t> parts;
    for (const size_t f : *made.factors) {
      product *= rule.factors[f].size;
      parts.push_back(factors[f]);
    }
    if (product == out_.size(made.size)) {
      out_.products_.push_back({made.size, 1, std::move(parts)});
    } else {
      out_.fix(made.size);
      for (const size_t part : parts) out_.fix(part);
    }
  }

  // Slices, padding, windows, what is laid side by side: sizes that belong together without being equal.
  bool moves(Place here) {
    const Instruction& i = at(here);
    switch (i.opcode) {
      case Opcode::slice:
        for (size_t d = 0; d < i.slice->size(); ++d) sliced(here, d, (*i.slice)[d]);
        return true;
      case Opcode::concatenate:
        joined(here);
        return true;
      case Opcode::pad:
        padded(here);
        return true;
      case Opcode::reduce_window:
        windowed(here);
        return true;
      case Opcode::convolution:
        fix_all(here);
        return true;
      case Opcode::dynamic_slice:
        for (size_t d = 0; d < i.shape.rank(); ++d) within(dim(here, 0, d), dim(operand(here, 0), 0, d));
        return true;
      case Opcode::dynamic_update_slice:
        for (size_t d = 0; d < i.shape.rank(); ++d) {
          out_.unite(dim(operand(here, 0), 0, d), dim(here, 0, d));
          within(dim(operand(here, 1), 0, d), dim(here, 0, d));
        }
        return true;
      default:
        return false;
    }
  }

  // The k largest of the last dimension.
  void largest(Place here) {
    const size_t rank = at(operand(here, 0)).shape.rank();
    for (size_t leaf = 0; leaf < leaves(here); ++leaf)
      for (size_t d = 0; d < rank; ++d) {
        const size_t from = dim(operand(here, 0), 0, d), to = dim(here, leaf, d);
        d + 1 < rank ? out_.unite(from, to) : within(to, from);
      }
  }

  void within(size_t small, size_t large) {
    if (out_.size(small) == out_.size(large)) return out_.unite(small, large);
    if (out_.size(small) > 1)
      out_.limits_.push_back({small, large});
    else
      out_.fix(small);
  }

  // All of them multiples of one size that shrinks, when that is worth it.
  bool multiples(const std::vector<std::pair<size_t, int64_t>>& sizes, int64_t unit) {
    if (unit < 4) return false;
    const size_t one = out_.add(unit);
    for (const auto& [size, n] : sizes) out_.products_.push_back({size, n / unit, {one}});
    return true;
  }

  void sliced(Place here, size_t d, const SliceDim& s) {
    const size_t whole = dim(operand(here, 0), 0, d), part = dim(here, 0, d);
    const int64_t n = out_.size(whole), m = out_.size(part);
    if (n == m && s.stride == 1) return out_.unite(whole, part);
    // A size that all of its numbers are multiples of; the stride's too, so that the part is one.
    const int64_t unit = std::gcd(std::gcd(n, s.start), s.limit);
    if (unit % s.stride == 0 && multiples({{whole, n}, {part, m}}, unit / s.stride)) return;
    if (s.stride == 1 && n - m <= 8) {
      out_.distances_.push_back({whole, part});
      return;
    }
    out_.fix(whole);
    out_.fix(part);
  }

  void joined(Place here) {
    const Instruction& i = at(here);
    const auto along = static_cast<size_t>(i.dimensions.front());
    std::vector<std::pair<size_t, int64_t>> sizes{{dim(here, 0, along), i.shape.dims[along]}};
    int64_t unit = i.shape.dims[along];
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const int64_t n = at(operand(here, k)).shape.dims[along];
      unit = std::gcd(unit, n);
      sizes.emplace_back(dim(operand(here, k), 0, along), n);
      for (size_t d = 0; d < i.shape.rank(); ++d)
        if (d != along) out_.unite(dim(operand(here, k), 0, d), dim(here, 0, d));
    }
    if (!multiples(sizes, unit))
      for (const auto& [size, n] : sizes) out_.fix(size);
  }

  void padded(Place here) {
    const Instruction& i = at(here);
    const Padding* padding = std::get_if<Padding>(&*i.attributes);
    for (size_t d = 0; d < i.shape.rank(); ++d) {
      const size_t from = dim(operand(here, 0), 0, d), to = dim(here, 0, d);
      if (padding == nullptr || d >= padding->dims.size()) {
        out_.unite(from, to);
        continue;
      }
      const PadDim& p = padding->dims[d];
      const int64_t n = out_.size(from), m = out_.size(to);
      const int64_t unit = std::gcd(std::gcd(n, m), std::gcd(p.low, p.high));
      if (p == PadDim{}) {
        out_.unite(from, to);
      } else if (p.interior == 0 && std::abs(p.low) + std::abs(p.high) <= 8) {
        out_.distances_.push_back({from, to});
      } else if (p.interior != 0 || !multiples({{from, n}, {to, m}}, unit)) {
        out_.fix(from);
        out_.fix(to);
      }
    }
  }

  // A window over all of a dimension shrinks with it (cumulative sums); small ones stay.
  void windowed(Place here) {
    const Instruction& i = at(here);
    const Window* window = std::get_if<Window>(&*i.attributes);
    if (window == nullptr || i.shape.is_tuple) return fix_all(here);
    for (size_t d = 0; d < i.shape.rank(); ++d) {
      const size_t from = dim(operand(here, 0), 0, d), to = dim(here, 0, d);
      const WindowDim w = d < window->dims.size() ? window->dims[d] : WindowDim{};
      const int64_t n = out_.size(from);
      const bool whole = w.size == n && w.low + w.high == n - 1 && (w.low == 0 || w.high == 0);
      if ((w == WindowDim{} || whole) && n == out_.size(to)) {
        out_.unite(from, to);
      } else {
        out_.fix(from);
        out_.fix(to);
      }
    }
  }

  const Program& module_;
  SizeClasses& out_;
};

SizeClasses::SizeClasses(const Program& module) {
  SizeCollector(module, *this);
  for (SizeProduct& p : products_) {
    p.whole = find(p.whole);
    for (size_t& part : p.parts) part = find(part);
  }
  for (SizeDistance& d : distances_) d = {find(d.a), find(d.b)};
  for (SizeLimit& l : limits_) l = {find(l.small), find(l.large)};
}

}  // namespace shardscope
