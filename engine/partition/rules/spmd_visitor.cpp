// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/spmd_visitor.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "engine/partition/reshard/spmd_log.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {
namespace {

std::string tuple_sharding_text(const std::vector<HloSharding>& leaves, SpmdDialect dialect) {
  std::string out = "{";
  for (size_t k = 0; k < leaves.size(); ++k)
    out += (k > 0 ? ", " : "") + spmd_sharding_text(leaves[k], dialect);
  return out + "}";
}

bool is_maximal(const HloSharding& sharding) {
  return sharding.kind == HloSharding::Kind::maximal;
}

bool keeps_attribute(const std::string& key) {
  return key != "metadata" && key != "sharding" && key != "frontend_attributes";
}

}  // namespace

Sharded SpmdVisitor::operand_as(const Visit& v, size_t k, const Tiling& tiling) {
  const Computation& c = *here_;
  Resharder::Because because(
      resharder_, std::string(opcode_text(v.i.opcode)) + ": its operand is needed in another sharding",
      c.at(v.i.operands[k]).name);
  return resharder_.to(scope(), operand(v, k), tiling);
}

Sharded SpmdVisitor::whole(const Visit& v, size_t k) {
  return operand_as(v, k, Tiling::replicated(operand(v, k).base.rank(), scope().size()));
}

InstructionId SpmdVisitor::like(const Instruction& i, Shape tile, std::vector<InstructionId> operands) {
  Instruction made = i;
  made.shape = with_default_layout(std::move(tile));
  made.operands = std::move(operands);
  made.sharding.reset();
  made.provenance = {};
  std::erase_if(made.verbatim, [](const VerbatimAttribute& a) { return !keeps_attribute(a.key); });
  return writer_.add(std::move(made));
}

Sharded SpmdVisitor::result(const Visit& v, InstructionId id, const Tiling& tiling) const {
  return {id, v.i.shape, tiling};
}

Result<InstructionId> SpmdVisitor::computation(const Computation& computation,
                                               const std::vector<std::vector<Tiling>>* parameters,
                                               const std::vector<Tiling>* results) {
  here_ = &computation;
  given_ = parameters;
  is_entry_ = parameters == nullptr;
  TRY_VOID(open_regions(computation));
  InstructionId root;
  for (size_t k = 0; k < computation.instructions.size(); ++k) {
    const Instruction& i = computation.instructions[k];
    const bool is_root = computation.root.value == static_cast<int32_t>(k);
    Visit v{i, {}, {}};
    TRY(v.shardings, leaf_shardings(i));
    const std::vector<Shape> shapes = leaves_of(i.shape);
    region_ = regions_.of[k];
    if (is_root && region_ != 0)
      return invalid("the result is in a manual region", "instruction " + i.name,
                     "leave it by custom-call SPMDShardToFullShape");
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
      auto tiling = tiling_in_groups(v.shardings[leaf], shapes[leaf].rank(), regions_.groups[region_]);
      if (!tiling.ok()) return invalid(tiling.error().what, "instruction " + i.name, tiling.error().fix);
      v.wanted.push_back(*std::move(tiling));
    }
    if (is_root && results != nullptr) v.wanted = *results;
    if (v.wanted.empty()) v.wanted.push_back(Tiling::replicated(0, scope().size()));
    writer_.visit(&i);
    resharder_.visit(&i);
    const int64_t first = writer_.count();
    TRY_VOID(bring_in(v));
    TRY(ShardedLeaves made, dispatch(v));
    {
      Resharder::Because because(
          resharder_, std::string(opcode_text(i.opcode)) + ": its result is wanted in another sharding",
          "result");
      for (size_t leaf = 0; leaf < made.size(); ++leaf)
        made[leaf] = resharder_.to(scope(), made[leaf], v.wanted[leaf]);
    }
    const InstructionId last(writer_.count() - 1);
    if (!i.shape.is_tuple && writer_.count() > first && made.front().id == last)
      writer_.at(last).sharding = in_region() ? manual_sharding() : v.out().sharding();
    if (is_root) {
      root = made.empty() ? last : made.front().id;
      if (i.shape.is_tuple) {
        size_t next = 0;
        root = tuple_of(made, i.shape, next);
        std::vector<HloSharding> of_leaves;
        for (const Tiling& t : v.wanted) of_leaves.push_back(t.sharding());
        if (leaf_count(i.shape) > 0)
          writer_.at(root).verbatim.push_back(
              {"sharding", tuple_sharding_text(of_leaves, writer_.dialect())});
      }
      if (is_entry_)
        for (size_t leaf = 0; leaf < v.shardings.size(); ++leaf)
          result_shardings.push_back(is_maximal(v.shardings[leaf]) ? v.shardings[leaf]
                                                                   : v.wanted[leaf].sharding());
    }
    if (is_entry_ && writer_.count() > first)
      log_visit(first, is_root ? root : made.empty() ? last : made.front().id);
    values_[{static_cast<int32_t>(k), region_}] = std::move(made);
  }
  writer_.visit(nullptr);
  return root;
}

