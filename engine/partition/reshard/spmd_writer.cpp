// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/reshard/spmd_writer.h"

#include <numeric>
#include <utility>

#include "engine/base/text.h"

namespace shardscope::inline partitioner {
namespace {

Rare<std::string> made_default_layout(size_t rank) {
  std::vector<std::string> order;
  for (size_t d = rank; d-- > 0;) order.push_back(std::to_string(d));
  return join(order, ",");
}

// Shared by the arrays of a rank: a program has hundreds of thousands of them.
Rare<std::string> default_layout(size_t rank) {
  constexpr size_t kShared = 8;
  static const std::vector<Rare<std::string>> shared = [] {
    std::vector<Rare<std::string>> out;
    for (size_t r = 0; r < kShared; ++r) out.push_back(made_default_layout(r));
    return out;
  }();
  return rank < kShared ? shared[rank] : made_default_layout(rank);
}

std::vector<int64_t> layout_order(const Shape& shape) {
  std::vector<int64_t> order;
  for (const std::string& part : split(shape.layout->substr(0, shape.layout->find(':')), ','))
    if (const auto d = parse_int(part)) order.push_back(*d);
  return order;
}

std::string literal_of(const std::vector<int64_t>& values) {
  std::vector<std::string> parts;
  for (const int64_t v : values) parts.push_back(std::to_string(v));
  return "{" + join(parts, ", ") + "}";
}

Instruction own_number() {
  Instruction out;
  out.opcode = Opcode::partition_id;
  out.shape = with_default_layout(Shape::scalar(ElementType::u32));
  return out;
}

ReplicaGroups replica_groups(const SpmdScope& scope, const DeviceGroups& members) {
  ReplicaGroups out;
  out.tiles.dims = {members.count() * scope.groups.count(), members.size()};
  for (const auto& outer : scope.groups.groups) {
    for (const auto& group : members.groups) {
      for (const int64_t p : group) out.tiles.devices.edit().push_back(outer[static_cast<size_t>(p)]);
    }
  }
  return out;
}

}  // namespace

Shape with_default_layout(Shape shape) {
  shape.elements.change([](std::vector<Shape>& elements) {
    for (Shape& element : elements) element = with_default_layout(std::move(element));
  });
  if (!shape.is_tuple) shape.layout = default_layout(shape.rank());
  return shape;
}

SpmdPages::SpmdPages(int64_t devices, SpmdDialect dialect) : dialect_(dialect) {
  whole_.groups.groups.resize(1);
  whole_.groups.groups.front().resize(static_cast<size_t>(devices));
  std::iota(whole_.groups.groups.front().begin(), whole_.groups.groups.front().end(), 0);
  whole_.partition_id = add(own_number());
}

SpmdPages::Page SpmdPages::open_page() {
  Page page{std::move(made_), whole_};
  made_.clear();
  const Instruction* source = std::exchange(source_, nullptr);
  whole_.partition_id = add(own_number());
  source_ = source;
  return page;
}

Computation SpmdPages::close_page(Page page, std::string name, InstructionId root) {
  Computation out{std::move(name), std::move(made_), root};
  made_ = std::move(page.made);
  whole_ = std::move(page.whole);
  return out;
}

Tiling across_all(Tiling inner, const InGroups* in) {
  for (; in != nullptr; in = in->around.get()) {
    std::vector<int64_t> counts = inner.counts;
    for (size_t k = 0; k < in->on.size(); ++k) counts[static_cast<size_t>(in->on[k])] = in->counts[k];
    inner = across_groups(inner, in->on, counts, in->groups);
  }
  return inner;
}

SpmdScope SpmdWriter::inner(const SpmdScope& scope, const DeviceGroups& groups) {
  SpmdScope out;
  std::vector<int64_t> place(static_cast<size_t>(scope.size()));
  for (const auto& group : groups.groups) {
    for (size_t i = 0; i < group.size(); ++i) place[static_cast<size_t>(group[i])] = static_cast<int64_t>(i);
  }
  for (const auto& outer : scope.groups.groups) {
    for (const auto& group : groups.groups) {
      std::vector<int64_t> global;
      for (const int64_t p : group) global.push_back(outer[static_cast<size_t>(p)]);
      out.groups.groups.push_back(std::move(global));
    }
  }
  out.partition_id = table(scope, ElementType::u32, place);
  return out;
}

InstructionId SpmdPages::add(Instruction instruction) {
  if (source_ != nullptr) {
    instruction.name = source_->name;
    if (instruction.provenance->step == source_->provenance->step)
      instruction.provenance = source_->provenance;
    else
      instruction.provenance.edit().op_name = source_->provenance->op_name;
    const auto& said = source_->verbatim;
    if (instruction.verbatim.empty() && said.size() == 1 && said[0].key == "metadata")
      instruction.verbatim = said;
    else
      for (const VerbatimAttribute& a : said)
        if (a.key == "metadata") instruction.verbatim.edit().push_back(a);
  }
  made_.push_back(std::move(instruction));
  return InstructionId(count() - 1);
}

InstructionId SpmdWriter::op(Opcode opcode, Shape shape, std::vector<InstructionId> operands) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.shape = with_default_layout(std::move(shape));
  instruction.operands = std::move(operands);
  return add(std::move(instruction));
}

