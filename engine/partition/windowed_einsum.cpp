// SPDX-License-Identifier: Apache-2.0
// S. Wang et al., "Overlap communication with dependent computation via decomposition in large deep learning
// models", ASPLOS 2023, as XLA's partitioner does it: instead of gathering an operand (or scattering a sum) a
// loop passes its shards round the devices and multiplies each as it comes by.
#include <algorithm>

#include "engine/partition/dot_partitioner.h"

namespace shardscope {
namespace {

constexpr int64_t kMaxIterations = 32;

// Everybody's value goes to the device before it along the ring that `order` names.
std::vector<std::pair<int64_t, int64_t>> backwards(const std::vector<int64_t>& order) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < order.size(); ++i)
    pairs.emplace_back(order[i], order[(i + order.size() - 1) % order.size()]);
  std::ranges::sort(pairs);
  return pairs;
}

Instruction called_once(Opcode opcode, Shape shape, std::vector<InstructionId> operands,
                        std::vector<CalledComputation> called) {
  Instruction made;
  made.opcode = opcode;
  made.shape = std::move(shape);
  made.operands = std::move(operands);
  made.called = std::move(called);
  return made;
}

}  // namespace

// What the loop does with the part that is at hand.
struct DotPartitioner::Window {
  // The operand whose shards go round. When the sum goes round instead (`scatters`): the one that is
  // multiplied in parts.
  Side side = kRhs;
  size_t dim = 0;          // its dimension that is cut into parts
  int64_t other_dim = -1;  // the same axis in the other operand,
  int64_t out_dim = -1;    // and in the result
  bool scatters = false;
  std::vector<int64_t> order;  // the ring
};

// The axis along which all devices cut `side`, if it is one.
std::optional<DotPartitioner::Window> DotPartitioner::find_window(const Level& level, Side side) const {
  const int64_t n = level.devices();
  const Sharded& moving = side == kLhs ? level.lhs : level.rhs;
  const Sharded& staying = side == kLhs ? level.rhs : level.lhs;
  const auto which = side == kLhs ? &DotAxis::lhs : &DotAxis::rhs,
             other = side == kLhs ? &DotAxis::rhs : &DotAxis::lhs;
  Window w;
  w.side = side;
  w.order = moving.tiling.order;
  if (moving.tiling.tiles() != n || n < 2 || n > kMaxIterations) return std::nullopt;
  for (const auto* axes : {&axes_.contracting, side == kLhs ? &axes_.lhs_free : &axes_.rhs_free}) {
    for (const DotAxis& axis : *axes) {
      const auto d = static_cast<size_t>(axis.*which);
      if (moving.tiling.counts[d] != n || moving.base.dims[d] % n != 0) continue;
      w.dim = d;
      w.other_dim = axis.*other;
      w.out_dim = axis.out;
      const bool mib =
          windowed_mib_ && static_cast<double>(moving.base.bytes()) >= *windowed_mib_ * 1048576.0;
      const bool whole_there = staying.tiling.tiles() == n && level.out.tiles() == n;
      if (mib && whole_there) return w;
    }
  }
  return std::nullopt;
}

// The other operand is cut like the result along its own dimension: only `side` would have to be gathered.
DotPartitioner::Attempt DotPartitioner::windowed_case(const Level& level, Side side) {
  if (!windowed_mib_ || level.scope.groups.count() != 1) return std::nullopt;
  const auto found = find_window(level, side);
  if (!found) return std::nullopt;
  const bool left = side == kLhs;
  const auto& free = left ? axes_.rhs_free : axes_.lhs_free;
  const Sharded& staying = left ? level.rhs : level.lhs;
  for (const DotAxis& axis : free) {
    const auto d = static_cast<size_t>(left ? axis.rhs : axis.lhs);
    const auto o = static_cast<size_t>(axis.out);
    if (staying.tiling.counts[d] != level.devices() || level.out.counts[o] != level.devices()) continue;
    const auto a = staying.tiling.coordinates(), b = level.out.coordinates();
    bool same = true;
    for (size_t device = 0; device < a.size(); ++device) same = same && a[device][d] == b[device][o];
    if (same) return window_loop(level, *found);
  }
  return std::nullopt;
}