// Keeps the visit if it is among the largest so far: texts of all would be most of the work on a big module.
void SpmdVisitor::log_visit(int64_t first, InstructionId shown) {
  MemoryLine line;
  bool any = false;
  for (int64_t id = first; id < writer_.count(); ++id) {
    const Shape& shape = writer_.shape(InstructionId(id));
    if (shape.is_tuple) continue;
    any = true;
    line.bytes = std::max(line.bytes, shape.bytes());
  }
  if (!any || (visits.size() == kReportedLines && line.bytes <= visits.back().bytes)) return;
  for (int64_t id = first; id < writer_.count(); ++id) {
    if (!writer_.shape(InstructionId(id)).is_tuple)
      line.created.push_back(spmd_text(writer_, InstructionId(id)));
  }
  line.text = spmd_text(writer_, shown);
  visits.push_back(std::move(line));
  keep_largest(visits);
}

Result<ShardedLeaves> SpmdVisitor::dispatch(const Visit& v) {
  switch (v.i.opcode) {
    case Opcode::parameter:
      return parameter(v);
    case Opcode::constant:
      return ShardedLeaves{constant(v)};
    case Opcode::iota:
      return ShardedLeaves{iota(v)};
    case Opcode::tuple: {
      ShardedLeaves out;
      for (size_t k = 0; k < v.i.operands.size(); ++k)
        out.insert(out.end(), leaves(v, k).begin(), leaves(v, k).end());
      return out;
    }
    case Opcode::get_tuple_element: {
      const Shape& from = here_->at(v.i.operands[0]).shape;
      size_t first = 0;
      for (int64_t e = 0; e < v.i.tuple_index; ++e)
        first += leaf_count(from.elements[static_cast<size_t>(e)]);
      const auto begin = leaves(v, 0).begin() + static_cast<std::ptrdiff_t>(first);
      return ShardedLeaves(begin, begin + static_cast<std::ptrdiff_t>(leaf_count(v.i.shape)));
    }
    case Opcode::broadcast:
      return ShardedLeaves{broadcast(v)};
    case Opcode::transpose:
      return ShardedLeaves{transpose(v)};
    case Opcode::reshape:
    case Opcode::bitcast:
      return ShardedLeaves{reshape(v)};
    case Opcode::concatenate:
      return ShardedLeaves{concatenate(v)};
    case Opcode::slice:
      return ShardedLeaves{slice(v)};
    case Opcode::pad:
      return pad(v);
    case Opcode::dynamic_slice:
      return ShardedLeaves{dynamic_slice(v)};
    case Opcode::dynamic_update_slice:
      return ShardedLeaves{dynamic_update_slice(v)};
    case Opcode::reverse:
      return ShardedLeaves{reverse(v)};
    case Opcode::reduce:
      return reduce(v);
    case Opcode::sort:
      return sort(v);
    case Opcode::dot:
      return ShardedLeaves{product(v, *DotAxes::of(*here_, v.i), operand(v, 0), operand(v, 1), v.out())};
    case Opcode::convolution:
      return convolution(v);
    case Opcode::while_:
      return while_loop(v);
    case Opcode::conditional:
      return conditional(v);
    case Opcode::copy:
    case Opcode::optimization_barrier: {
      if (v.i.shape.is_tuple || v.i.operands.size() != 1) return leaves(v, 0);
      return ShardedLeaves{elementwise(v)};
    }
    case Opcode::gather:
      return gather(v);
    case Opcode::scatter:
      return scatter(v);
    case Opcode::custom_call:
      if (enters_region(v.i)) return enter_region(v);
      if (leaves_region(v.i)) return leave_region(v);
      if (custom_call_target(v.i) == "TopK" && v.i.operands.size() == 1) return top_k(v);
      if (custom_call_target(v.i).find("xla.sdy.GlobalToLocalShape") != std::string::npos)
        return invalid("a manual computation in Shardy's form cannot be partitioned",
                       "instruction " + v.i.name,
                       "print the module with jax_use_shardy_partitioner off: SPMDFullToShardShape is read");
      return replicated(v);
    case Opcode::partition_id:
    case Opcode::replica_id:
      if (in_region())
        return ShardedLeaves{result(v, like(v.i, v.i.shape, {}), Tiling::replicated(0, scope().size()))};
      return invalid("the module asks for its own device number, so it is partitioned already",
                     "instruction " + v.i.name, "run it as it is: shardscope hlo run");
    default:
      if (is_collective(v.i.opcode) && in_region()) return own_collective(v);
      if (is_collective(v.i.opcode))
        return invalid("the module holds a collective, so it is partitioned already",
                       "instruction " + v.i.name, "run it as it is: shardscope hlo run");
      return is_elementwise(v.i.opcode) ? Result<ShardedLeaves>(ShardedLeaves{elementwise(v)})
                                        : replicated(v);
  }
}