InstructionId SpmdWriter::constant(ElementType type, const std::string& literal, std::vector<int64_t> dims) {
  Instruction instruction;
  instruction.opcode = Opcode::constant;
  instruction.shape = with_default_layout(Shape::array(type, std::move(dims)));
  instruction.literal = literal;
  return add(std::move(instruction));
}

InstructionId SpmdWriter::reshape(InstructionId id, std::vector<int64_t> dims) {
  if (shape(id).dims == dims) return id;
  return op(Opcode::reshape, Shape::array(shape(id).type, std::move(dims)), {id});
}

InstructionId SpmdWriter::transpose(InstructionId id, std::vector<int64_t> permutation) {
  const Shape from = shape(id);
  std::vector<int64_t> dims, inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    dims.push_back(from.dims[static_cast<size_t>(permutation[i])]);
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  }
  Instruction instruction;
  instruction.opcode = Opcode::transpose;
  instruction.shape = Shape::array(from.type, std::move(dims));
  // The result keeps the operand's memory order: nothing moves, only the names of dimensions.
  std::vector<std::string> order;
  for (const int64_t d : layout_order(from)) order.push_back(std::to_string(inverse[static_cast<size_t>(d)]));
  instruction.shape.layout = join(order, ",");
  instruction.operands = {id};
  instruction.dimensions = std::move(permutation);
  return add(std::move(instruction));
}

InstructionId SpmdWriter::broadcast(InstructionId id, std::vector<int64_t> dims, std::vector<int64_t> map) {
  const InstructionId made = op(Opcode::broadcast, Shape::array(shape(id).type, std::move(dims)), {id});
  at(made).dimensions = std::move(map);
  return made;
}

InstructionId SpmdWriter::slice(InstructionId id, size_t dim, int64_t start, int64_t limit) {
  Shape to = shape(id);
  if (start == 0 && limit == to.dims[dim]) return id;
  Instruction instruction;
  instruction.opcode = Opcode::slice;
  instruction.operands = {id};
  for (size_t d = 0; d < to.rank(); ++d)
    instruction.slice.edit().push_back({d == dim ? start : 0, d == dim ? limit : to.dims[d], 1});
  to.dims[dim] = limit - start;
  instruction.shape = with_default_layout(std::move(to));
  return add(std::move(instruction));
}

InstructionId SpmdWriter::concatenate(std::vector<InstructionId> ids, size_t dim) {
  if (ids.size() == 1) return ids.front();
  Shape to = shape(ids.front());
  to.dims[dim] = 0;
  for (const InstructionId id : ids) to.dims[dim] += shape(id).dims[dim];
  const InstructionId made = op(Opcode::concatenate, std::move(to), std::move(ids));
  at(made).dimensions = {static_cast<int64_t>(dim)};
  return made;
}

InstructionId SpmdWriter::pad(InstructionId id, size_t dim, PadDim padding, InstructionId value) {
  if (padding == PadDim{}) return id;
  Shape to = shape(id);
  const int64_t rows = to.dims[dim];
  to.dims[dim] = padding.low + rows + std::max<int64_t>(0, rows - 1) * padding.interior + padding.high;
  Padding all{std::vector<PadDim>(to.rank())};
  all.dims[dim] = padding;
  const InstructionId made = op(Opcode::pad, std::move(to), {id, value});
  at(made).attributes = std::move(all);
  return made;
}

InstructionId SpmdWriter::dynamic_slice(InstructionId id, const std::vector<InstructionId>& starts,
                                        std::vector<int64_t> sizes) {
  std::vector<InstructionId> operands{id};
  operands.insert(operands.end(), starts.begin(), starts.end());
  const InstructionId made =
      op(Opcode::dynamic_slice, Shape::array(shape(id).type, sizes), std::move(operands));
  at(made).dynamic_slice_sizes = std::move(sizes);
  return made;
}

