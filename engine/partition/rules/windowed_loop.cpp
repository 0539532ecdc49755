// SPDX-License-Identifier: Apache-2.0
// The loop of a windowed einsum. A device at place p of the ring of n; in round j it multiplies
//   shards that pass by     plain: p + j       unrolled: p + 2j, p + 2j + 1     both ways: p + j, p - 1 - j
//   parts of a moving sum   plain: p + j + 1   unrolled: p + 2j + 2, p + 2j + 1
//                                              both ways: p + j + 1 + n/2, p - j + n/2
// so that a sum ends where it belongs, or (the second one of two) one place away.
#include <algorithm>
#include <functional>

#include "engine/partition/rules/dot_partitioner.h"

namespace shardscope {
namespace {

enum class Rounds { plain, unrolled, both_ways };

Rounds rounds_of(const PartitionOptions& options, int64_t devices) {
  if (options.bidirectional_windowed_einsum && devices % 4 == 0) return Rounds::both_ways;
  return options.unroll_windowed_einsum && devices % 2 == 0 ? Rounds::unrolled : Rounds::plain;
}

// Everybody's value goes `places` further along the ring that `order` names.
std::vector<std::pair<int64_t, int64_t>> along(const std::vector<int64_t>& order, int64_t places) {
  const auto n = static_cast<int64_t>(order.size());
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t i = 0; i < n; ++i)
    pairs.emplace_back(order[static_cast<size_t>(i)], order[static_cast<size_t>((i + places + n) % n)]);
  std::ranges::sort(pairs);
  return pairs;
}

Instruction calling(Opcode opcode, Shape shape, std::vector<InstructionId> operands,
                    std::vector<CalledComputation> called) {
  Instruction made;
  made.opcode = opcode;
  made.shape = std::move(shape);
  made.operands = std::move(operands);
  made.called = std::move(called);
  return made;
}

Instruction first_parameter(const Shape& shape) {
  Instruction parameter;
  parameter.opcode = Opcode::parameter;
  parameter.parameter_number = 0;
  parameter.shape = shape;
  return parameter;
}

InstructionId element_of(SpmdWriter& writer, InstructionId tuple, int64_t index) {
  const Shape shape = writer.shape(tuple).elements[static_cast<size_t>(index)];
  const InstructionId id = writer.op(Opcode::get_tuple_element, shape, {tuple});
  writer.at(id).shape = shape;
  writer.at(id).tuple_index = index;
  return id;
}

InstructionId number(SpmdWriter& writer, int64_t value) {
  return writer.constant(ElementType::u32, std::to_string(value));
}

InstructionId scalar(SpmdWriter& writer, Opcode opcode, InstructionId a, InstructionId b) {
  return writer.op(opcode, Shape::scalar(ElementType::u32), {a, b});
}

constexpr const char* kFrom = "shard i";
constexpr const char* kTo = "another device's";

// Passes a value on, except in the last round.
InstructionId passed_unless_last(SpmdWriter& writer, Resharder& resharder, InstructionId value,
                                 InstructionId more, const std::vector<int64_t>& order) {
  const Shape shape = writer.shape(value);
  const auto page_of = [&](const char* name, const std::function<InstructionId(InstructionId)>& root) {
    SpmdWriter::Page page = writer.open_page();
    Resharder inner = resharder.for_page();
    const InstructionId made = root(writer.add(first_parameter(shape)));
    inner.note(0, kFrom, kTo);
    const ComputationId id = writer.add_computation(writer.close_page(std::move(page), name, made));
    resharder.adopt(inner, id);
    return id;
  };
  const ComputationId pass = page_of("windowed_dot_general_pass", [&](InstructionId window) {
    return writer.permute(window, writer.whole(), along(order, -1));
  });
  const ComputationId keep = page_of("windowed_dot_general_keep", [&](InstructionId window) {
    return writer.op(Opcode::copy, shape, {window});
  });
  return writer.add(calling(Opcode::conditional, shape, {more, value, value},
                            {{"true_computation", pass}, {"false_computation", keep}}));
}

}  // namespace

