// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/visit.h"

#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope::inline partitioner {
namespace {

bool keeps_attribute(const std::string& key) {
  return key != "metadata" && key != "sharding";
}

// `next`: of the leaves, the one that comes next.
InstructionId tuple_from(SpmdWriter& writer, const ShardedLeaves& leaves, const Shape& shape, size_t& next) {
  if (!shape.is_tuple) return leaves[next++].id;
  std::vector<InstructionId> parts;
  std::vector<Shape> shapes;
  for (const Shape& element : shape.elements) {
    parts.push_back(tuple_from(writer, leaves, element, next));
    shapes.push_back(writer.shape(parts.back()));
  }
  Instruction made;
  made.opcode = Opcode::tuple;
  made.shape = Shape::tuple(std::move(shapes));
  made.operands = std::move(parts);
  return writer.add(std::move(made));
}

void collect(SpmdWriter& writer, InstructionId id, const Shape& shape, const std::vector<Tiling>& tilings,
             ShardedLeaves& out) {
  if (!shape.is_tuple) {
    out.push_back({id, shape, tilings[out.size()]});
    return;
  }
  for (size_t k = 0; k < shape.elements.size(); ++k) {
    Instruction part;
    part.opcode = Opcode::get_tuple_element;
    part.shape = writer.shape(id).elements[k];
    part.operands = {id};
    part.tuple_index = static_cast<int64_t>(k);
    collect(writer, writer.add(std::move(part)), shape.elements[k], tilings, out);
  }
}

Shape tiled_from(const Shape& shape, const std::vector<Tiling>& tilings, size_t& next) {
  Shape out = shape;
  if (!shape.is_tuple) {
    out.dims = tile_dims(tilings[next++], shape.dims);
    return out;
  }
  std::vector<Shape> elements;
  for (const Shape& element : shape.elements) elements.push_back(tiled_from(element, tilings, next));
  return Shape::tuple(std::move(elements));
}

}  // namespace

Sharded operand_as(const SpmdContext& cx, const Visit& v, size_t k, const Tiling& tiling) {
  Resharder::Because because(
      cx.resharder, std::string(opcode_text(v.i.opcode)) + ": its operand is needed in another sharding",
      v.source_of(k).name);
  return cx.resharder.to(v.scope(), v.operand(k), tiling);
}

Sharded whole_operand(const SpmdContext& cx, const Visit& v, size_t k) {
  return operand_as(cx, v, k, Tiling::replicated(v.operand(k).base.rank(), v.scope().size()));
}

InstructionId write_like(const SpmdContext& cx, const Instruction& i, Shape tile,
                         std::vector<InstructionId> operands) {
  Instruction made = i;
  made.shape = with_default_layout(std::move(tile));
  made.operands = std::move(operands);
  made.sharding.reset();
  made.provenance = {};
  made.verbatim.change([](std::vector<VerbatimAttribute>& all) {
    std::erase_if(all, [](const VerbatimAttribute& a) { return !keeps_attribute(a.key); });
    all = without_sdy_attributes(std::move(all));
  });
  return cx.writer.add(std::move(made));
}

Sharded write_tiled(const SpmdContext& cx, const Visit& v, const Tiling& at,
                    std::vector<InstructionId> operands) {
  Shape tile = v.i.shape;
  tile.dims = tile_dims(at, tile.dims);
  return {write_like(cx, v.i, std::move(tile), std::move(operands)), v.i.shape, at};
}

Shape tiled_shape(const Shape& shape, const std::vector<Tiling>& tilings) {
  size_t next = 0;
  return tiled_from(shape, tilings, next);
}

Shape with_dims(Shape shape, const std::vector<int64_t>& dims) {
  shape.elements.change([&](std::vector<Shape>& elements) {
    for (Shape& element : elements) element.dims = dims;
  });
  if (!shape.is_tuple) shape.dims = dims;
  return shape;
}

std::vector<Tiling> replicated_leaves(const Shape& shape, int64_t devices) {
  std::vector<Tiling> out;
  for (const Shape& leaf : leaves_of(shape)) out.push_back(Tiling::replicated(leaf.rank(), devices));
  return out;
}

InstructionId tuple_of(SpmdWriter& writer, const ShardedLeaves& leaves, const Shape& shape) {
  size_t next = 0;
  return tuple_from(writer, leaves, shape, next);
}

ShardedLeaves leaves_of_value(SpmdWriter& writer, InstructionId value, const Shape& shape,
                              const std::vector<Tiling>& tilings) {
  ShardedLeaves out;
  collect(writer, value, shape, tilings, out);
  return out;
}

}  // namespace shardscope::inline partitioner