// Both operands are cut along the contraction and the result along one operand's own axis: a sum that every
// device would have a part of.
DotPartitioner::Attempt DotPartitioner::windowed_sum_case(const Level& level) {
  const int64_t n = level.devices();
  const auto on_lhs = dims(axes_.contracting, &DotAxis::lhs), on_rhs = dims(axes_.contracting, &DotAxis::rhs);
  if (!windowed_mib_ || level.scope.groups.count() != 1 || n < 2 || n > kMaxIterations) return std::nullopt;
  if (static_cast<double>(level.base.bytes()) < *windowed_mib_ * 1048576.0) return std::nullopt;
  if (level.lhs.tiling.count_of(on_lhs) != n || level.rhs.tiling.count_of(on_rhs) != n) return std::nullopt;
  const auto a = level.lhs.tiling.coordinates(), b = level.rhs.tiling.coordinates();
  for (const DotAxis& axis : axes_.contracting) {
    const auto l = static_cast<size_t>(axis.lhs), r = static_cast<size_t>(axis.rhs);
    if (level.lhs.base.dims[l] % level.lhs.tiling.counts[l] != 0) return std::nullopt;
    for (size_t device = 0; device < a.size(); ++device)
      if (a[device][l] != b[device][r]) return std::nullopt;
  }
  for (const Side side : {kLhs, kRhs}) {
    for (const DotAxis& axis : side == kLhs ? axes_.lhs_free : axes_.rhs_free) {
      const auto o = static_cast<size_t>(axis.out);
      if (level.out.counts[o] != n || level.base.dims[o] % n != 0) continue;
      Window w;
      w.side = side;
      w.dim = static_cast<size_t>(side == kLhs ? axis.lhs : axis.rhs);
      w.out_dim = axis.out;
      w.scatters = true;
      w.order = level.out.order;
      return window_loop(level, w);
    }
  }
  return std::nullopt;
}