InstructionId SpmdWriter::compare(InstructionId a, InstructionId b, CompareDirection direction) {
  const InstructionId made = op(Opcode::compare, Shape::array(ElementType::pred, shape(a).dims), {a, b});
  at(made).attributes = direction;
  return made;
}

InstructionId SpmdWriter::table(const SpmdScope& scope, ElementType type,
                                const std::vector<int64_t>& values) {
  const auto n = static_cast<int64_t>(values.size());
  // Inside groups the table is still looked up by the place in the group.
  const InstructionId all = constant(type, literal_of(values), {n});
  return reshape(dynamic_slice(all, {scope.partition_id}, {1}), {});
}

InstructionId SpmdWriter::all_gather(InstructionId id, const SpmdScope& scope, const DeviceGroups& members,
                                     size_t dim) {
  Shape to = shape(id);
  to.dims[dim] *= members.size();
  const InstructionId made = op(Opcode::all_gather, std::move(to), {id});
  Instruction& i = at(made);
  i.channel_id = next_channel();
  i.replica_groups = replica_groups(scope, members);
  i.dimensions = {static_cast<int64_t>(dim)};
  i.verbatim.edit().insert(i.verbatim.begin(), {"use_global_device_ids", "true"});
  return made;
}

InstructionId SpmdWriter::all_reduce(InstructionId id, const SpmdScope& scope, const DeviceGroups& members,
                                     ComputationId to_apply) {
  const InstructionId made = op(Opcode::all_reduce, shape(id), {id});
  Instruction& i = at(made);
  i.channel_id = next_channel();
  i.replica_groups = replica_groups(scope, members);
  i.called = {{"to_apply", to_apply}};
  i.verbatim.edit().insert(i.verbatim.begin(), {"use_global_device_ids", "true"});
  return made;
}

InstructionId SpmdWriter::all_to_all(InstructionId id, const SpmdScope& scope, const DeviceGroups& members,
                                     size_t dim) {
  const InstructionId made = op(Opcode::all_to_all, shape(id), {id});
  Instruction& i = at(made);
  i.channel_id = next_channel();
  i.replica_groups = replica_groups(scope, members);
  i.dimensions = {static_cast<int64_t>(dim)};
  return made;
}

InstructionId SpmdWriter::rows_at(InstructionId id, const SpmdScope& scope, size_t dim,
                                  const std::vector<int64_t>& starts, int64_t size) {
  std::vector<int64_t> sizes = shape(id).dims;
  if (sizes[dim] == size) return id;
  sizes[dim] = size;
  std::vector<InstructionId> at(sizes.size(), zero(ElementType::s32));
  at[dim] = table(scope, ElementType::s32, starts);
  return dynamic_slice(id, at, std::move(sizes));
}

InstructionId SpmdWriter::permute(InstructionId id, const SpmdScope& scope,
                                  const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  std::vector<SourceTarget> global;
  for (const auto& outer : scope.groups.groups) {
    for (const auto& [from, to] : pairs)
      global.push_back(
          {DeviceId(outer[static_cast<size_t>(from)]), DeviceId(outer[static_cast<size_t>(to)])});
  }
  auto permutation = Permutation::make(std::move(global), whole().size());
  CHECK(permutation.ok());
  const InstructionId made = op(Opcode::collective_permute, shape(id), {id});
  at(made).channel_id = next_channel();
  at(made).permutation = std::make_shared<const Permutation>(*std::move(permutation));
  return made;
}

ComputationId SpmdPages::add_computation(Computation computation) {
  computations_.push_back(std::move(computation));
  return ComputationId(static_cast<int64_t>(computations_.size()) - 1);
}

ComputationId SpmdWriter::reducer(Opcode opcode, ElementType type) {
  const auto [place, is_new] = reducers_.try_emplace({opcode, type});
  if (!is_new) return place->second;
  Computation made;
  made.name = std::string(opcode_text(opcode)) + "." + name(type) + ".reducer";
  for (int64_t k = 0; k < 2; ++k) {
    Instruction parameter;
    parameter.opcode = Opcode::parameter;
    parameter.parameter_number = k;
    parameter.shape = Shape::scalar(type);
    made.instructions.push_back(std::move(parameter));
  }
  Instruction sum;
  sum.opcode = opcode;
  sum.shape = Shape::scalar(type);
  sum.operands = {InstructionId(0), InstructionId(1)};
  made.instructions.push_back(std::move(sum));
  made.root = InstructionId(2);
  place->second = add_computation(std::move(made));
  return place->second;
}

}  // namespace shardscope::inline partitioner
