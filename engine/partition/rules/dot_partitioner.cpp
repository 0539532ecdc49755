// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/dot_partitioner.h"

#include <algorithm>

#include "engine/partition/reshard/tiling_moves.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {
namespace {

// Counts of one operand's dimensions over a class of axes.
int64_t product_of(const Tiling& tiling, const std::vector<int64_t>& dims) {
  return tiling.count_of(dims);
}

bool same_counts(const Tiling& a, const std::vector<int64_t>& on_a, const Tiling& b,
                 const std::vector<int64_t>& on_b) {
  for (size_t i = 0; i < on_a.size(); ++i)
    if (a.counts[static_cast<size_t>(on_a[i])] != b.counts[static_cast<size_t>(on_b[i])]) return false;
  return true;
}

// Devices stand at the same places along both lists of dimensions.
bool same_places(const Tiling& a, const std::vector<int64_t>& on_a, const Tiling& b,
                 const std::vector<int64_t>& on_b) {
  if (!same_counts(a, on_a, b, on_b)) return false;
  const auto pa = a.coordinates(), pb = b.coordinates();
  for (size_t device = 0; device < pa.size(); ++device) {
    for (size_t i = 0; i < on_a.size(); ++i)
      if (pa[device][static_cast<size_t>(on_a[i])] != pb[device][static_cast<size_t>(on_b[i])]) return false;
  }
  return true;
}

// For each dimension of `rank` the one of another array that stands on the same axis, or -1.
std::vector<int64_t> mapping(size_t rank, const std::vector<DotAxis>& axes, int64_t DotAxis::*to,
                             int64_t DotAxis::*from, std::vector<int64_t> map = {}) {
  map.resize(rank, -1);
  for (const DotAxis& axis : axes)
    if (axis.*to >= 0 && axis.*from >= 0) map[static_cast<size_t>(axis.*to)] = axis.*from;
  return map;
}

}  // namespace

std::optional<DotAxes> DotAxes::of(const Computation& computation, const Instruction& dot) {
  DotAxes out;
  const Shape& lhs = computation.at(dot.operands[0]).shape;
  const Shape& rhs = computation.at(dot.operands[1]).shape;
  if (dot.opcode == Opcode::convolution) {
    const auto c = convolution_dims(computation, dot);
    if (!c.ok() || c->batch_groups != 1) return std::nullopt;
    out.lhs_free = {{c->input_batch, -1, c->output_batch}};
    if (c->feature_groups != 1) return out;
    out.contracting = {{c->input_feature, c->kernel_input, -1}};
    out.rhs_free = {{-1, c->kernel_output, c->output_feature}};
    return out;
  }
  const DotDims& d = dot.dot;
  const auto in = [](const std::vector<int64_t>& list, size_t i) {
    return std::ranges::count(list, static_cast<int64_t>(i)) > 0;
  };
  int64_t place = 0;
  for (size_t i = 0; i < d.lhs_batch.size(); ++i)
    out.batch.push_back({d.lhs_batch[i], d.rhs_batch[i], place++});
  for (size_t i = 0; i < d.lhs_contracting.size(); ++i)
    out.contracting.push_back({d.lhs_contracting[i], d.rhs_contracting[i], -1});
  for (size_t i = 0; i < lhs.rank(); ++i)
    if (!in(d.lhs_batch, i) && !in(d.lhs_contracting, i))
      out.lhs_free.push_back({static_cast<int64_t>(i), -1, place++});
  for (size_t i = 0; i < rhs.rank(); ++i)
    if (!in(d.rhs_batch, i) && !in(d.rhs_contracting, i))
      out.rhs_free.push_back({-1, static_cast<int64_t>(i), place++});
  return out;
}

DotPartitioner::DotPartitioner(SpmdWriter& writer, Resharder& resharder, const Instruction& instruction,
                               DotAxes axes, const PartitionOptions& options)
    : writer_(writer),
      resharder_(resharder),
      instruction_(instruction),
      axes_(std::move(axes)),
      options_(options) {}

std::vector<int64_t> DotPartitioner::dims(const std::vector<DotAxis>& axes, int64_t DotAxis::*which) const {
  std::vector<int64_t> out;
  for (const DotAxis& axis : axes) out.push_back(axis.*which);
  return out;
}

std::string DotPartitioner::operand_name(Side side) const {
  return side == kLhs ? "lhs" : "rhs";
}