Sharded DotPartitioner::window_loop(const Level& level, const Window& w) {
  const int64_t n = level.devices();
  const bool left = w.side == kLhs;
  const Sharded& moving = left ? level.lhs : level.rhs;
  const Sharded& staying = left ? level.rhs : level.lhs;
  const auto out_tile = tile_dims(level.out, level.base.dims);
  const Shape acc_shape = with_default_layout(Shape::array(level.base.type, out_tile));
  const Shape moving_shape = writer_.shape(moving.id), staying_shape = writer_.shape(staying.id);
  const Shape count_shape = Shape::scalar(ElementType::u32);
  const Shape state = Shape::tuple({staying_shape, moving_shape, acc_shape, count_shape});
  std::vector<int64_t> place(static_cast<size_t>(n));
  for (size_t i = 0; i < w.order.size(); ++i)
    place[static_cast<size_t>(w.order[i])] = static_cast<int64_t>(i);

  const InstructionId zeros = writer_.broadcast(writer_.zero(level.base.type), out_tile, {});
  const InstructionId begin = writer_.zero(ElementType::u32);
  const InstructionId init = writer_.op(Opcode::tuple, state, {staying.id, moving.id, zeros, begin});

  const Shape travelling = w.scatters ? acc_shape : moving_shape;
  Resharder::Because because(
      resharder_,
      w.scatters
          ? std::string("dot, windowed einsum: partial sums pass by instead of being "
                        "added up at the end")
          : "dot, windowed einsum: shards of " + operand_name(w.side) + " pass by instead of being gathered",
      w.scatters ? std::string("result") : operand_name(w.side));
  Resharder inner = resharder_.for_page();
  // Passing on, except in the last round.
  const auto one_parameter = [&](const char* name, const std::function<InstructionId(InstructionId)>& rest) {
    SpmdWriter::Page page = writer_.open_page();
    Instruction parameter;
    parameter.opcode = Opcode::parameter;
    parameter.parameter_number = 0;
    parameter.shape = travelling;
    const InstructionId root = rest(writer_.add(std::move(parameter)));
    inner.note(0, "shard i", "shard i + 1");
    return writer_.add_computation(writer_.close_page(std::move(page), name, root));
  };
  const ComputationId pass = one_parameter("windowed_dot_general_pass", [&](InstructionId window) {
    return writer_.permute(window, writer_.whole(), backwards(w.order));
  });
  resharder_.adopt(inner, pass);
  const ComputationId keep = one_parameter("windowed_dot_general_keep", [&](InstructionId window) {
    return writer_.op(Opcode::copy, writer_.shape(window), {window});
  });

  SpmdWriter::Page page = writer_.open_page();
  const auto part = [&](InstructionId tuple, int64_t index, const Shape& shape) {
    const InstructionId id = writer_.op(Opcode::get_tuple_element, shape, {tuple});
    writer_.at(id).shape = shape;
    writer_.at(id).tuple_index = index;
    return id;
  };
  const auto state_parameter = [&]() {
    Instruction parameter;
    parameter.opcode = Opcode::parameter;
    parameter.parameter_number = 0;
    parameter.shape = state;
    return writer_.add(std::move(parameter));
  };
  const InstructionId p = state_parameter();
  const InstructionId stay = part(p, 0, staying_shape), window = part(p, 1, moving_shape);
  InstructionId acc = part(p, 2, acc_shape);
  const InstructionId round = part(p, 3, count_shape);
  const auto number = [&](int64_t value) {
    return writer_.constant(ElementType::u32, std::to_string(value));
  };
  const auto scalar = [&](Opcode opcode, InstructionId a, InstructionId b) {
    return writer_.op(opcode, count_shape, {a, b});
  };
  // In round i a device has the shard of the i-th device behind it on the ring; of a sum that goes round it
  // adds to that of the device one further, so that its own comes last.
  const InstructionId own = writer_.table(writer_.whole(), ElementType::u32, place);
  const InstructionId behind = w.scatters ? scalar(Opcode::add, round, number(1)) : round;
  const InstructionId at = scalar(Opcode::remainder, scalar(Opcode::add, own, behind), number(n));
  const int64_t step = w.scatters ? out_tile[static_cast<size_t>(w.out_dim)] : moving_shape.dims[w.dim];
  const InstructionId offset = scalar(Opcode::multiply, at, number(step));
  const auto starts = [&](size_t rank, size_t dim) {
    std::vector<InstructionId> out;
    for (size_t d = 0; d < rank; ++d) out.push_back(d == dim ? offset : number(0));
    return out;
  };
  const auto part_of = [&](InstructionId id, size_t dim) {
    std::vector<int64_t> sizes = writer_.shape(id).dims;
    sizes[dim] = step;
    return writer_.dynamic_slice(id, starts(sizes.size(), dim), sizes);
  };
  const auto product = [&](InstructionId of_moving, InstructionId of_staying) {
    return left ? local_dot(level, of_moving, of_staying) : local_dot(level, of_staying, of_moving);
  };
  if (w.scatters) {
    acc = writer_.op(Opcode::add, acc_shape, {acc, product(part_of(window, w.dim), stay)});
  } else if (w.other_dim >= 0) {  // a contracted dimension: multiply the matching part and add
    const InstructionId piece = part_of(stay, static_cast<size_t>(w.other_dim));
    acc = writer_.op(Opcode::add, acc_shape, {acc, product(window, piece)});
  } else {  // a dimension of the result: put the product in its place
    std::vector<InstructionId> operands{acc, product(window, stay)};
    for (const InstructionId start : starts(acc_shape.rank(), static_cast<size_t>(w.out_dim)))
      operands.push_back(start);
    acc = writer_.op(Opcode::dynamic_update_slice, acc_shape, std::move(operands));
  }
  const InstructionId next = scalar(Opcode::add, round, number(1));
  const InstructionId more = writer_.compare(next, number(n), "LT");
  const InstructionId travels = w.scatters ? acc : window;
  const InstructionId passed =
      writer_.add(called_once(Opcode::conditional, travelling, {more, travels, travels},
                              {{"true_computation", pass}, {"false_computation", keep}}));
  const InstructionId result =
      writer_.op(Opcode::tuple, state, {stay, w.scatters ? window : passed, w.scatters ? passed : acc, next});
  const ComputationId body = writer_.add_computation(writer_.close_page(
      std::move(page), w.scatters ? "windowed_dot_general_body_rs" : "windowed_dot_general_body_ag", result));

  page = writer_.open_page();
  const InstructionId q = state_parameter();
  const InstructionId goes_on = writer_.compare(part(q, 3, count_shape), number(n), "LT");
  const ComputationId condition =
      writer_.add_computation(writer_.close_page(std::move(page), "windowed_dot_general_cond", goes_on));

  const InstructionId loop =
      writer_.add(called_once(Opcode::while_, state, {init}, {{"condition", condition}, {"body", body}}));
  return {part(loop, 2, acc_shape), level.base, level.out};
}

}  // namespace shardscope
