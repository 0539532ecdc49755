// SPDX-License-Identifier: Apache-2.0
// Derivatives of collectives: what a device sent, its receivers' cotangents come back to.
#include <algorithm>

#include "engine/grad/turn.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope::inline grad {
namespace {

// The k-th array of a collective of one or several.
struct Piece {
  const GradTurn& t;
  size_t k;
  InstructionId bar() const { return t.bar(k); }
  InstructionId operand() const { return t.operand(k); }
  InstructionId result() const {
    const InstructionId whole = t.result();
    return t.at().shape.is_tuple ? t.page().element(whole, static_cast<int64_t>(k)) : whole;
  }
  Shape operand_shape() const { return Shape::array(t.operand_shape(k).type, t.operand_dims(k)); }
};

template <class Rule>
Result<void> each(const GradTurn& t, Rule rule) {
  for (size_t k = 0; k < t.operand_count(); ++k)
    if (t.wants(k) && t.bar(k).valid()) t.give(k, rule(Piece{t, k}));
  return {};
}

// A collective over the same devices as `like`.
InstructionId over_same(const GradTurn& t, Opcode opcode, Shape shape, InstructionId of) {
  GradPage& page = t.page();
  const InstructionId made = page.op(opcode, std::move(shape), {of});
  Instruction& i = page.edit(made);
  i.replica_groups = t.at().replica_groups;
  i.dimensions = t.at().dimensions;
  if (t.at().channel_id) i.channel_id = page.module().next_channel();
  for (const VerbatimAttribute& a : *t.at().verbatim)
    if (std::string_view(a.key) == "use_global_device_ids") i.verbatim.edit().push_back(a);
  return made;
}

InstructionId summing(const GradTurn& t, Opcode opcode, Shape shape, InstructionId of) {
  const ComputationId add = t.page().module().reducer(Opcode::add, shape.type);
  const InstructionId made = over_same(t, opcode, std::move(shape), of);
  t.page().edit(made).called = {{"to_apply", add}};
  if (opcode != Opcode::reduce_scatter) t.page().edit(made).dimensions = {};
  return made;
}

InstructionId permuted(const GradTurn& t, InstructionId bar, std::shared_ptr<const Permutation> permutation) {
  const InstructionId made = over_same(t, Opcode::collective_permute, t.page().shape(bar), bar);
  t.page().edit(made).dimensions = {};
  t.page().edit(made).permutation = std::move(permutation);
  return made;
}

}  // namespace

Result<void> grad_all_reduce(const GradTurn& t) {
  const Opcode reducer = reducer_opcode(t.sweep.program(), t.at());
  if (reducer == Opcode::add)
    return each(t,
                [&](const Piece& p) { return summing(t, Opcode::all_reduce, p.operand_shape(), p.bar()); });
  if (!has(reducer, Trait::extreme)) return t.error("only sums, maxima and minima over devices have one");
  return each(t, [&](const Piece& p) {
    GradPage& page = t.page();
    const Shape shape = p.operand_shape();
    const InstructionId is =
        page.convert(page.compare(p.operand(), p.result(), CompareDirection::eq), shape.type);
    const InstructionId count = summing(t, Opcode::all_reduce, shape, is);
    const InstructionId all = summing(t, Opcode::all_reduce, shape, p.bar());
    return page.op(Opcode::multiply, {page.op(Opcode::divide, {all, count}), is});
  });
}

Result<void> grad_all_gather(const GradTurn& t) {
  return each(t,
              [&](const Piece& p) { return summing(t, Opcode::reduce_scatter, p.operand_shape(), p.bar()); });
}

Result<void> grad_reduce_scatter(const GradTurn& t) {
  if (reducer_opcode(t.sweep.program(), t.at()) != Opcode::add)
    return t.error("only sums over devices have one");
  return each(t,
              [&](const Piece& p) { return over_same(t, Opcode::all_gather, p.operand_shape(), p.bar()); });
}

// An exchange along a dimension is its own inverse; so is one of an array for each device.
Result<void> grad_all_to_all(const GradTurn& t) {
  if (!t.at().dimensions->empty())
    return each(t,
                [&](const Piece& p) { return over_same(t, Opcode::all_to_all, p.operand_shape(), p.bar()); });
  GradPage& page = t.page();
  std::vector<InstructionId> bars;
  for (size_t k = 0; k < t.operand_count(); ++k)
    bars.push_back(t.bar(k).valid() ? t.bar(k)
                                    : page.zeros(Shape::array(t.operand_shape(k).type, t.operand_dims(k))));
  const InstructionId back = over_same(t, Opcode::all_to_all, t.at().shape, bars.front());
  page.edit(back).operands = bars;
  for (size_t k = 0; k < t.operand_count(); ++k)
    if (t.wants(k)) t.give(k, page.element(back, static_cast<int64_t>(k)));
  return {};
}

Result<void> grad_permute(const GradTurn& t) {
  std::vector<SourceTarget> pairs;
  for (const auto& [source, target] : t.at().permutation->pairs()) pairs.push_back({target, source});
  TRY(Permutation back, Permutation::make(std::move(pairs), t.sweep.program().mesh.device_count()));
  const auto shared = std::make_shared<const Permutation>(std::move(back));
  return each(t, [&](const Piece& p) { return permuted(t, p.bar(), shared); });
}

// All that was received goes back to the first of its group.
Result<void> grad_collective_broadcast(const GradTurn& t) {
  GradPage& page = t.page();
  std::vector<int64_t> sends(static_cast<size_t>(t.sweep.program().mesh.device_count()));
  for (const auto& group : device_groups(t.sweep.program(), t.at()))
    sends[static_cast<size_t>(group.front().value)] = 1;
  std::string table;
  for (const int64_t s : sends) table += (table.empty() ? "" : ", ") + std::string(s != 0 ? "true" : "false");
  const InstructionId number = page.op(Opcode::partition_id, Shape::scalar(ElementType::u32), {});
  const InstructionId all =
      page.literal(Shape::array(ElementType::pred, {std::ssize(sends)}), "{" + table + "}");
  const InstructionId own = page.reshape(page.dynamic_slice(all, {number}, {1}), {});
  return each(t, [&](const Piece& p) {
    const InstructionId sum = summing(t, Opcode::all_reduce, p.operand_shape(), p.bar());
    return page.select(page.broadcast(own, page.dims(sum), {}), sum, page.zeros(page.shape(sum)));
  });
}

}  // namespace shardscope::inline grad