Tiling DotPartitioner::result_tiling(const Level& level, const Sharded& lhs, const Sharded& rhs) const {
  const size_t rank = level.base.rank();
  const auto from_lhs = lhs.tiling.mapped(mapping(rank, axes_.lhs_free, &DotAxis::out, &DotAxis::lhs,
                                                  mapping(rank, axes_.batch, &DotAxis::out, &DotAxis::lhs)));
  const auto from_rhs = rhs.tiling.mapped(mapping(rank, axes_.rhs_free, &DotAxis::out, &DotAxis::rhs));
  if (from_rhs.is_replicated()) return from_lhs;
  if (from_lhs.is_replicated()) return from_rhs;
  // Both cut: each device's tile is where its two operands are.
  auto place = from_lhs.coordinates();
  const auto other = from_rhs.coordinates();
  Tiling out = from_lhs;
  for (size_t d = 0; d < rank; ++d) {
    if (from_rhs.counts[d] == 1) continue;
    out.counts[d] = from_rhs.counts[d];
    for (size_t device = 0; device < place.size(); ++device) place[device][d] = other[device][d];
  }
  std::ranges::stable_sort(out.order, {}, [&](int64_t device) {
    int64_t flat = 0;
    for (size_t d = 0; d < rank; ++d) flat = flat * out.counts[d] + place[static_cast<size_t>(device)][d];
    return flat;
  });
  return out;
}

InstructionId DotPartitioner::local_dot(const Level& level, InstructionId lhs, InstructionId rhs) {
  Shape shape = level.base;
  const auto take = [&](const std::vector<DotAxis>& axes, InstructionId from, int64_t DotAxis::*which) {
    for (const DotAxis& axis : axes)
      shape.dims[static_cast<size_t>(axis.out)] = writer_.shape(from).dims[static_cast<size_t>(axis.*which)];
  };
  take(axes_.batch, lhs, &DotAxis::lhs);
  take(axes_.lhs_free, lhs, &DotAxis::lhs);
  take(axes_.rhs_free, rhs, &DotAxis::rhs);
  const InstructionId made = writer_.op(instruction_.opcode, shape, {lhs, rhs});
  Instruction& dot = writer_.at(made);
  dot.dot = instruction_.dot;
  dot.attributes = instruction_.attributes;
  for (const VerbatimAttribute& a : instruction_.verbatim)
    if (a.key != "metadata" && a.key != "sharding") dot.verbatim.insert(dot.verbatim.begin(), a);
  return made;
}

Sharded DotPartitioner::partition(const SpmdScope& scope, const Sharded& lhs, const Sharded& rhs,
                                  const Shape& base, const Tiling& out) {
  const Level level{scope, lhs, rhs, base, out};
  Attempt made = recurse(level);
  if (!made) made = fitted(level);
  Resharder::Because because(resharder_, "dot: its product is moved to the result's sharding", "result");
  return resharder_.to(scope, *made, out);
}

// Both operands as the result needs them.
Sharded DotPartitioner::fitted(const Level& level) {
  const auto wanted = [&](const Sharded& v, const std::vector<DotAxis>& free, int64_t DotAxis::*which) {
    return level.out.mapped(mapping(v.base.rank(), free, which, &DotAxis::out,
                                    mapping(v.base.rank(), axes_.batch, which, &DotAxis::out)));
  };
  Resharder::Because because(resharder_,
                             "dot, no other rule fits: operands as the result's sharding needs them", "both");
  const Sharded lhs = resharder_.to(level.scope, level.lhs, wanted(level.lhs, axes_.lhs_free, &DotAxis::lhs));
  const Sharded rhs = resharder_.to(level.scope, level.rhs, wanted(level.rhs, axes_.rhs_free, &DotAxis::rhs));
  return {local_dot(level, lhs.id, rhs.id), level.base, result_tiling(level, lhs, rhs)};
}

DotPartitioner::Attempt DotPartitioner::recurse(const Level& level) {
  if (Attempt made = base_case(level, false)) return made;
  if (Attempt made = group_batch(level)) return made;
  if (Attempt made = group_free(level)) return made;
  if (Attempt made = group_contracting(level)) return made;
  if (Attempt made = drop_replicas(level)) return made;
  if (Attempt made = base_case(level, true)) return made;
  // Cutting whole operands takes no communication.
  if (level.lhs.tiling.is_replicated() && level.rhs.tiling.is_replicated()) return fitted(level);
  return std::nullopt;
}

DotPartitioner::Attempt DotPartitioner::base_case(const Level& level, bool may_reshard) {
  const int64_t n = level.devices();
  if (n > 1 && level.out.replicas() > 1 && !level.out.is_replicated()) return std::nullopt;
  if (Attempt made = batch_case(level, true)) return made;
  for (const Side side : {kRhs, kLhs})
    if (Attempt made = windowed_case(level, side)) return made;
  if (Attempt made = windowed_sum_case(level)) return made;
  if (Attempt made = batch_case(level, false)) return made;
  if (Attempt made = contracting_case(level, may_reshard)) return made;
  for (const Side side : {kLhs, kRhs})
    if (Attempt made = free_case(level, side)) return made;
  if (may_reshard)
    if (Attempt made = output_case(level)) return made;
  return slice_contracting_case(level);
}

