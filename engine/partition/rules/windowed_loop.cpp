// SPDX-License-Identifier: Apache-2.0
// The loop of a windowed einsum. A device at place p of the ring of n; in round j it multiplies
//   shards that pass by     plain: p + j       unrolled: p + 2j, p + 2j + 1     both ways: p + j, p - 1 - j
//   parts of a moving sum   plain: p + j + 1   unrolled: p + 2j + 2, p + 2j + 1
//                                              both ways: p + j + 1 + n/2, p - j + n/2
// so that a sum ends where it belongs, or (the second one of two) one place away.
#include <algorithm>
#include <functional>

#include "engine/partition/rules/windowed_einsum.h"

namespace shardscope::inline partitioner {
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

// A loop being written. Its state: what stays, what goes round, the result, the second buffer if there is
// one, the round.
class WindowLoop {
 public:
  WindowLoop(const DotContext& cx, const DotLevel& level, const EinsumWindow& w)
      : cx_(cx),
        writer_(cx.writer),
        level_(level),
        w_(w),
        n_(level.devices()),
        form_(rounds_of(cx.options, n_)),
        two_buffers_(form_ == Rounds::both_ways || (form_ == Rounds::unrolled && w.scatters)) {
    const auto out_tile = tile_dims(level.out, level.base.dims);
    acc_shape_ = with_default_layout(Shape::array(level.base.type, out_tile));
    const Shape& moving = writer_.shape(level.operand(w.side).id);
    step_ = w.scatters ? out_tile[static_cast<size_t>(w.out_dim)] : moving.dims[w.dim];
  }

  Sharded write() {
    const std::string moving = name(w_.side);
    Resharder::Because because(
        cx_.resharder,
        w_.scatters ? "dot, windowed einsum: partial sums pass by instead of being added up at the end"
                    : "dot, windowed einsum: shards of " + moving + " pass by instead of being gathered",
        w_.scatters ? "result" : moving);
    const std::vector<InstructionId> begin = start();
    std::vector<Shape> shapes;
    for (const InstructionId id : begin) shapes.push_back(writer_.shape(id));
    const Shape state = Shape::tuple(std::move(shapes));
    const InstructionId init = writer_.op(Opcode::tuple, state, begin);
    const ComputationId of_body = body(state), of_condition = condition(state);
    const InstructionId loop =
        writer_.add(calling(Opcode::while_, state, {init}, {{"condition", of_condition}, {"body", of_body}}));
    InstructionId out = element_of(writer_, loop, 2);
    if (two_buffers_ && w_.scatters) {
      const int64_t before = writer_.count();
      const InstructionId rest = passed(element_of(writer_, loop, 3), form_ == Rounds::both_ways ? 1 : -1);
      cx_.resharder.note(before, kFrom, kTo);
      out = writer_.op(Opcode::add, acc_shape_, {out, rest});
    }
    return {out, level_.base, level_.out};
  }

 private:
  std::vector<InstructionId> start() {
    const int64_t first = writer_.count();
    const InstructionId stays = level_.operand(opposite(w_.side)).id, moves = level_.operand(w_.side).id;
    const InstructionId zeros = writer_.broadcast(writer_.zero(level_.base.type), acc_shape_.dims, {});
    std::vector<InstructionId> begin{stays, moves, zeros};
    if (two_buffers_) begin.push_back(w_.scatters ? zeros : passed(moves, 1));
    cx_.resharder.note(first, kFrom, kTo);
    begin.push_back(number(writer_, 0));
    return begin;
  }

  ComputationId body(const Shape& state) {
    SpmdWriter::Page page = writer_.open_page();
    Resharder inner = cx_.resharder.for_page();
    const InstructionId p = writer_.add(first_parameter(state));
    std::vector<InstructionId> now;
    for (size_t k = 0; k < state.elements.size(); ++k)
      now.push_back(element_of(writer_, p, static_cast<int64_t>(k)));
    stay_ = now[0];
    window_ = now[1];
    round_ = now.back();
    std::vector<int64_t> place(static_cast<size_t>(n_));
    for (size_t i = 0; i < w_.order.size(); ++i)
      place[static_cast<size_t>(w_.order[i])] = static_cast<int64_t>(i);
    own_ = writer_.table(writer_.whole(), ElementType::u32, place);
    const InstructionId next = scalar(writer_, Opcode::add, round_, number(writer_, 1));
    if (form_ == Rounds::plain)
      plain_round(now, inner, next);
    else if (w_.scatters)
      round_of_sums(now);
    else if (form_ == Rounds::unrolled)
      unrolled_round(now);
    else
      round_both_ways(now);
    now.back() = next;
    inner.note(0, kFrom, kTo);
    const InstructionId result = writer_.op(Opcode::tuple, state, now);
    const ComputationId made = writer_.add_computation(writer_.close_page(
        std::move(page), w_.scatters ? "windowed_dot_general_body_rs" : "windowed_dot_general_body_ag",
        result));
    cx_.resharder.adopt(inner, made);
    return made;
  }

