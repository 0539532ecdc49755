// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/reshard/resharder.h"

#include <algorithm>
#include <numeric>

#include "engine/partition/types/manual_regions.h"
#include "engine/program/analysis/analysis.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

// A region's groups do the same side by side: an array of theirs is one for each group.
std::optional<Tiling> of_all(const Tiling& tiling, const InGroups* in, const DeviceGroups& region) {
  Tiling out = across_all(tiling, in);
  if (region.groups.empty() || out.devices() != region.size()) return std::nullopt;
  return region.count() == 1 ? out : across_groups(out, {}, out.counts, region);
}

}  // namespace

Resharder::Because::Because(Resharder& resharder, std::string rule, std::string operand)
    : resharder_(resharder), before_(resharder.reason_) {
  resharder.reason_.rule = std::move(rule);
  resharder.reason_.operand = std::move(operand);
}

Resharder::Because::~Because() {
  resharder_.reason_ = before_;
}

void Resharder::visit(const Instruction* source, const DeviceGroups& region) {
  reason_ = {"", "", source};
  if (region_ != region) region_ = region;
  if (source != nullptr)
    reason_.rule =
        std::string(opcode_text(source->opcode)) + ": it works on another sharding than the value has";
}

namespace {

std::string text_of(const Tiling& tiling, const std::optional<Tiling>& all, const SpmdWriter& writer) {
  return spmd_sharding_text((all ? *all : tiling).sharding(), writer.dialect());
}

// Collectives without a note.
bool has_new(const SpmdWriter& writer, const std::set<int64_t>& noted, int64_t first) {
  for (int64_t i = first; i < writer.count(); ++i)
    if (is_collective(writer.at(InstructionId(i)).opcode) && !noted.contains(i)) return true;
  return false;
}

}  // namespace

void Resharder::note(int64_t first, const SpmdNote& like) {
  for (int64_t i = first; i < writer_.count(); ++i) {
    if (!is_collective(writer_.at(InstructionId(i)).opcode) || !noted_.insert(i).second) continue;
    notes_.push_back(like);
    notes_.back().collective = InstructionId(i);
    notes_.back().reason = reason_;
  }
}

void Resharder::note(int64_t first, const std::string& from, const std::string& to) {
  note(first, SpmdNote{{}, {}, {}, from, to});
}

void Resharder::note(int64_t first, const Tiling& from, const std::string& to) {
  if (!has_new(writer_, noted_, first)) return;
  auto all = of_all(from, nullptr, region_);
  std::string text = text_of(from, all, writer_);
  note(first, SpmdNote{{}, {}, {}, std::move(text), to, std::move(all)});
}

void Resharder::note(int64_t first, const Tiling& from, const Tiling& to, const InGroups* in) {
  if (!has_new(writer_, noted_, first)) return;
  auto from_all = of_all(from, in, region_), to_all = of_all(to, in, region_);
  std::string from_text = text_of(from, from_all, writer_), to_text = text_of(to, to_all, writer_);
  note(
      first,
      SpmdNote{{}, {}, {}, std::move(from_text), std::move(to_text), std::move(from_all), std::move(to_all)});
}

void Resharder::note_sum(int64_t first, const Tiling& to, const InGroups* in) {
  if (!has_new(writer_, noted_, first)) return;
  auto all = of_all(to, in, region_);
  const std::string text = text_of(to, all, writer_);
  note(first, SpmdNote{{}, {}, {}, text, text, std::nullopt, std::move(all), true});
}

Resharder Resharder::for_page() const {
  Resharder page(writer_, parts_);
  page.reason_ = reason_;
  page.region_ = region_;
  return page;
}

void Resharder::adopt(Resharder& page, ComputationId computation) {
  for (SpmdNote& n : page.notes_) {
    if (!n.computation.valid()) n.computation = computation;
    notes_.push_back(std::move(n));
  }
  steps_.insert(steps_.end(), page.steps_.begin(), page.steps_.end());
  full_copies_.insert(full_copies_.end(), page.full_copies_.begin(), page.full_copies_.end());
}

bool Resharder::is_cheap(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base) const {
  return from.counts == to.counts ||
         (from.tiles() == to.tiles() && find_exchange(from, to, base).has_value());
}

int32_t ScopeNumbers::of(const SpmdScope& scope) {
  const auto [known, is_new] = by_partition_id_.try_emplace(scope.partition_id.value);
  if (is_new)
    known->second =
        by_groups_.try_emplace(scope.groups.groups, static_cast<int32_t>(by_groups_.size())).first->second;
  return known->second;
}

Sharded Resharder::to(const SpmdScope& scope, const Sharded& value, const Tiling& target) {
  if (same_tiles(value.tiling, target)) return {value.id, value.base, target, value.in};
  const auto key_of = [&](InstructionId id, const Tiling& tiling) {
    // Of the replicas of a whole array none is the first.
    const bool whole = tiling.is_replicated();
    return Key{id.value, scopes_.of(scope), tiling.counts, whole ? std::vector<int64_t>{} : *tiling.order};
  };
  if (const auto found = known_.find(key_of(value.id, target)); found != known_.end())
    return {found->second.id, value.base, target, value.in};
  const HloSharding from = value.tiling.sharding(), to = target.sharding();
  const std::string from_text = spmd_sharding_text(from, writer_.dialect());
  const std::string to_text = spmd_sharding_text(to, writer_.dialect());
  steps_.push_back("Resharding " + spmd_text(writer_, value.id, &from) + " from " + from_text + " to " +
                   to_text);
  const int64_t first = writer_.count();
  Sharded result = change(scope, value, target);
  result.tiling = target;
  result.in = value.in;
  if (result.id != value.id) writer_.at(result.id).sharding = to;
  note(first, value.tiling, target, value.in.get());
  known_.emplace(key_of(value.id, target), result);
  // Back again it is there already.
  if (result.id != value.id) known_.emplace(key_of(result.id, value.tiling), value);
  return result;
}

