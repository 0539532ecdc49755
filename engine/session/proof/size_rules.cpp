// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/size_rules.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "engine/partition/shardy/factor_rule.h"
#include "engine/partition/types/batched_call.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline session {
namespace {

void fix_array(size_t first, const Shape& shape, SizeClasses& sizes) {
  for (size_t d = 0; d < shape.rank(); ++d) sizes.fix(first + d);
}

void fix_all(const SizedInstruction& x, SizeClasses& sizes) {
  for (size_t k = 0; k < x.operands.size(); ++k)
    if (!x.operand(k).is_tuple) fix_array(x.operands[k], x.operand(k), sizes);
  const std::vector<Shape> leaves = leaves_of(x.i.shape);
  for (size_t k = 0; k < leaves.size(); ++k) fix_array(x.results[k], leaves[k], sizes);
}

// Dimension by dimension one is a multiple of the other: gathers, scatters, the edges of manual regions.
void scale_dims(const SizedInstruction& x, SizeClasses& sizes) {
  const bool one = x.operands.size() == 1 && !x.i.shape.is_tuple && !x.operand(0).is_tuple &&
                   x.i.shape.rank() == x.operand(0).rank();
  if (!one) return fix_all(x, sizes);
  for (size_t d = 0; d < x.i.shape.rank(); ++d) sizes.scale(x.operands[0] + d, x.results[0] + d);
}

// The k largest of the last dimension.
void link_largest(const SizedInstruction& x, SizeClasses& sizes) {
  const size_t rank = x.operand(0).rank();
  for (const size_t result : x.results) {
    for (size_t d = 0; d + 1 < rank; ++d) sizes.unite(x.operands[0] + d, result + d);
    if (rank > 0) sizes.keep_within(result + rank - 1, x.operands[0] + rank - 1);
  }
}

void link_slice(const SizedInstruction& x, SizeClasses& sizes) {
  for (size_t d = 0; d < x.i.slice->size(); ++d) {
    const SliceDim& s = (*x.i.slice)[d];
    const size_t whole = x.operands[0] + d, part = x.results[0] + d;
    const int64_t n = sizes.size(whole), m = sizes.size(part);
    // A size that all of its numbers are multiples of.
    const int64_t unit = std::gcd(std::gcd(n, s.start), s.limit);
    if (n == m && s.stride == 1) {
      sizes.unite(whole, part);
    } else if (s.stride == 1 && n - m <= kFewLeftOut) {
      sizes.keep_distance(whole, part);
    } else if (unit % s.stride != 0 || !sizes.share_unit({whole, part}, unit / s.stride)) {
      sizes.fix(whole);
      sizes.fix(part);
    }
  }
}

void link_concatenate(const SizedInstruction& x, SizeClasses& sizes) {
  const auto along = static_cast<size_t>(x.i.dimensions.front());
  std::vector<size_t> parts{x.results[0] + along};
  int64_t unit = x.i.shape.dims[along];
  for (size_t k = 0; k < x.operands.size(); ++k) {
    unit = std::gcd(unit, x.operand(k).dims[along]);
    parts.push_back(x.operands[k] + along);
    for (size_t d = 0; d < x.i.shape.rank(); ++d)
      if (d != along) sizes.unite(x.operands[k] + d, x.results[0] + d);
  }
  if (sizes.share_unit(parts, unit)) return;
  for (const size_t part : parts) sizes.fix(part);
}

void link_pad(const SizedInstruction& x, SizeClasses& sizes) {
  const Padding* padding = std::get_if<Padding>(&*x.i.attributes);
  for (size_t d = 0; d < x.i.shape.rank(); ++d) {
    const size_t from = x.operands[0] + d, to = x.results[0] + d;
    const PadDim p = padding != nullptr && d < padding->dims.size() ? padding->dims[d] : PadDim{};
    const int64_t unit = std::gcd(std::gcd(sizes.size(from), sizes.size(to)), std::gcd(p.low, p.high));
    if (p == PadDim{}) {
      sizes.unite(from, to);
    } else if (p.interior == 0 && std::abs(p.low) + std::abs(p.high) <= kFewLeftOut) {
      sizes.keep_distance(from, to);
    } else if (p.interior != 0 || !sizes.share_unit({from, to}, unit)) {
      sizes.fix(from);
      sizes.fix(to);
    }
  }
}

// How often a window fits along a dimension. Where padding makes up for its reach that is the size by the
// stride, or times what stands between elements, for every size; else both sizes stay.
void link_places(size_t from, size_t to, const WindowDim& w, SizeClasses& sizes) {
  const int64_t n = sizes.size(from), m = sizes.size(to);
  const bool fewer = w.base_dilation == 1 && n == m * w.stride;
  const bool more = w.stride == 1 && m == n * w.base_dilation;
  if (fewer || more) return sizes.scale(from, to);
  sizes.fix(from);
  sizes.fix(to);
}

// A window over all of a dimension shrinks with it (cumulative sums); others stay.
void link_window(const SizedInstruction& x, SizeClasses& sizes) {
  const Window* window = std::get_if<Window>(&*x.i.attributes);
  if (window == nullptr || x.i.shape.is_tuple) return fix_all(x, sizes);
  for (size_t d = 0; d < x.i.shape.rank(); ++d) {
    const size_t from = x.operands[0] + d, to = x.results[0] + d;
    const WindowDim w = d < window->dims.size() ? window->dims[d] : WindowDim{};
    const int64_t n = sizes.size(from);
    const bool whole = w.size == n && w.low + w.high == n - 1 && (w.low == 0 || w.high == 0);
    if (whole && n == sizes.size(to)) {
      sizes.unite(from, to);
    } else {
      link_places(from, to, w, sizes);
    }
  }
}

void link_pooled(const SizedInstruction& x, SizeClasses& sizes) {
  const auto windows = window_dims(x.i, x.i.shape.rank());
  if (!windows.ok()) return fix_all(x, sizes);
  for (size_t d = 0; d < x.i.shape.rank(); ++d) {
    sizes.unite(x.operands[0] + d, x.results[0] + d);
    link_places(x.operands[0] + d, x.operands[1] + d, (*windows)[d], sizes);
  }
}

void link_dynamic_slice(const SizedInstruction& x, SizeClasses& sizes) {
  for (size_t d = 0; d < x.i.shape.rank(); ++d) sizes.keep_within(x.results[0] + d, x.operands[0] + d);
}

void link_dynamic_update_slice(const SizedInstruction& x, SizeClasses& sizes) {
  for (size_t d = 0; d < x.i.shape.rank(); ++d) {
    sizes.unite(x.operands[0] + d, x.results[0] + d);
    sizes.keep_within(x.operands[1] + d, x.results[0] + d);
  }
}

// A dimension of an array, with the factors that it is made of.
struct FactoredDim {
  size_t size;
  const std::vector<size_t>* factors;
};

std::vector<FactoredDim> factored_dims(const SizedInstruction& x, const FactorRule& rule) {
  std::vector<FactoredDim> out;
  for (size_t k = 0; k < rule.operands.size(); ++k)
    for (size_t d = 0; d < rule.operands[k].size(); ++d)
      out.push_back({x.operands[k] + d, &rule.operands[k][d]});
  for (size_t leaf = 0; leaf < rule.results.size(); ++leaf)
    for (size_t d = 0; d < rule.results[leaf].size(); ++d)
      out.push_back({x.results[leaf] + d, &rule.results[leaf][d]});
  return out;
}

void link_factors(const SizedInstruction& x, const FactorRule& rule, SizeClasses& sizes) {
  const std::vector<FactoredDim> dims = factored_dims(x, rule);
  std::vector<size_t> factors;
  for (const FactorRule::Factor& f : rule.factors) factors.push_back(sizes.add(f.size));
  std::vector<int> uses(factors.size());
  for (const FactoredDim& dim : dims) {
    std::vector<size_t> parts;
    // Dimensions that only have it in common that nothing goes from one to the other.
    if (std::ranges::any_of(*dim.factors, [&](size_t f) { return rule.factors[f].blocked; })) {
      sizes.fix(dim.size);
      continue;
    }
    for (const size_t f : *dim.factors) {
      ++uses[f];
      parts.push_back(factors[f]);
    }
    if (parts.size() == 1) {
      sizes.unite(dim.size, parts[0]);
    } else {
      sizes.compose({dim.size, 1, std::move(parts)});
    }
  }
  const auto alone = [&](const FactoredDim& dim) {
    return std::ranges::any_of(*dim.factors,
                               [&](size_t f) { return uses[f] == 1 && rule.factors[f].size > 1; });
  };
  // What a reshape does not share between its sides has no size of its own.
  if (x.i.opcode == Opcode::reshape)
    for (const FactoredDim& dim : dims)
      if (alone(dim)) sizes.fix(dim.size);
  // A part that is looked up or written is as large as the operation says.
  const bool looks_up = x.i.opcode == Opcode::gather;
  if (!looks_up && x.i.opcode != Opcode::scatter) return;
  const size_t first = looks_up ? x.results[0] : x.operands.back();
  const size_t rank = looks_up ? x.i.shape.rank() : x.operand(x.operands.size() - 1).rank();
  for (const FactoredDim& dim : dims)
    if (dim.size >= first && dim.size < first + rank && alone(dim)) return fix_all(x, sizes);
}

void link_by_factors(const SizedInstruction& x, SizeClasses& sizes) {
  const auto rule = factor_rule(x.computation, x.i);
  rule ? link_factors(x, *rule, sizes) : fix_all(x, sizes);
}

// The last dimensions are as long as fft_length says.
void link_transformed(const SizedInstruction& x, SizeClasses& sizes) {
  link_by_factors(x, sizes);
  const auto* fft = std::get_if<Fft>(&*x.i.attributes);
  const size_t rank = x.i.shape.rank(), last = fft == nullptr ? rank : std::min(rank, fft->length.size());
  for (size_t d = rank - last; d < rank; ++d) {
    sizes.fix(x.operands[0] + d);
    sizes.fix(x.results[0] + d);
  }
}

// Batch and features (and groups of them) shrink as factors do, space with a window that stays; in gradients
// of kernels the window is the space, and what it makes stays.
void link_convolution(const SizedInstruction& x, SizeClasses& sizes) {
  const auto conv = convolution_dims(x.computation, x.i);
  if (!conv.ok()) return fix_all(x, sizes);
  link_by_factors(x, sizes);
  for (size_t s = 0; s < conv->window.size(); ++s) {
    const auto at = [&](size_t first, const std::vector<int64_t>& dims) {
      return first + static_cast<size_t>(dims[s]);
    };
    const size_t from = at(x.operands[0], conv->input_spatial), to = at(x.results[0], conv->output_spatial),
                 kernel = at(x.operands[1], conv->kernel_spatial);
    const WindowDim& w = conv->window[s];
    const bool is_space = w.stride == 1 && w.base_dilation == 1 && sizes.size(from) != sizes.size(to) &&
                          sizes.size(from) == w.window_dilation * sizes.size(kernel);
    sizes.fix(is_space ? to : kernel);
    is_space ? sizes.scale(from, kernel) : link_places(from, to, w, sizes);
  }
}

// Items of a batch are each for itself; what an item is stays.
void link_batch(const SizedInstruction& x, SizeClasses& sizes) {
  const auto batch = static_cast<size_t>(batch_dims(x.computation, x.i).value_or(0));
  const auto array = [&](size_t first, const Shape& shape) {
    for (size_t d = 0; d < shape.rank(); ++d)
      d < batch ? sizes.unite(x.operands[0] + d, first + d) : sizes.fix(first + d);
  };
  for (size_t k = 0; k < x.operands.size(); ++k) array(x.operands[k], x.operand(k));
  const std::vector<Shape> leaves = leaves_of(x.i.shape);
  for (size_t k = 0; k < leaves.size(); ++k) array(x.results[k], leaves[k]);
}

void link_custom_call(const SizedInstruction& x, SizeClasses& sizes) {
  const std::string target = custom_call_target(x.i);
  if (enters_region(x.i) || leaves_region(x.i)) return scale_dims(x, sizes);
  if (target == "TopK") return link_largest(x, sizes);
  target.ends_with("Sharding") ? link_by_factors(x, sizes) : link_batch(x, sizes);
}

// What the narrower type has more of, behind the others, stays.
void link_bits(const SizedInstruction& x, SizeClasses& sizes) {
  const size_t from = x.operand(0).rank(), to = x.i.shape.rank();
  for (size_t d = 0; d < std::min(from, to); ++d) sizes.unite(x.operands[0] + d, x.results[0] + d);
  if (from > to) sizes.fix(x.operands[0] + to);
  if (to > from) sizes.fix(x.results[0] + from);
}

// The state is as the generator has it; of bits there may be any number.
void link_random_bits(const SizedInstruction& x, SizeClasses& sizes) {
  fix_array(x.operands[0], x.operand(0), sizes);
  fix_array(x.results[0], leaves_of(x.i.shape)[0], sizes);
}

// Nothing is linked: its size is free.
void link_nothing(const SizedInstruction&, SizeClasses&) {}

using Link = void (*)(const SizedInstruction&, SizeClasses&);

const OpTable<Link>& links() {
  static const OpTable<Link> table({{OpClass::collective, &scale_dims}},
                                   {
                                       {Opcode::parameter, &link_nothing},
                                       {Opcode::iota, &link_nothing},
                                       {Opcode::partition_id, &link_nothing},
                                       {Opcode::replica_id, &link_nothing},
                                       {Opcode::after_all, &link_nothing},
                                       {Opcode::rng_bit_generator, &link_random_bits},
                                       {Opcode::constant, &fix_all},
                                       {Opcode::convolution, &link_convolution},
                                       {Opcode::fft, &link_transformed},
                                       {Opcode::cholesky, &link_batch},
                                       {Opcode::triangular_solve, &link_batch},
                                       {Opcode::ragged_all_to_all, &fix_all},
                                       {Opcode::bitcast, &fix_all},
                                       {Opcode::bitcast_convert, &link_bits},
                                       {Opcode::slice, &link_slice},
                                       {Opcode::concatenate, &link_concatenate},
                                       {Opcode::pad, &link_pad},
                                       {Opcode::reduce_window, &link_window},
                                       {Opcode::select_and_scatter, &link_pooled},
                                       {Opcode::dynamic_slice, &link_dynamic_slice},
                                       {Opcode::dynamic_update_slice, &link_dynamic_update_slice},
                                       {Opcode::custom_call, &link_custom_call},
                                   });
  return table;
}

}  // namespace

void link_sizes(const SizedInstruction& x, SizeClasses& sizes) {
  const Link link = links()[x.i.opcode];
  link == nullptr ? link_by_factors(x, sizes) : link(x, sizes);
}

}  // namespace shardscope::inline session