Result<ShardedLeaves> SpmdVisitor::parameter(const Visit& v) {
  const std::vector<Tiling>& tilings =
      given_ != nullptr ? (*given_)[static_cast<size_t>(v.i.parameter_number)] : v.wanted;
  std::vector<Shape> shapes = leaves_of(v.i.shape);
  for (size_t k = 0; k < shapes.size(); ++k) shapes[k].dims = tile_dims(tilings[k], shapes[k].dims);
  size_t next = 0;
  const std::function<Shape(const Shape&)> tiled = [&](const Shape& shape) {
    if (!shape.is_tuple) return shapes[next++];
    std::vector<Shape> elements;
    for (const Shape& element : shape.elements) elements.push_back(tiled(element));
    return Shape::tuple(std::move(elements));
  };
  const InstructionId id = like(v.i, tiled(v.i.shape), {});
  if (!v.i.shape.is_tuple) writer_.at(id).sharding = tilings.front().sharding();
  if (is_entry_) {
    const auto number = static_cast<size_t>(v.i.parameter_number);
    if (parameter_shardings.size() <= number) parameter_shardings.resize(number + 1);
    for (size_t leaf = 0; leaf < tilings.size(); ++leaf)
      parameter_shardings[number].push_back(is_maximal(v.shardings[leaf]) ? v.shardings[leaf]
                                                                          : tilings[leaf].sharding());
  }
  ShardedLeaves out = leaves_from(id, v.i.shape, tilings);
  for (size_t leaf = 0; is_entry_ && leaf < out.size(); ++leaf)
    if (is_maximal(v.shardings[leaf])) out[leaf] = from_one_device(out[leaf], v.shardings[leaf].device);
  return out;
}

Sharded SpmdVisitor::from_one_device(const Sharded& value, int64_t device) {
  Resharder::Because because(resharder_, "maximal: one device has the array, so it is sent to all",
                             "device " + std::to_string(device));
  const int64_t first = writer_.count();
  const Shape shape = writer_.shape(value.id);
  const InstructionId here =
      writer_.compare(scope().partition_id, writer_.constant(ElementType::u32, std::to_string(device)), "EQ");
  const InstructionId id = writer_.op(Opcode::select, shape,
                                      {writer_.broadcast(here, shape.dims, {}), value.id,
                                       writer_.broadcast(writer_.zero(shape.type), shape.dims, {})});
  const Opcode sum = shape.type == ElementType::pred ? Opcode::or_ : Opcode::add;
  const Sharded out{writer_.all_reduce(id, scope(), scope().groups, writer_.reducer(sum, shape.type)),
                    value.base, value.tiling};
  resharder_.note(first, fmt::format("{{maximal device={}}}", device), "{replicated}");
  return out;
}

Sharded SpmdVisitor::constant(const Visit& v) {
  const Tiling all = Tiling::replicated(v.i.shape.rank(), scope().size());
  return result(v, like(v.i, v.i.shape, {}), all);
}

Sharded SpmdVisitor::iota(const Visit& v) {
  const auto dim = static_cast<size_t>(v.i.dimensions.empty() ? 0 : v.i.dimensions.front());
  Shape tile = v.i.shape;
  tile.dims = tile_dims(v.out(), tile.dims);
  const InstructionId local = like(v.i, tile, {});
  if (v.out().counts[dim] == 1) return result(v, local, v.out());
  std::vector<int64_t> offsets;
  for (const auto& place : v.out().coordinates()) offsets.push_back(place[dim] * tile.dims[dim]);
  InstructionId offset = writer_.table(scope(), ElementType::s32, offsets);
  if (tile.type != ElementType::s32) offset = writer_.op(Opcode::convert, Shape::scalar(tile.type), {offset});
  return result(v, writer_.op(Opcode::add, tile, {local, writer_.broadcast(offset, tile.dims, {})}), v.out());
}

