// SPDX-License-Identifier: Apache-2.0
// Derivatives of gathers, scatters and sorts: elements go back to where they were found.
#include <algorithm>

#include "engine/grad/turn.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline grad {
namespace {

using Dims = std::vector<int64_t>;

// Where elements of `indices` name a start along which dimension of the operand, and the last start there.
struct StartRange {
  Dims dimensions;  // of the operand, by place in the index vector
  Dims last;
  int64_t vector_dim = 0;
};

std::string listed(const Dims& values) {
  std::string out;
  for (const int64_t v : values) out += (out.empty() ? "" : ", ") + std::to_string(v);
  return "{" + out + "}";
}

// The last starts as an array of the shape of the indices.
InstructionId last_starts(const GradTurn& t, const StartRange& range, const Shape& indices) {
  GradPage& page = t.page();
  const auto at = static_cast<size_t>(range.vector_dim);
  if (at >= indices.rank())
    return page.broadcast(page.literal(Shape::scalar(indices.type), std::to_string(range.last.front())),
                          indices.dims, {});
  const InstructionId ends =
      page.literal(Shape::array(indices.type, {std::ssize(range.last)}), listed(range.last));
  return page.broadcast(ends, indices.dims, {range.vector_dim});
}

Shape plain(const Shape& shape) {
  return Shape::array(shape.type, shape.dims);
}

// A gather takes starts beyond the array as the nearest that are not; a scatter leaves them out.
InstructionId clamped_starts(const GradTurn& t, const GatherDims& g) {
  GradPage& page = t.page();
  StartRange range{g.start_index_map, {}, g.index_vector_dim};
  for (const int64_t d : g.start_index_map)
    range.last.push_back(t.operand_dims(0)[static_cast<size_t>(d)] - g.slice_sizes[static_cast<size_t>(d)]);
  const Shape indices = plain(t.operand_shape(1));
  const InstructionId starts = t.operand(1), ends = last_starts(t, range, indices);
  return page.op(Opcode::clamp, indices, {page.zeros(indices), starts, ends});
}

ScatterDims scatter_like(const GatherDims& g) {
  return {g.offset_dims,           g.collapsed_slice_dims,        g.start_index_map,
          g.operand_batching_dims, g.start_indices_batching_dims, g.index_vector_dim};
}

// Of the slices that a scatter writes.
GatherDims gather_like(const GradTurn& t, const ScatterDims& s) {
  GatherDims out{s.update_window_dims,  s.inserted_window_dims,  s.to_operand_dims, {},
                 s.input_batching_dims, s.indices_batching_dims, s.index_vector_dim};
  const auto in = [](const Dims& list, int64_t d) { return std::ranges::find(list, d) != list.end(); };
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(t.operand_shape(0).rank()); ++d) {
    const bool single = in(s.inserted_window_dims, d) || in(s.input_batching_dims, d);
    out.slice_sizes.push_back(single ? 1
                                     : t.operand_dims(2)[static_cast<size_t>(s.update_window_dims[next++])]);
  }
  return out;
}

InstructionId gathered(const GradTurn& t, InstructionId from, InstructionId starts, const GatherDims& dims,
                       ElementType type) {
  const InstructionId made =
      t.page().op(Opcode::gather, Shape::array(type, t.operand_dims(2)), {from, starts});
  t.page().edit(made).attributes = dims;
  return made;
}

InstructionId scattered(const GradTurn& t, InstructionId into, InstructionId starts, InstructionId updates,
                        const ScatterDims& dims, ComputationId with) {
  const InstructionId made =
      t.page().op(Opcode::scatter, plain(t.page().shape(into)), {into, starts, updates});
  t.page().edit(made).attributes = dims;
  t.page().edit(made).called = {{"to_apply", with}};
  return made;
}

// Whether its computation gives the new value.
bool replaces(const GradTurn& t) {
  const Computation& with = called_by(t.sweep.program(), t.at(), "to_apply");
  return with.root_instruction().parameter_number == 1;
}

// Which updates the array has after a scatter: each writes its number, and looks whether it is still there.
InstructionId last_writers(const GradTurn& t, const ScatterDims& dims, const GatherDims& back) {
  GradPage& page = t.page();
  int64_t count = 1;
  for (const int64_t size : t.operand_dims(2)) count *= size;
  const Shape flat = Shape::array(ElementType::s32, {count});
  const InstructionId ids =
      page.reshape(page.op(Opcode::add, {page.iota(flat, 0), page.constant(flat, 1)}), t.operand_dims(2));
  GradPage writes(page.module(), "replace");
  writes.parameter(0, Shape::scalar(ElementType::s32), "old");
  const InstructionId given = writes.parameter(1, Shape::scalar(ElementType::s32), "new");
  const ComputationId replace = page.module().add(std::move(writes).finish(given));
  const InstructionId none = page.zeros(Shape::array(ElementType::s32, t.operand_dims(0)));
  const InstructionId written = scattered(t, none, t.operand(1), ids, dims, replace);
  return page.compare(gathered(t, written, t.operand(1), back, ElementType::s32), ids, CompareDirection::eq);
}