Sharded DotPartitioner::window_loop(const Level& level, const Window& w) {
  const int64_t n = level.devices();
  const Rounds form = rounds_of(options_, n);
  const int64_t rounds = form == Rounds::plain ? n : n / 2;
  const bool left = w.side == kLhs,
             two_buffers = form == Rounds::both_ways || (form == Rounds::unrolled && w.scatters);
  const Sharded& moving = left ? level.lhs : level.rhs;
  const Sharded& staying = left ? level.rhs : level.lhs;
  const auto out_tile = tile_dims(level.out, level.base.dims);
  const Shape acc_shape = with_default_layout(Shape::array(level.base.type, out_tile));
  const Shape moving_shape = writer_.shape(moving.id);
  std::vector<int64_t> place(static_cast<size_t>(n));
  for (size_t i = 0; i < w.order.size(); ++i)
    place[static_cast<size_t>(w.order[i])] = static_cast<int64_t>(i);
  Resharder::Because because(
      resharder_,
      w.scatters
          ? std::string("dot, windowed einsum: partial sums pass by instead of being "
                        "added up at the end")
          : "dot, windowed einsum: shards of " + operand_name(w.side) + " pass by instead of being gathered",
      w.scatters ? std::string("result") : operand_name(w.side));

  // State: what stays, what goes round, the result, the second buffer if there is one, the round.
  const int64_t first = writer_.count();
  const InstructionId zeros = writer_.broadcast(writer_.zero(level.base.type), out_tile, {});
  std::vector<InstructionId> begin{staying.id, moving.id, zeros};
  if (two_buffers)
    begin.push_back(w.scatters ? zeros : writer_.permute(moving.id, writer_.whole(), along(w.order, 1)));
  resharder_.note(first, kFrom, kTo);
  begin.push_back(number(writer_, 0));
  std::vector<Shape> shapes;
  for (const InstructionId id : begin) shapes.push_back(writer_.shape(id));
  const Shape state = Shape::tuple(shapes);
  const auto last = static_cast<int64_t>(begin.size()) - 1;
  const InstructionId init = writer_.op(Opcode::tuple, state, begin);

  SpmdWriter::Page page = writer_.open_page();
  Resharder inner = resharder_.for_page();
  const InstructionId p = writer_.add(first_parameter(state));
  std::vector<InstructionId> now;
  for (int64_t k = 0; k <= last; ++k) now.push_back(element_of(writer_, p, k));
  const InstructionId stay = now[0], window = now[1], round = now[static_cast<size_t>(last)];
  const InstructionId own = writer_.table(writer_.whole(), ElementType::u32, place);
  const InstructionId next = scalar(writer_, Opcode::add, round, number(writer_, 1));
  const int64_t step = w.scatters ? out_tile[static_cast<size_t>(w.out_dim)] : moving_shape.dims[w.dim];
  // Where the part `plus + times * round` places behind this device begins.
  const auto offset_of = [&](int64_t plus, int64_t times) {
    InstructionId at = scalar(writer_, Opcode::add, own, number(writer_, (plus + n) % n));
    if (times > 1)
      at = scalar(writer_, Opcode::add, at, scalar(writer_, Opcode::multiply, round, number(writer_, times)));
    else if (times == 1)
      at = scalar(writer_, Opcode::add, at, round);
    else
      at = scalar(writer_, Opcode::subtract, scalar(writer_, Opcode::add, at, number(writer_, n)), round);
    at = scalar(writer_, Opcode::remainder, at, number(writer_, n));
    return scalar(writer_, Opcode::multiply, at, number(writer_, step));
  };
  const auto starts = [&](size_t rank, size_t dim, InstructionId offset) {
    std::vector<InstructionId> out;
    for (size_t d = 0; d < rank; ++d) out.push_back(d == dim ? offset : number(writer_, 0));
    return out;
  };
  const auto part_of = [&](InstructionId id, size_t dim, InstructionId offset) {
    std::vector<int64_t> sizes = writer_.shape(id).dims;
    sizes[dim] = step;
    return writer_.dynamic_slice(id, starts(sizes.size(), dim, offset), sizes);
  };
  const auto product = [&](InstructionId of_moving, InstructionId of_staying) {
    return left ? local_dot(level, of_moving, of_staying) : local_dot(level, of_staying, of_moving);
  };
  const auto passed = [&](InstructionId id, int64_t places) {
    return writer_.permute(id, writer_.whole(), along(w.order, places));
  };
  // The result with the shard that stands in `buffer`.
  const auto with_shard = [&](InstructionId acc, InstructionId buffer, InstructionId offset) {
    if (w.other_dim >= 0) {  // a contracted dimension: multiply the matching part and add
      const InstructionId piece = part_of(stay, static_cast<size_t>(w.other_dim), offset);
      return writer_.op(Opcode::add, acc_shape, {acc, product(buffer, piece)});
    }
    // a dimension of the result: put the product in its place
    std::vector<InstructionId> operands{acc, product(buffer, stay)};
    for (const InstructionId start : starts(acc_shape.rank(), static_cast<size_t>(w.out_dim), offset))
      operands.push_back(start);
    return writer_.op(Opcode::dynamic_update_slice, acc_shape, std::move(operands));
  };
  const auto with_part = [&](InstructionId sum, InstructionId offset) {
    return writer_.op(Opcode::add, acc_shape, {sum, product(part_of(window, w.dim, offset), stay)});
  };

  if (form == Rounds::plain) {
    now[2] = w.scatters ? with_part(now[2], offset_of(1, 1)) : with_shard(now[2], window, offset_of(0, 1));
    InstructionId& travels = now[w.scatters ? 2 : 1];
    const InstructionId more = writer_.compare(next, number(writer_, n), Comparison::lt);
    travels = passed_unless_last(writer_, inner, travels, more, w.order);
  } else if (w.scatters) {
    const bool both_ways = form == Rounds::both_ways;
    now[2] =
        with_part(passed(now[2], both_ways ? -1 : -2), both_ways ? offset_of(1 + n / 2, 1) : offset_of(2, 2));
    now[3] =
        with_part(passed(now[3], both_ways ? 1 : -2), both_ways ? offset_of(n / 2, -1) : offset_of(1, 2));
  } else if (form == Rounds::unrolled) {
    const InstructionId second = passed(window, -1);
    now[2] = with_shard(now[2], window, offset_of(0, 2));
    now[2] = with_shard(now[2], second, offset_of(1, 2));
    now[1] = passed(second, -1);
  } else {
    now[2] = with_shard(now[2], window, offset_of(0, 1));
    now[2] = with_shard(now[2], now[3], offset_of(-1, -1));
    now[1] = passed(window, -1);
    now[3] = passed(now[3], 1);
  }
  now.back() = next;
  inner.note(0, kFrom, kTo);
  const InstructionId result = writer_.op(Opcode::tuple, state, now);
  const ComputationId body = writer_.add_computation(writer_.close_page(
      std::move(page), w.scatters ? "windowed_dot_general_body_rs" : "windowed_dot_general_body_ag", result));
  resharder_.adopt(inner, body);

  page = writer_.open_page();
  const InstructionId q = writer_.add(first_parameter(state));
  const InstructionId goes_on =
      writer_.compare(element_of(writer_, q, last), number(writer_, rounds), Comparison::lt);
  const ComputationId condition =
      writer_.add_computation(writer_.close_page(std::move(page), "windowed_dot_general_cond", goes_on));
  const InstructionId loop =
      writer_.add(calling(Opcode::while_, state, {init}, {{"condition", condition}, {"body", body}}));
  InstructionId out = element_of(writer_, loop, 2);
  if (two_buffers && w.scatters) {
    const int64_t before = writer_.count();
    const InstructionId rest = passed(element_of(writer_, loop, 3), form == Rounds::both_ways ? 1 : -1);
    resharder_.note(before, kFrom, kTo);
    out = writer_.op(Opcode::add, acc_shape, {out, rest});
  }
  return {out, level.base, level.out};
}

}  // namespace shardscope