Sharded SpmdVisitor::elementwise(const Visit& v) {
  // Where all operands agree the work is done there, and its result moved; else they come to the result.
  const auto is_array = [&](size_t k) { return operand(v, k).base.dims == v.i.shape.dims; };
  Tiling at = v.out();
  const Tiling& first = operand(v, 0).tiling;
  bool agree = v.i.operands.size() > 1;
  for (size_t k = 0; k < v.i.operands.size(); ++k)
    agree = agree && is_array(k) && same_tiles(operand(v, k).tiling, first);
  if (agree) at = first;
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k)
    operands.push_back(is_array(k) ? operand_as(v, k, at).id : whole(v, k).id);
  Shape tile = v.i.shape;
  tile.dims = tile_dims(at, tile.dims);
  return result(v, like(v.i, tile, operands), at);
}

Sharded SpmdVisitor::broadcast(const Visit& v) {
  const Sharded from = operand_as(v, 0, v.out().mapped(v.i.dimensions));
  Shape tile = v.i.shape;
  tile.dims = tile_dims(v.out(), tile.dims);
  return result(v, like(v.i, tile, {from.id}), v.out());
}

Sharded SpmdVisitor::transpose(const Visit& v) {
  std::vector<int64_t> back(v.i.dimensions.size());
  for (size_t d = 0; d < back.size(); ++d)
    back[static_cast<size_t>(v.i.dimensions[d])] = static_cast<int64_t>(d);
  const Sharded from = operand_as(v, 0, v.out().mapped(back));
  Shape tile = v.i.shape;
  tile.dims = tile_dims(v.out(), tile.dims);
  return result(v, like(v.i, tile, {from.id}), v.out());
}

Sharded SpmdVisitor::product(const Visit& v, const DotAxes& axes, const Sharded& lhs, Sharded rhs,
                             const Tiling& out) {
  if (lhs.id == rhs.id) rhs.id = writer_.op(Opcode::copy, writer_.shape(rhs.id), {rhs.id});
  DotPartitioner dot(writer_, resharder_, v.i, axes, options_);
  return dot.partition(scope(), lhs, rhs, v.i.shape, out);
}

Result<ShardedLeaves> SpmdVisitor::replicated(const Visit& v) {
  const int64_t devices = scope().size();
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k) {
    ShardedLeaves full;
    for (const Sharded& leaf : leaves(v, k)) {
      Resharder::Because because(
          resharder_, std::string(opcode_text(v.i.opcode)) + ": has no rule, so every device does all of it",
          here_->at(v.i.operands[k]).name);
      full.push_back(resharder_.to(scope(), leaf, Tiling::replicated(leaf.base.rank(), devices)));
    }
    size_t next = 0;
    operands.push_back(tuple_of(full, here_->at(v.i.operands[k]).shape, next));
  }
  Instruction made = v.i;
  for (CalledComputation& c : made.called) {
    TRY(c.computation, called(source_.computation(c.computation), {}, {}));
  }
  const InstructionId id = like(made, v.i.shape, operands);
  std::vector<Tiling> tilings;
  for (const Shape& leaf : leaves_of(v.i.shape)) tilings.push_back(Tiling::replicated(leaf.rank(), devices));
  return leaves_from(id, v.i.shape, tilings);
}

InstructionId SpmdVisitor::tuple_of(const ShardedLeaves& leaves, const Shape& shape, size_t& next) {
  if (!shape.is_tuple) return leaves[next++].id;
  std::vector<InstructionId> parts;
  std::vector<Shape> shapes;
  for (const Shape& element : shape.elements) {
    parts.push_back(tuple_of(leaves, element, next));
    shapes.push_back(writer_.shape(parts.back()));
  }
  Instruction made;
  made.opcode = Opcode::tuple;
  made.shape = Shape::tuple(std::move(shapes));
  made.operands = std::move(parts);
  return writer_.add(std::move(made));
}

void SpmdVisitor::collect(InstructionId id, const Shape& shape, const std::vector<Tiling>& tilings,
                          ShardedLeaves& out) {
  if (!shape.is_tuple) {
    out.push_back({id, shape, tilings[out.size()]});
    return;
  }
  for (size_t k = 0; k < shape.elements.size(); ++k) {
    Instruction part;
    part.opcode = Opcode::get_tuple_element;
    part.shape = writer_.shape(id).elements[k];
    part.operands = {id};
    part.tuple_index = static_cast<int64_t>(k);
    collect(writer_.add(std::move(part)), shape.elements[k], tilings, out);
  }
}

ShardedLeaves SpmdVisitor::leaves_from(InstructionId id, const Shape& shape,
                                       const std::vector<Tiling>& tilings) {
  ShardedLeaves out;
  collect(id, shape, tilings, out);
  return out;
}

}  // namespace shardscope