// 1, 2 and 4: every device has batch entries of its own.
DotPartitioner::Attempt DotPartitioner::batch_case(const Level& level, bool cheap_only) {
  const int64_t n = level.devices();
  const auto on_lhs = dims(axes_.batch, &DotAxis::lhs), on_rhs = dims(axes_.batch, &DotAxis::rhs),
             on_out = dims(axes_.batch, &DotAxis::out);
  const bool lhs_split = product_of(level.lhs.tiling, on_lhs) == n;
  const bool rhs_split = product_of(level.rhs.tiling, on_rhs) == n;
  Sharded lhs = level.lhs, rhs = level.rhs;
  if (lhs_split && rhs_split && same_places(lhs.tiling, on_lhs, rhs.tiling, on_rhs)) {
    return Sharded{local_dot(level, lhs.id, rhs.id), level.base, result_tiling(level, lhs, rhs)};
  }
  const auto follows = [&](const Tiling& t, const std::vector<int64_t>& on) {
    return product_of(level.out, on_out) == n && same_places(t, on, level.out, on_out);
  };
  Resharder::Because because(resharder_,
                             "dot, batch dimensions: one operand is split by batch like the result",
                             lhs_split ? "rhs" : "lhs");
  if (lhs_split && follows(lhs.tiling, on_lhs)) {
    const Tiling to = lhs.tiling.mapped(mapping(rhs.base.rank(), axes_.batch, &DotAxis::rhs, &DotAxis::lhs));
    if (cheap_only && !resharder_.is_cheap(rhs.tiling, to, rhs.base.dims)) return std::nullopt;
    rhs = resharder_.to(level.scope, rhs, to);
  } else if (rhs_split && follows(rhs.tiling, on_rhs)) {
    const Tiling to = rhs.tiling.mapped(mapping(lhs.base.rank(), axes_.batch, &DotAxis::lhs, &DotAxis::rhs));
    if (cheap_only && !resharder_.is_cheap(lhs.tiling, to, lhs.base.dims)) return std::nullopt;
    lhs = resharder_.to(level.scope, lhs, to);
  } else {
    return std::nullopt;
  }
  return Sharded{local_dot(level, lhs.id, rhs.id), level.base, result_tiling(level, lhs, rhs)};
}

// 5: every device has a part of the contraction; the parts are added up.
DotPartitioner::Attempt DotPartitioner::contracting_case(const Level& level, bool may_reshard) {
  const int64_t n = level.devices();
  if (n == 1) return std::nullopt;
  const auto on_lhs = dims(axes_.contracting, &DotAxis::lhs), on_rhs = dims(axes_.contracting, &DotAxis::rhs);
  if (product_of(level.lhs.tiling, on_lhs) != n || product_of(level.rhs.tiling, on_rhs) != n)
    return std::nullopt;
  if (!may_reshard && !level.out.is_replicated() && level.out.tiles() != n) return std::nullopt;
  Sharded lhs = level.lhs, rhs = level.rhs;
  const bool lhs_leads = lhs.base.bytes() > rhs.base.bytes();
  {
    Resharder::Because because(resharder_,
                               "dot, contracting dimensions: the smaller operand is aligned to the larger",
                               lhs_leads ? "rhs" : "lhs");
    if (lhs_leads)
      rhs = resharder_.to(
          level.scope, rhs,
          lhs.tiling.mapped(mapping(rhs.base.rank(), axes_.contracting, &DotAxis::rhs, &DotAxis::lhs)));
    else
      lhs = resharder_.to(
          level.scope, lhs,
          rhs.tiling.mapped(mapping(lhs.base.rank(), axes_.contracting, &DotAxis::lhs, &DotAxis::rhs)));
  }
  lhs = resharder_.masked(level.scope, lhs, on_lhs, writer_.zero(lhs.base.type));
  rhs = resharder_.masked(level.scope, rhs, on_rhs, writer_.zero(rhs.base.type));
  Resharder::Because because(resharder_, "dot, contracting dimensions: partial products are added up",
                             "result");
  const int64_t first = writer_.count();
  InstructionId id = local_dot(level, lhs.id, rhs.id);
  const ComputationId sum = writer_.reducer(Opcode::add, level.base.type);
  Tiling rest = lhs.tiling;
  for (size_t k = on_lhs.size(); k-- > 0;) {  // one all-reduce per dimension, the last one first
    const auto d = static_cast<size_t>(on_lhs[k]);
    const int64_t ratio = lhs.tiling.counts[d];
    if (ratio > 1) id = writer_.all_reduce(id, level.scope, members_along(rest, d, ratio), sum);
    rest = coarsened(rest, d, ratio);
  }
  resharder_.note(first, "partial sums", "{replicated}");
  return Sharded{id, level.base, Tiling::replicated(level.base.rank(), n)};
}