Sharded Resharder::change(const SpmdScope& scope, const Sharded& value, const Tiling& target) {
  const Tiling& from = value.tiling;
  const std::vector<int64_t>& base = value.base.dims;
  const Instruction& made = writer_.at(value.id);
  // In a manual region each device has a number of its own.
  const bool is_own = made.sharding && is_manual(*made.sharding);
  if (is_spread_number(made) && !is_own) {
    const InstructionId scalar = made.operands[0];
    return {writer_.broadcast(scalar, tile_dims(target, base), {}), value.base, target};
  }
  const Move move = next_move(from, target, base, parts_);
  if (move.kind == Move::Kind::through) {
    if (is_full_copy(move, from, target) && scope.size() > 1)
      full_copies_.push_back({reason_.source, value.id, from, target, base});
    return to(scope, to(scope, value, move.next), target);
  }
  Sharded there = value;
  if (!same_tiles(move.first, from)) {
    const int64_t first = writer_.count();
    there = permuted(scope, value, move.first);
    note(first, from, move.first, value.in.get());
  }
  const int64_t first = writer_.count();
  Sharded next = moved(scope, there, move);
  next.in = value.in;
  note(first, there.tiling, next.tiling, value.in.get());
  return to(scope, next, target);
}

Sharded Resharder::moved(const SpmdScope& scope, const Sharded& value, const Move& move) {
  if (move.kind == Move::Kind::slice) return sliced(scope, value, move.next);
  if (move.kind == Move::Kind::gather) return gathered(scope, value, move.next);
  if (move.kind == Move::Kind::exchange) return exchanged(scope, value, move.exchange);
  return permuted(scope, value, move.next);
}

Sharded Resharder::permuted(const SpmdScope& scope, const Sharded& value, const Tiling& target) {
  return {writer_.permute(value.id, scope, permute_pairs(value.tiling, target)), value.base, target};
}

// The cut of dimension `from` becomes one of dimension `to`.
Sharded Resharder::exchanged(const SpmdScope& scope, Sharded value, const Exchange& move) {
  const auto [from, to, ratio] = move;
  std::vector<int64_t> dims = writer_.shape(value.id).dims;
  const int64_t part = (dims[to] + ratio - 1) / ratio;
  InstructionId id = value.id;
  if (dims[to] != part * ratio) id = writer_.pad_high(id, to, part * ratio, writer_.zero(value.base.type));
  dims[to] = part;
  // [.., to = (ratio, part), ..]: part k goes to member k, which gets one part of each member.
  std::vector<int64_t> split = dims;
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(to), ratio);
  id = writer_.reshape(id, split);
  id = writer_.all_to_all(id, scope, members_along(value.tiling, from, ratio), to);
  std::vector<int64_t> order(split.size());
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(to));
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(from), static_cast<int64_t>(to));
  id = writer_.transpose(id, order);
  dims[from] *= ratio;
  id = writer_.reshape(id, dims);
  const Tiling moved = cut_moved(value.tiling, from, to, ratio);
  if (moved.counts[from] == 1) id = writer_.slice(id, from, 0, value.base.dims[from]);
  return {id, value.base, moved};
}

InstructionId Resharder::combined(const SpmdScope& scope, const Sharded& partial,
                                  const std::vector<int64_t>& dims, Opcode reducer) {
  InstructionId id = partial.id;
  Tiling rest = partial.tiling;
  for (size_t k = dims.size(); k-- > 0;) {
    const auto d = static_cast<size_t>(dims[k]);
    const int64_t ratio = rest.counts[d];
    if (ratio > 1)
      id = writer_.all_reduce(id, scope, members_along(rest, d, ratio),
                              writer_.reducer(reducer, partial.base.type));
    rest = coarsened(rest, d, ratio);
  }
  return id;
}

Sharded Resharder::masked(const SpmdScope& scope, const Sharded& value, const std::vector<int64_t>& dims,
                          InstructionId padding) {
  const Shape tile = writer_.shape(value.id);
  const auto place = value.tiling.coordinates();
  InstructionId id = value.id;
  for (const int64_t dim : dims) {
    const auto d = static_cast<size_t>(dim);
    if (tile.dims[d] * value.tiling.counts[d] == value.base.dims[d]) continue;
    std::vector<int64_t> offsets;
    for (const int64_t p : place.along(d)) offsets.push_back(p * tile.dims[d]);
    const Shape index = Shape::array(ElementType::s32, tile.dims);
    const InstructionId here = writer_.op(Opcode::iota, index, {});
    writer_.at(here).dimensions = {dim};
    const InstructionId offset =
        writer_.broadcast(writer_.table(scope, ElementType::s32, offsets), tile.dims, {});
    const InstructionId global = writer_.op(Opcode::add, index, {here, offset});
    const InstructionId end = writer_.broadcast(
        writer_.constant(ElementType::s32, std::to_string(value.base.dims[d])), tile.dims, {});
    const InstructionId inside = writer_.compare(global, end, CompareDirection::lt);
    const InstructionId outside = writer_.broadcast(padding, tile.dims, {});
    id = writer_.op(Opcode::select, tile, {inside, id, outside});
  }
  return {id, value.base, value.tiling, value.in};
}

}  // namespace shardscope::inline partitioner
