// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/index_pairs.h"

#include <algorithm>

#include "engine/program/ir/op_table.h"

namespace shardscope::inline partitioner {
namespace {

constexpr int kFarthest = 16;  // instructions between an iota and what reads it

// The dimension of `to` that dimension `d` of `from` is, when only dimensions of one element come or go.
std::optional<int64_t> kept_by_reshape(const Shape& from, const Shape& to, int64_t d) {
  size_t next = 0;
  std::optional<int64_t> out;
  for (size_t k = 0; k < from.rank(); ++k) {
    if (from.dims[k] == 1) continue;
    while (next < to.rank() && to.dims[next] == 1) ++next;
    if (next == to.rank() || to.dims[next] != from.dims[k]) return std::nullopt;
    if (static_cast<int64_t>(k) == d) out = static_cast<int64_t>(next);
    ++next;
  }
  return out;
}

// Where dimension `d` of its operand, along which that counts, is in the result; none: it counts no more.
using CountedOn = std::optional<int64_t> (*)(const Computation&, const Instruction&, int64_t d);

std::optional<int64_t> counted_on(const Computation&, const Instruction&, int64_t d) {
  return d;
}
std::optional<int64_t> counted_converted(const Computation&, const Instruction& i, int64_t d) {
  return is_integer(i.shape.type) && bits(i.shape.type) >= 32 ? std::optional(d) : std::nullopt;
}
std::optional<int64_t> counted_broadcast(const Computation&, const Instruction& i, int64_t d) {
  return i.dimensions[static_cast<size_t>(d)];
}
std::optional<int64_t> counted_reshaped(const Computation& c, const Instruction& i, int64_t d) {
  return kept_by_reshape(c.at(i.operands[0]).shape, i.shape, d);
}

// The dimension along which the elements are 0, 1, 2, …
std::optional<int64_t> counting_dim(const Computation& c, InstructionId id, int depth = 0) {
  const Instruction& i = c.at(id);
  if (i.shape.is_tuple || depth > kFarthest) return std::nullopt;
  if (i.opcode == Opcode::iota)
    return i.dimensions.size() == 1 ? std::optional(i.dimensions[0]) : std::nullopt;
  static const OpTable<CountedOn> rules({}, {{Opcode::copy, &counted_on},
                                             {Opcode::convert, &counted_converted},
                                             {Opcode::broadcast, &counted_broadcast},
                                             {Opcode::reshape, &counted_reshaped}});
  const CountedOn rule = rules[i.opcode];
  if (rule == nullptr || i.operands.size() != 1) return std::nullopt;
  const auto inner = counting_dim(c, i.operands[0], depth + 1);
  return inner ? rule(c, i, *inner) : std::nullopt;
}

// By entry of the index vectors: the dimension of the indices along which it counts; -1: none.
IntList counted_entries(const IndexedArrays& x) {
  IntList out(x.places.size(), -1);
  const Instruction& indices = x.computation.at(x.indices);
  const auto put = [&](InstructionId part, size_t first, size_t count) {
    const auto dim = counting_dim(x.computation, part);
    if (!dim || *dim == x.vector_dim) return;
    for (size_t k = first; k < std::min(first + count, out.size()); ++k) out[k] = *dim;
  };
  const bool is_joined = indices.opcode == Opcode::concatenate && indices.dimensions.size() == 1 &&
                         indices.dimensions[0] == x.vector_dim;
  if (!is_joined) {
    put(x.indices, 0, out.size());
    return out;
  }
  size_t first = 0;
  for (const InstructionId part : indices.operands) {
    const auto count =
        static_cast<size_t>(x.computation.at(part).shape.dims[static_cast<size_t>(x.vector_dim)]);
    put(part, first, count);
    first += count;
  }
  return out;
}

}  // namespace

IndexPairs index_pairs(const IndexedArrays& x) {
  IndexPairs out{x.array_batch, x.indices_batch, {}};
  const Shape &array = x.computation.at(x.array).shape, &indices = x.computation.at(x.indices).shape;
  const IntList counted = counted_entries(x);
  for (size_t k = 0; k < counted.size(); ++k) {
    const int64_t d = x.places[k], along = counted[k];
    if (along < 0 || !holds(x.single, d) || holds(out.indices, along) || holds(out.array, d)) continue;
    if (array.dims[static_cast<size_t>(d)] != indices.dims[static_cast<size_t>(along)]) continue;
    out.array.push_back(d);
    out.indices.push_back(along);
    out.counted.push_back(d);
  }
  return out;
}

namespace {

bool same_places_on(const Tiling& a, const IntList& on_a, const Tiling& b, const IntList& on_b) {
  const auto pa = a.coordinates(), pb = b.coordinates();
  for (size_t i = 0; i < on_a.size(); ++i) {
    const auto da = static_cast<size_t>(on_a[i]), db = static_cast<size_t>(on_b[i]);
    if (a.counts[da] != b.counts[db]) return false;
    for (size_t device = 0; device < pa.size(); ++device)
      if (pa[device][da] != pb[device][db]) return false;
  }
  return true;
}

// `of` cut along `own` as `leader` is along `led`.
Tiling following(const Tiling& of, const IntList& own, const Tiling& leader, const IntList& led) {
  const Tiling pairs = leader.mapped(paired(of.rank(), own, led));
  return merged_tilings(pairs, of.merged(own)).value_or(pairs);
}

}  // namespace

PairedTilings cut_alike(const IndexPairs& pairs, PairedTilings as) {
  if (same_places_on(as.array, pairs.array, as.indices, pairs.indices)) return as;
  if (as.array.count_of(pairs.array) >= as.indices.count_of(pairs.indices))
    as.indices = following(as.indices, pairs.indices, as.array, pairs.array);
  else
    as.array = following(as.array, pairs.array, as.indices, pairs.indices);
  return as;
}

}  // namespace shardscope::inline partitioner