// Which updates are written at all.
InstructionId within(const GradTurn& t, const ScatterDims& s, const GatherDims& back) {
  GradPage& page = t.page();
  StartRange range{s.to_operand_dims, {}, s.index_vector_dim};
  for (const int64_t d : s.to_operand_dims)
    range.last.push_back(t.operand_dims(0)[static_cast<size_t>(d)] -
                         back.slice_sizes[static_cast<size_t>(d)]);
  const Shape indices = plain(t.operand_shape(1)), which = Shape::array(ElementType::pred, indices.dims);
  const InstructionId starts = t.operand(1), ends = last_starts(t, range, indices);
  InstructionId fits = page.op(Opcode::and_, which,
                               {page.compare(starts, page.zeros(indices), CompareDirection::ge),
                                page.compare(starts, ends, CompareDirection::le)});
  if (s.index_vector_dim < static_cast<int64_t>(indices.rank()) && s.index_vector_dim >= 0)
    fits = page.reduce(Opcode::and_, fits, {s.index_vector_dim});
  Dims around;
  for (int64_t d = 0; d < static_cast<int64_t>(t.operand_shape(2).rank()); ++d)
    if (std::ranges::count(s.update_window_dims, d) == 0) around.push_back(d);
  return page.broadcast(fits, t.operand_dims(2), around);
}

// Of a scatter that keeps the largest or the smallest: to all that are it, in equal shares.
void give_kept(const GradTurn& t, const ScatterDims& dims, const GatherDims& back) {
  GradPage& page = t.page();
  const Shape from = plain(t.operand_shape(0)), update = plain(t.operand_shape(2));
  const InstructionId counts = within(t, dims, back);
  const InstructionId kept = gathered(t, t.result(), t.operand(1), back, update.type);
  const InstructionId is =
      page.convert(page.op(Opcode::and_, Shape::array(ElementType::pred, update.dims),
                           {counts, page.compare(t.operand(2), kept, CompareDirection::eq)}),
                   update.type);
  const InstructionId stays =
      page.convert(page.compare(t.operand(0), t.result(), CompareDirection::eq), from.type);
  const ComputationId add = page.module().reducer(Opcode::add, from.type);
  const InstructionId among = scattered(t, stays, t.operand(1), is, dims, add);
  const InstructionId share = page.op(Opcode::divide, {t.bar(), among});
  t.give(0, page.op(Opcode::multiply, {share, stays}));
  if (t.wants(2))
    t.give(2, page.op(Opcode::multiply, {gathered(t, share, t.operand(1), back, update.type), is}));
}

// The comparison of a sort of the arrays before, with a pair more that it does not look at.
ComputationId with_places(const GradTurn& t, const Shape& place) {
  GradModule& module = t.page().module();
  Computation order = called_by(t.sweep.program(), t.at(), "to_apply");
  order.name = module.fresh_computation_name(order.name + ".places");
  for (Instruction& i : order.instructions) i.name = module.fresh_name(i.name);
  for (int64_t k = 0; k < 2; ++k) {
    Instruction extra;
    extra.name = module.fresh_name("place");
    extra.opcode = Opcode::parameter;
    extra.parameter_number = 2 * static_cast<int64_t>(t.operand_count()) + k;
    extra.shape = Shape::scalar(place.type);
    order.instructions.push_back(std::move(extra));
  }
  for (Instruction& i : order.instructions)
    i.called.change([&](std::vector<CalledComputation>& called) {
      for (CalledComputation& c : called) c.computation = module.copied(c.computation);
    });
  return module.add(std::move(order));
}

ComputationId ascending(const GradTurn& t, ElementType type) {
  GradPage page(t.page().module(), "ascending");
  const InstructionId a = page.parameter(0, Shape::scalar(ElementType::s32), "a");
  const InstructionId b = page.parameter(1, Shape::scalar(ElementType::s32), "b");
  page.parameter(2, Shape::scalar(type), "x");
  page.parameter(3, Shape::scalar(type), "y");
  const InstructionId root = page.compare(a, b, CompareDirection::lt);
  return t.page().module().add(std::move(page).finish(root));
}

