// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/long_reductions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

using Sizes = std::vector<int64_t>;

constexpr int64_t kLongestRowSum = 16384, kLongestColumnSum = 4096, kRunning = 16;

// Dimensions in front of those that are reduced, their elements, dimensions behind them.
struct Cut {
  Sizes front, back;
  int64_t elements = 1;
};
// None: they do not stand together, or it is short.
std::optional<Cut> long_one(const Shape& of, const Instruction& reduce) {
  if (of.is_tuple || !std::ranges::is_sorted(physical_order(of)) || reduce.dimensions->empty())
    return std::nullopt;
  const auto [first, last] = std::ranges::minmax(*reduce.dimensions);
  Cut out;
  for (int64_t d = 0; d < static_cast<int64_t>(of.rank()); ++d) {
    const int64_t size = of.dims[static_cast<size_t>(d)];
    const bool reduced = std::ranges::find(*reduce.dimensions, d) != reduce.dimensions->end();
    if (reduced)
      out.elements *= size;
    else if (d < first)
      out.front.push_back(size);
    else if (d > last)
      out.back.push_back(size);
    else if (size != 1)
      return std::nullopt;
  }
  const auto is_one = [](int64_t size) { return size == 1; };
  const int64_t most = std::ranges::all_of(out.back, is_one) ? kLongestRowSum : kLongestColumnSum;
  return out.elements > most ? std::optional(std::move(out)) : std::nullopt;
}

class Cutter : ComputationPass {
 public:
  Cutter(const Program& program, const Computation& from, FreshNames& fresh)
      : ComputationPass(from, fresh, ".part"), program_(program) {}

  Computation run() {
    static const OpTable<bool (Cutter::*)(size_t)> kRules(
        {}, {{Opcode::reduce, &Cutter::in_parts}, {Opcode::reduce_window, &Cutter::by_rows}});
    return written([&](size_t k) {
      const auto rule = kRules[like_->opcode];
      const bool plain = !like_->shape.is_tuple && like_->control_predecessors.empty();
      return rule != nullptr && plain && like_->operands.size() == 2 && (this->*rule)(k);
    });
  }