// 6 and 7: one operand is split by its own dimensions like the result; the other one is needed whole.
DotPartitioner::Attempt DotPartitioner::free_case(const Level& level, Side side) {
  const int64_t n = level.devices();
  const bool left = side == kLhs;
  const auto& axes = left ? axes_.lhs_free : axes_.rhs_free;
  const auto on = dims(axes, left ? &DotAxis::lhs : &DotAxis::rhs), on_out = dims(axes, &DotAxis::out);
  const Sharded& split = left ? level.lhs : level.rhs;
  if (n == 1 || product_of(split.tiling, on) != n || product_of(level.out, on_out) != n ||
      !same_places(split.tiling, on, level.out, on_out))
    return std::nullopt;
  const Sharded& other = left ? level.rhs : level.lhs;
  Resharder::Because because(
      resharder_,
      "dot, " + operand_name(side) + " is split like the result: the other operand is needed whole",
      operand_name(left ? kRhs : kLhs));
  const Sharded whole = resharder_.to(level.scope, other, Tiling::replicated(other.base.rank(), n));
  const Sharded& lhs = left ? split : whole;
  const Sharded& rhs = left ? whole : split;
  return Sharded{local_dot(level, lhs.id, rhs.id), level.base, result_tiling(level, lhs, rhs)};
}

// 8: operands follow the result.
DotPartitioner::Attempt DotPartitioner::output_case(const Level& level) {
  const int64_t n = level.devices();
  const Tiling& out = level.out;
  const auto batch = dims(axes_.batch, &DotAxis::out);
  const bool by_batch = product_of(out, batch) == n;
  const bool by_lhs = product_of(out, dims(axes_.lhs_free, &DotAxis::out)) == n;
  const bool by_rhs = product_of(out, dims(axes_.rhs_free, &DotAxis::out)) == n;
  if (!by_batch && !by_lhs && !by_rhs) return std::nullopt;
  const auto to_lhs =
      mapping(level.lhs.base.rank(), by_batch ? axes_.batch : axes_.lhs_free, &DotAxis::lhs, &DotAxis::out);
  const auto to_rhs =
      mapping(level.rhs.base.rank(), by_batch ? axes_.batch : axes_.rhs_free, &DotAxis::rhs, &DotAxis::out);
  Resharder::Because because(resharder_, "dot: operands follow the result's sharding", "both");
  Sharded lhs = level.lhs, rhs = level.rhs;
  lhs = resharder_.to(level.scope, lhs,
                      by_batch || by_lhs ? out.mapped(to_lhs) : Tiling::replicated(lhs.base.rank(), n));
  const bool split_rhs = by_batch || (!by_lhs && by_rhs);
  rhs = resharder_.to(level.scope, rhs,
                      split_rhs ? out.mapped(to_rhs) : Tiling::replicated(rhs.base.rank(), n));
  return Sharded{local_dot(level, lhs.id, rhs.id), level.base, result_tiling(level, lhs, rhs)};
}

// 9: cutting the whole operand costs nothing, and a sum of small results less than a gather. Not in 2022: a
// notebook's compiled product of P('b','a') and P('b',None) gathers there.
DotPartitioner::Attempt DotPartitioner::slice_contracting_case(const Level& level) {
  const int64_t n = level.devices();
  if (n == 1 || !level.out.is_replicated() || writer_.dialect() == SpmdDialect::tpu2022) return std::nullopt;
  for (const Side side : {kLhs, kRhs}) {
    const Sharded& split = side == kLhs ? level.lhs : level.rhs;
    const Sharded& whole = side == kLhs ? level.rhs : level.lhs;
    const auto which = side == kLhs ? &DotAxis::lhs : &DotAxis::rhs,
               other = side == kLhs ? &DotAxis::rhs : &DotAxis::lhs;
    if (product_of(split.tiling, dims(axes_.contracting, which)) != n || !whole.tiling.is_replicated())
      continue;
    if (split.base.element_count() <= level.base.element_count()) continue;
    const Tiling to = split.tiling.mapped(mapping(whole.base.rank(), axes_.contracting, other, which));
    Level cut{level.scope, level.lhs, level.rhs, level.base, level.out};
    Sharded& sliced = side == kLhs ? cut.rhs : cut.lhs;
    sliced = resharder_.to(level.scope, whole, to);
    return contracting_case(cut, true);
  }
  return std::nullopt;
}

}  // namespace shardscope