  ComputationId condition(const Shape& state) {
    SpmdWriter::Page page = writer_.open_page();
    const InstructionId p = writer_.add(first_parameter(state));
    const InstructionId rounds = number(writer_, form_ == Rounds::plain ? n_ : n_ / 2);
    const InstructionId round = element_of(writer_, p, static_cast<int64_t>(state.elements.size()) - 1);
    const InstructionId goes_on = writer_.compare(round, rounds, CompareDirection::lt);
    return writer_.add_computation(writer_.close_page(std::move(page), "windowed_dot_general_cond", goes_on));
  }

  void plain_round(std::vector<InstructionId>& now, Resharder& inner, InstructionId next) {
    now[2] = w_.scatters ? with_part(now[2], offset_of(1, 1)) : with_shard(now[2], window_, offset_of(0, 1));
    InstructionId& travels = now[w_.scatters ? 2 : 1];
    const InstructionId more = writer_.compare(next, number(writer_, n_), CompareDirection::lt);
    travels = passed_unless_last(writer_, inner, travels, more, w_.order);
  }

  void round_of_sums(std::vector<InstructionId>& now) {
    const bool both_ways = form_ == Rounds::both_ways;
    const InstructionId ahead = both_ways ? offset_of(1 + n_ / 2, 1) : offset_of(2, 2);
    now[2] = with_part(passed(now[2], both_ways ? -1 : -2), ahead);
    const InstructionId behind = both_ways ? offset_of(n_ / 2, -1) : offset_of(1, 2);
    now[3] = with_part(passed(now[3], both_ways ? 1 : -2), behind);
  }

  void unrolled_round(std::vector<InstructionId>& now) {
    const InstructionId second = passed(window_, -1);
    now[2] = with_shard(now[2], window_, offset_of(0, 2));
    now[2] = with_shard(now[2], second, offset_of(1, 2));
    now[1] = passed(second, -1);
  }

  void round_both_ways(std::vector<InstructionId>& now) {
    now[2] = with_shard(now[2], window_, offset_of(0, 1));
    now[2] = with_shard(now[2], now[3], offset_of(-1, -1));
    now[1] = passed(window_, -1);
    now[3] = passed(now[3], 1);
  }

  // Where the part `plus + times * round` places behind this device begins.
  InstructionId offset_of(int64_t plus, int64_t times) {
    InstructionId at = scalar(writer_, Opcode::add, own_, number(writer_, (plus + n_) % n_));
    if (times > 1)
      at =
          scalar(writer_, Opcode::add, at, scalar(writer_, Opcode::multiply, round_, number(writer_, times)));
    else if (times == 1)
      at = scalar(writer_, Opcode::add, at, round_);
    else
      at = scalar(writer_, Opcode::subtract, scalar(writer_, Opcode::add, at, number(writer_, n_)), round_);
    at = scalar(writer_, Opcode::remainder, at, number(writer_, n_));
    return scalar(writer_, Opcode::multiply, at, number(writer_, step_));
  }

  std::vector<InstructionId> starts(size_t rank, size_t dim, InstructionId offset) {
    std::vector<InstructionId> out;
    for (size_t d = 0; d < rank; ++d) out.push_back(d == dim ? offset : number(writer_, 0));
    return out;
  }

  InstructionId part_of(InstructionId id, size_t dim, InstructionId offset) {
    std::vector<int64_t> sizes = writer_.shape(id).dims;
    sizes[dim] = step_;
    return writer_.dynamic_slice(id, starts(sizes.size(), dim, offset), sizes);
  }

  InstructionId product(InstructionId of_moving, InstructionId of_staying) {
    const bool left = w_.side == DotSide::lhs;
    return local_dot(cx_, level_.base, left ? of_moving : of_staying, left ? of_staying : of_moving);
  }

  InstructionId passed(InstructionId id, int64_t places) {
    return writer_.permute(id, writer_.whole(), along(w_.order, places));
  }

  // The result with the shard that stands in `buffer`.
  InstructionId with_shard(InstructionId acc, InstructionId buffer, InstructionId offset) {
    if (w_.other_dim >= 0) {  // a contracted dimension: multiply the matching part and add
      const InstructionId piece = part_of(stay_, static_cast<size_t>(w_.other_dim), offset);
      return writer_.op(Opcode::add, acc_shape_, {acc, product(buffer, piece)});
    }
    // a dimension of the result: put the product in its place
    std::vector<InstructionId> operands{acc, product(buffer, stay_)};
    for (const InstructionId start : starts(acc_shape_.rank(), static_cast<size_t>(w_.out_dim), offset))
      operands.push_back(start);
    return writer_.op(Opcode::dynamic_update_slice, acc_shape_, std::move(operands));
  }

  InstructionId with_part(InstructionId sum, InstructionId offset) {
    return writer_.op(Opcode::add, acc_shape_, {sum, product(part_of(window_, w_.dim, offset), stay_)});
  }

  const DotContext& cx_;
  SpmdWriter& writer_;
  const DotLevel& level_;
  const EinsumWindow& w_;
  int64_t n_;
  Rounds form_;
  bool two_buffers_;
  Shape acc_shape_;
  int64_t step_ = 0;  // rows of a part
  InstructionId stay_, window_, round_,
      own_;  // in the body: of its state, and the device's place on the ring
};

}  // namespace

Sharded window_loop(const DotContext& cx, const DotLevel& level, const EinsumWindow& window) {
  return WindowLoop(cx, level, window).write();
}

}  // namespace shardscope::inline partitioner