InstructionId sorted(const GradTurn& t, const std::vector<InstructionId>& arrays, int64_t dimension,
                     ComputationId order) {
  GradPage& page = t.page();
  std::vector<Shape> shapes;
  for (const InstructionId id : arrays) shapes.push_back(plain(page.shape(id)));
  const InstructionId made = page.op(Opcode::sort, Shape::tuple(shapes), arrays);
  page.edit(made).dimensions = {dimension};
  page.edit(made).called = {{"to_apply", order}};
  page.edit(made).verbatim.edit().push_back({"is_stable", "true"});
  return made;
}

// Which dimension is that of the values of a topk, and where they were.
Result<void> give_places(const GradTurn& t, InstructionId places) {
  GradPage& page = t.page();
  const Shape from = plain(t.operand_shape(0));
  const auto rank = from.rank();
  const InstructionId bar = t.bar();
  Dims with = page.dims(bar);
  const int64_t picked = with.back();
  with.insert(with.end() - 1, from.dims.back());
  // [..., n, k]: whether place n of the row is its k-th value's.
  Dims rows = iota_dims(rank);
  rows.back() = static_cast<int64_t>(rank);
  const ElementType index = page.type(places);
  const InstructionId is = page.compare(page.iota(Shape::array(index, with), static_cast<int64_t>(rank) - 1),
                                        page.broadcast(places, with, rows), CompareDirection::eq);
  const InstructionId each =
      page.select(is, page.broadcast(bar, with, rows), page.zeros(Shape::array(from.type, with)));
  t.give(0, picked == 0 ? page.zeros(from) : page.reduce(Opcode::add, each, {static_cast<int64_t>(rank)}));
  return {};
}

}  // namespace

Result<void> grad_gather(const GradTurn& t) {
  TRY(const GatherDims dims, gather_dims(t.sweep.from(), t.at()));
  const ComputationId add = t.page().module().reducer(Opcode::add, t.at().shape.type);
  t.give(0, scattered(t, t.page().zeros(plain(t.operand_shape(0))), clamped_starts(t, dims), t.bar(),
                      scatter_like(dims), add));
  return {};
}

Result<void> grad_scatter(const GradTurn& t) {
  if (t.operand_count() != 3) return t.error("only scatters into one array have one");
  GradPage& page = t.page();
  TRY(const ScatterDims dims, scatter_dims(t.sweep.from(), t.at()));
  const GatherDims back = gather_like(t, dims);
  const Opcode reducer = reducer_opcode(t.sweep.program(), t.at());
  const bool adds = reducer == Opcode::add;
  if (has(reducer, Trait::extreme)) {
    give_kept(t, dims, back);
    return {};
  }
  if (!adds && !replaces(t))
    return t.error("only scatters that add, replace or keep the largest or the smallest have one");
  const Shape update = plain(t.operand_shape(2));
  if (t.wants(2)) {
    const InstructionId counts = adds ? within(t, dims, back) : last_writers(t, dims, back);
    const InstructionId bar = gathered(t, t.bar(), t.operand(1), back, update.type);
    t.give(2, page.select(counts, bar, page.zeros(update)));
  }
  if (!t.wants(0)) return {};
  t.give(0, adds ? t.bar()
                 : scattered(t, t.bar(), t.operand(1), page.zeros(update), dims,
                             page.module().copied(t.at().called->front().computation)));
  return {};
}

Result<void> grad_sort(const GradTurn& t) {
  GradPage& page = t.page();
  const int64_t along = t.at().dimensions->front();
  const Shape place = Shape::array(ElementType::s32, t.operand_dims(0));
  std::vector<InstructionId> arrays;
  for (size_t k = 0; k < t.operand_count(); ++k) arrays.push_back(t.operand(k));
  arrays.push_back(page.iota(place, along));
  const InstructionId again = sorted(t, arrays, along, with_places(t, place));
  const InstructionId places = page.element(again, static_cast<int64_t>(t.operand_count()));
  for (size_t k = 0; k < t.operand_count(); ++k) {
    const InstructionId bar = t.bar(k);
    if (!bar.valid() || !t.wants(k)) continue;
    const InstructionId back = sorted(t, {places, bar}, along, ascending(t, page.type(bar)));
    t.give(k, page.element(back, 1));
  }
  return {};
}

Result<void> grad_top_k(const GradTurn& t) {
  if (!t.bar().valid()) return {};
  return give_places(t, t.page().element(t.result(), 1));
}

}  // namespace shardscope::inline grad