 private:
  InstructionId add(Opcode opcode, Sizes dims, std::vector<InstructionId> operands) {
    return ComputationPass::add(opcode, Shape::array(like_->shape.type, std::move(dims)),
                                std::move(operands));
  }
  InstructionId padded(InstructionId at, InstructionId by, size_t dim, PadDim how) {
    Sizes dims = rewrite_.made(at).shape.dims;
    Padding padding{std::vector<PadDim>(dims.size())};
    padding.dims[dim] = how;
    dims[dim] += how.low + how.high;
    const InstructionId out = add(Opcode::pad, std::move(dims), {at, by});
    rewrite_.edit(out).attributes = Attributes(std::move(padding));
    return out;
  }
  InstructionId part(InstructionId at, size_t dim, int64_t start, int64_t limit) {
    Sizes dims = rewrite_.made(at).shape.dims;
    std::vector<SliceDim> slice;
    for (const int64_t size : dims) slice.push_back({0, size, 1});
    slice[dim] = {start, limit, 1};
    dims[dim] = limit - start;
    const InstructionId out = add(Opcode::slice, std::move(dims), {at});
    rewrite_.edit(out).slice = std::move(slice);
    return out;
  }
  InstructionId reduced(InstructionId at, InstructionId start, size_t dim) {
    Sizes dims = rewrite_.made(at).shape.dims;
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(dim));
    const InstructionId out = add(Opcode::reduce, std::move(dims), {at, start});
    rewrite_.edit(out).called = like_->called;
    rewrite_.edit(out).dimensions = Sizes{static_cast<int64_t>(dim)};
    return out;
  }

  bool in_parts(size_t k) {
    const Shape& of = from_.at(like_->operands[0]).shape;
    const auto cut = long_one(of, *like_);
    if (!cut) return false;
    const size_t dim = cut->front.size();
    const int64_t parts = parts_of_reduction(cut->elements), each = (cut->elements + parts - 1) / parts;
    const auto with = [&](Sizes middle) {
      Sizes out = cut->front;
      out.insert(out.end(), middle.begin(), middle.end());
      out.insert(out.end(), cut->back.begin(), cut->back.end());
      return out;
    };
    const InstructionId start = rewrite_.at(like_->operands[1]);
    InstructionId at = rewrite_.at(like_->operands[0]);
    if (const int64_t more = parts * each - cut->elements; more > 0)
      at = padded(add(Opcode::reshape, with({cut->elements}), {at}), start, dim, {0, more, 0});
    at = reduced(add(Opcode::reshape, with({parts, each}), {at}), start, dim + 1);
    at = reduced(at, start, dim);
    if (rewrite_.made(at).shape.dims != like_->shape.dims) at = add(Opcode::reshape, like_->shape.dims, {at});
    rewrite_.stand_for(k, at);
    return true;
  }

  bool by_rows(size_t k) {
    const Shape& of = from_.at(like_->operands[0]).shape;
    const int64_t along = running_dimension(of, *like_);
    if (along < 0 || of.dims[static_cast<size_t>(along)] <= kRunning) return false;
    const bool forwards = std::get<Window>(*like_->attributes).dims[static_cast<size_t>(along)].low > 0;
    const Computation& reducer = program_.computation(like_->called.front().computation);
    by_ = reducer.root_instruction().opcode;
    if (!forwards || reducer.instructions.size() != 3 || !is_elementwise(by_)) return false;
    rewrite_.stand_for(k, running(rewrite_.at(like_->operands[0]), rewrite_.at(like_->operands[1]),
                                  static_cast<size_t>(along)));
    return true;
  }

  InstructionId window(InstructionId at, InstructionId start, size_t dim) {
    const Sizes dims = rewrite_.made(at).shape.dims;
    Window out;
    out.dims.resize(dims.size());
    out.dims[dim].size = dims[dim];
    out.dims[dim].low = dims[dim] - 1;
    const InstructionId made = add(Opcode::reduce_window, dims, {at, start});
    rewrite_.edit(made).called = like_->called;
    rewrite_.edit(made).attributes = Attributes(std::move(out));
    return made;
  }

  // What each row of sixteen comes to up to each of its elements, with what the rows before it come to.
  InstructionId running(InstructionId at, InstructionId start, size_t dim) {
    const Sizes dims = rewrite_.made(at).shape.dims;
    const int64_t n = dims[dim], rows = (n + kRunning - 1) / kRunning;
    if (n <= kRunning) return window(at, start, dim);
    const auto with = [&](Sizes middle) {
      Sizes out(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(dim));
      out.insert(out.end(), middle.begin(), middle.end());
      out.insert(out.end(), dims.begin() + static_cast<std::ptrdiff_t>(dim) + 1, dims.end());
      return out;
    };
    if (rows * kRunning > n) at = padded(at, start, dim, {0, rows * kRunning - n, 0});
    const InstructionId within = window(add(Opcode::reshape, with({rows, kRunning}), {at}), start, dim + 1);
    InstructionId ends = part(within, dim + 1, kRunning - 1, kRunning);
    ends = running(add(Opcode::reshape, with({rows}), {ends}), start, dim);
    ends = padded(part(ends, dim, 0, rows - 1), start, dim, {1, 0, 0});
    const InstructionId before = add(Opcode::broadcast, with({rows, kRunning}), {ends});
    Sizes kept;
    for (size_t d = 0; d <= dims.size(); ++d)
      if (d != dim + 1) kept.push_back(static_cast<int64_t>(d));
    rewrite_.edit(before).dimensions = std::move(kept);
    const InstructionId whole =
        add(Opcode::reshape, with({rows * kRunning}), {add(by_, with({rows, kRunning}), {within, before})});
    return rows * kRunning > n ? part(whole, dim, 0, n) : whole;
  }

  const Program& program_;
  Opcode by_ = Opcode::add;  // of a running one, what brings two together
};

}  // namespace

int64_t running_dimension(const Shape& of, const Instruction& i) {
  const auto* window = std::get_if<Window>(&*i.attributes);
  if (window == nullptr || i.operands.size() != 2 || window->dims.size() != of.rank()) return -1;
  int64_t out = -1;
  for (size_t d = 0; d < of.rank(); ++d) {
    const WindowDim& w = window->dims[d];
    if (w.stride != 1 || w.base_dilation != 1 || w.window_dilation != 1) return -1;
    if (w.size == 1 && w.low == 0 && w.high == 0) continue;
    const bool runs = w.size == of.dims[d] && w.low + w.high == w.size - 1 && (w.low == 0 || w.high == 0);
    if (!runs || out >= 0) return -1;
    out = static_cast<int64_t>(d);
  }
  return out;
}

int64_t parts_of_reduction(int64_t n) {
  const auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  const auto padding = [&](int64_t parts) { return (parts - n % parts) % parts; };
  int64_t out = std::max<int64_t>(root, 1);
  for (int64_t parts = out - 1; parts > root / 2; --parts) {
    const bool is_power = (parts & (parts - 1)) == 0;
    if (padding(parts) < padding(out) || (padding(parts) == padding(out) && is_power)) out = parts;
  }
  return out;
}

void cut_long_reductions(const Program& program, Computation& computation, FreshNames& fresh) {
  const Computation before = std::move(computation);
  computation = Cutter(program, before, fresh).run();
}

}  // namespace shardscope::inline backend
