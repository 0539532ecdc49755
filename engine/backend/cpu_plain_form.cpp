// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu_plain_form.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "engine/backend/loop_rules.h"
#include "engine/base/text.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/free_dims.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/memory/layout_copies.h"

namespace shardscope::inline backend {
namespace {

size_t place(int64_t dimension) {
  return static_cast<size_t>(dimension);
}

class PlainForm : ComputationPass {
 public:
  PlainForm(const Program& program, const Computation& from, FreshNames& fresh)
      : ComputationPass(from, fresh, ".plain"), program_(program), readers_(readers_of(from)) {}

  Computation run() {
    static const OpTable<bool (PlainForm::*)(size_t)> kRules({},
                                                             {{Opcode::dot, &PlainForm::product},
                                                              {Opcode::convolution, &PlainForm::convolution},
                                                              {Opcode::transpose, &PlainForm::exchanged},
                                                              {Opcode::reduce, &PlainForm::sum_of_one},
                                                              {Opcode::scatter, &PlainForm::scatter}});
    return written([&](size_t k) {
      if (put_back_.contains(k)) {
        rewrite_.stand_for(k, add(Opcode::copy, like_->shape, {rewrite_.copy(k)}));
        return true;
      }
      const auto rule = kRules[like_->opcode];
      return rule != nullptr && (this->*rule)(k);
    });
  }

 private:
  const Shape& shape(InstructionId old) const { return from_.at(old).shape; }

  // A sum from zero over dimensions of one element adds nothing up.
  bool sum_of_one(size_t k) {
    const Instruction& i = *like_;
    const Instruction& start = from_.at(i.operands[1]);
    const bool sums = i.operands.size() == 2 && reducer_opcode(program_, i) == Opcode::add;
    if (!sums || !is_number(start) || parse_double(*start.literal) != 0) return false;
    const Shape& of = shape(i.operands[0]);
    if (std::ranges::any_of(*i.dimensions, [&](int64_t d) { return of.dims[place(d)] != 1; })) return false;
    rewrite_.stand_for(k, add(Opcode::reshape, i.shape, {rewrite_.at(i.operands[0])}));
    return true;
  }

  // One side of a product: what it is made of, its dimensions by kind.
  struct Side {
    InstructionId operand;  // of the old computation
    std::vector<int64_t> batch, summed, free;
  };
  Side side_of(InstructionId operand, std::vector<int64_t> batch, std::vector<int64_t> summed) const {
    std::vector<int64_t> free = free_dims(shape(operand).rank(), batch, summed);
    return {operand, std::move(batch), std::move(summed), std::move(free)};
  }
  static bool is_matrix(const Side& side) {
    std::vector<int64_t> first(side.batch.size());
    std::iota(first.begin(), first.end(), 0);
    return side.summed.size() == 1 && side.free.size() <= 1 && side.batch == first;
  }

  // Rows for columns, batches as they were. Dimensions of one element are taken off before, and hide it.
  // One that multiplies a vector is turned in front of it, as a kernel or within the product's own.
  void fold(Side& side, const Side& other) const {
    const Instruction& transpose = from_.at(side.operand);
    if (side.batch.empty() && (size_of(side, side.free) == 1 || size_of(other, other.free) == 1)) return;
    if (transpose.opcode != Opcode::transpose || !is_matrix(side) || side.free.size() != 1 ||
        std::ranges::count(transpose.shape.dims, 1) != 0 ||
        !std::ranges::all_of(side.batch, [&](int64_t d) { return (*transpose.dimensions)[place(d)] == d; }))
      return;
    side.operand = transpose.operands[0];
    std::swap(side.summed, side.free);
  }

  // A batch dimension of one element is taken off before the product: what lies across it is no longer a
  // product's own way to read, but turned in front of it.
  bool hides_turns(const Side& side) const {
    return std::ranges::any_of(side.batch,
                               [&](int64_t d) { return shape(side.operand).dims[place(d)] == 1; });
  }
  // And put back in front of all others, where the result does not have it.
  bool is_put_back_elsewhere(const Side& side) const {
    bool behind = false;
    for (const int64_t d : side.batch) {
      const bool is_one = shape(side.operand).dims[place(d)] == 1;
      if (is_one && behind) return true;
      behind = behind || !is_one;
    }
    return false;
  }

  // The last of what is made of it alone by one number each, as of a product by a scale: dimensions are put
  // back behind that.
  size_t scaled(size_t k) const {
    while (readers_[k].size() == 1) {
      const Instruction& reader = from_.instructions[readers_[k].front()];
      const auto is_it = [&](InstructionId id) { return id.value == static_cast<int64_t>(k); };
      if (!is_elementwise(reader.opcode) || reader.shape.dims != from_.instructions[k].shape.dims) break;
      if (!std::ranges::all_of(reader.operands,
                               [&](InstructionId id) { return is_it(id) || spreads_constant(from_, id); }))
        break;
      k = readers_[k].front();
    }
    return k;
  }

  int64_t size_of(const Side& side, const std::vector<int64_t>& dims) const {
    int64_t out = 1;
    for (const int64_t d : dims) out *= shape(side.operand).dims[place(d)];
    return out;
  }
  // The side as batches, rows and columns, `rows` one of the other two.
  InstructionId as_matrix(const Side& side, const std::vector<int64_t>& rows,
                          const std::vector<int64_t>& columns) {
    const Shape& of = shape(side.operand);
    std::vector<int64_t> order = side.batch, dims, moved;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), columns.begin(), columns.end());
    for (const int64_t d : side.batch) dims.push_back(of.dims[place(d)]);
    for (const auto* kind : {&rows, &columns})
      if (kind == &side.summed || size_of(side, *kind) > 1) dims.push_back(size_of(side, *kind));
    for (const int64_t d : order)
      if (of.dims[place(d)] > 1) moved.push_back(d);
    InstructionId at = rewrite_.at(side.operand);
    if (!std::ranges::is_sorted(moved)) {
      std::vector<int64_t> turned;
      for (const int64_t d : order) turned.push_back(of.dims[place(d)]);
      at = add(Opcode::transpose, Shape::array(of.type, std::move(turned)), {at});
      rewrite_.edit(at).dimensions = order;
    }
    if (rewrite_.made(at).shape.dims == dims) return at;
    return add(Opcode::reshape, Shape::array(of.type, std::move(dims)), {at});
  }

  bool product(size_t k) {
    const DotDims& dims = *like_->dot;
    Side lhs = side_of(like_->operands[0], dims.lhs_batch, dims.lhs_contracting);
    Side rhs = side_of(like_->operands[1], dims.rhs_batch, dims.rhs_contracting);
    fold(lhs, rhs);
    fold(rhs, lhs);
    Instruction i = *like_;
    const bool hidden = hides_turns(lhs);
    if ((is_matrix(lhs) && is_matrix(rhs) && !hidden) || lhs.summed.empty()) {
      i.operands = {lhs.operand, rhs.operand};
      i.dot = DotDims{lhs.batch, rhs.batch, lhs.summed, rhs.summed};
      rewrite_.copy(k, std::move(i));
      return true;
    }
    const InstructionId left = as_matrix(lhs, lhs.free, lhs.summed);
    const bool lies_turned = is_matrix(rhs) && !hidden;
    const InstructionId right = lies_turned ? rewrite_.at(rhs.operand) : as_matrix(rhs, rhs.summed, rhs.free);
    const auto batches = static_cast<int64_t>(lhs.batch.size());
    std::vector<int64_t> first(lhs.batch.size());
    std::iota(first.begin(), first.end(), 0);
    const auto last = static_cast<int64_t>(rewrite_.made(left).shape.rank()) - 1;
    std::vector<int64_t> given;
    for (const int64_t d : lhs.batch) given.push_back(shape(lhs.operand).dims[place(d)]);
    for (const Side* side : {&lhs, &rhs})
      if (const int64_t size = size_of(*side, side->free);
          size > 1 || (side == &rhs && lies_turned && !rhs.free.empty()))
        given.push_back(size);
    const Shape made = given == like_->shape.dims ? like_->shape : Shape::array(like_->shape.type, given);
    i.dot = DotDims{first, first, {last}, {lies_turned ? rhs.summed.front() : batches}};
    if (made == like_->shape) {
      i.operands = {left, right};
      i.control_predecessors = {};
      const InstructionId product = rewrite_.add(std::move(i));
      const size_t scale_end = is_put_back_elsewhere(lhs) ? scaled(k) : k;
      if (scale_end != k) put_back_.insert(scale_end);
      const bool here = scale_end == k && is_put_back_elsewhere(lhs);
      rewrite_.stand_for(k, here ? add(Opcode::copy, made, {product}) : product);
      return true;
    }
    i.name = fresh_(i.name + ".plain");
    i.shape = made;
    i.operands = {left, right};
    i.control_predecessors = {};
    i.provenance.edit().source = source_name(*like_);
    rewrite_.stand_for(k, add(Opcode::reshape, like_->shape, {rewrite_.add(std::move(i))}));
    return true;
  }

  // A product that is transposed has its sides exchanged instead.
  bool exchanged(size_t k) {
    if (!turns_a_product(from_, *like_, readers_)) return false;
    const Instruction& turned = *like_;
    Instruction product = from_.at(turned.operands[0]);
    if (!product.control_predecessors.empty()) return false;
    std::swap(product.operands[0], product.operands[1]);
    const DotDims dims = *product.dot;
    product.dot = DotDims{dims.rhs_batch, dims.lhs_batch, dims.rhs_contracting, dims.lhs_contracting};
    product.shape = turned.shape;
    product.name = turned.name;
    like_ = &product;
    this->product(k);
    return true;
  }

  static std::vector<int64_t> in_rows(int64_t first, const std::vector<int64_t>& middle, int64_t last) {
    std::vector<int64_t> out{first};
    out.insert(out.end(), middle.begin(), middle.end());
    out.push_back(last);
    return out;
  }
  InstructionId turned(InstructionId at, const std::vector<int64_t>& order) {
    if (std::ranges::is_sorted(order)) return at;
    const Shape of = rewrite_.made(at).shape;
    std::vector<int64_t> dims;
    for (const int64_t d : order) dims.push_back(of.dims[place(d)]);
    const InstructionId out = add(Opcode::transpose, Shape::array(of.type, std::move(dims)), {at});
    rewrite_.edit(out).dimensions = order;
    return out;
  }

  // Batches first and features last, of the kernel its outputs last: what lies otherwise is turned in front
  // of it, and what it gives behind it (XLA's ConvCanonicalization).
  bool convolution(size_t k) {
    const auto conv = convolution_dims(from_, *like_);
    if (!conv.ok() || !like_->control_predecessors.empty()) return false;
    if (conv->batch_groups != 1) return in_groups(k, *conv);
    if (std::ranges::any_of(conv->window, &WindowDim::reversed)) return false;
    std::vector<int64_t> kernel = conv->kernel_spatial;
    kernel.push_back(conv->kernel_input);
    kernel.push_back(conv->kernel_output);
    const auto input = in_rows(conv->input_batch, conv->input_spatial, conv->input_feature);
    const auto output = in_rows(conv->output_batch, conv->output_spatial, conv->output_feature);
    if (std::ranges::is_sorted(input) && std::ranges::is_sorted(kernel) && std::ranges::is_sorted(output))
      return false;
    Instruction i = *like_;
    i.name = fresh_(i.name + ".plain");
    i.operands = {turned(rewrite_.at(i.operands[0]), input), turned(rewrite_.at(i.operands[1]), kernel)};
    const auto spatial = static_cast<int64_t>(conv->window.size());
    std::vector<int64_t> rows(place(spatial)), back(output.size()), made;
    ConvolutionDims dims = *conv;
    std::iota(rows.begin(), rows.end(), 0);
    dims.kernel_spatial = rows;
    for (int64_t& d : rows) ++d;
    dims.input_spatial = dims.output_spatial = rows;
    dims.input_batch = dims.output_batch = 0;
    dims.input_feature = dims.output_feature = dims.kernel_output = spatial + 1;
    dims.kernel_input = spatial;
    i.attributes = Attributes(std::move(dims));
    for (size_t d = 0; d < output.size(); ++d) {
      made.push_back(like_->shape.dims[place(output[d])]);
      back[place(output[d])] = static_cast<int64_t>(d);
    }
    i.shape = Shape::array(like_->shape.type, std::move(made));
    i.provenance.edit().source = source_name(*like_);
    rewrite_.stand_for(k, turned(rewrite_.add(std::move(i)), back));
    return true;
  }

  bool in_groups(size_t k, const ConvolutionDims& conv) {
    const int64_t groups = conv.batch_groups;
    const Shape given = like_->shape;
    const auto batch = place(conv.output_batch);
    Shape all = given;
    all.dims[batch] *= groups;
    Instruction i = *like_;
    i.name = fresh_(i.name + ".plain");
    i.shape = all;
    ConvolutionDims one_group = conv;
    one_group.batch_groups = 1;
    i.attributes = Attributes(std::move(one_group));
    const InstructionId made = rewrite_.add(rewrite_.reading_new(std::move(i)));
    const auto numbers = [&](ElementType type) { return Shape::array(type, all.dims); };
    const InstructionId rows = add(Opcode::iota, numbers(ElementType::s32), {});
    rewrite_.edit(rows).dimensions = std::vector<int64_t>{conv.output_batch};
    const InstructionId columns = add(Opcode::iota, numbers(ElementType::s32), {});
    rewrite_.edit(columns).dimensions = std::vector<int64_t>{conv.output_feature};
    const InstructionId own = add(Opcode::compare, numbers(ElementType::pred), {rows, columns});
    const InstructionId zero = rewrite_.add(scalar_constant(fresh_("zero"), given.type, 0));
    const InstructionId zeros = add(Opcode::broadcast, all, {zero});
    const InstructionId kept = add(Opcode::select, all, {own, made, zeros});
    Shape summed = given;
    summed.dims.erase(summed.dims.begin() + conv.output_batch);
    if (given.dims[batch] > 1) summed = given;
    const InstructionId sum = add(Opcode::reduce, summed, {kept, zero});
    rewrite_.edit(sum).dimensions = std::vector<int64_t>{conv.output_batch};
    rewrite_.stand_for(k, summed == given ? sum : add(Opcode::reshape, given, {sum}));
    return true;
  }

  // Its place by dimension of the operand, each a number.
  std::vector<InstructionId> window_start(const ScatterDims& dims, const Shape& of, const Shape& indices) {
    std::vector<InstructionId> out(of.rank());
    const InstructionId read = rewrite_.at(like_->operands[1]);
    const auto count = static_cast<int64_t>(dims.to_operand_dims.size());
    const InstructionId row = add(Opcode::reshape, Shape::array(indices.type, {count}), {read});
    for (int64_t n = 0; n < count; ++n) {
      InstructionId at = add(Opcode::slice, Shape::array(indices.type, {1}), {row});
      rewrite_.edit(at).slice = std::vector<SliceDim>{{n, n + 1, 1}};
      at = add(Opcode::reshape, Shape::array(indices.type, {}), {at});
      out[place(dims.to_operand_dims[place(n)])] = at;
    }
    for (InstructionId& at : out)
      if (!at.valid()) at = rewrite_.add(scalar_constant(fresh_("zero"), indices.type, 0));
    return out;
  }

  bool scatter(size_t k) {
    const auto* dims = std::get_if<ScatterDims>(&*like_->attributes);
    if (dims == nullptr || like_->operands.size() != 3 || like_->called.empty() || !has_one_window(*dims))
      return false;
    const Shape& of = shape(like_->operands[0]);
    std::vector<int64_t> window = shape(like_->operands[2]).dims;
    for (const int64_t d : dims->inserted_window_dims)
      window.insert(window.begin() + std::min(d, int64_t(window.size())), 1);
    if (window.size() != of.rank()) return false;
    const std::vector<InstructionId> start = window_start(*dims, of, shape(like_->operands[1]));
    const Shape part = Shape::array(of.type, window);
    const InstructionId operand = rewrite_.at(like_->operands[0]);
    InstructionId update = add(Opcode::reshape, part, {rewrite_.at(like_->operands[2])});
    const Instruction& by = program_.computation(like_->called.front().computation).root_instruction();
    if (by.opcode != Opcode::parameter) {
      std::vector<InstructionId> read{operand};
      read.insert(read.end(), start.begin(), start.end());
      const InstructionId before = add(Opcode::dynamic_slice, part, std::move(read));
      rewrite_.edit(before).dynamic_slice_sizes = window;
      const bool is_plain = is_elementwise(by.opcode) && by.operands.size() == 2;
      update = add(is_plain ? by.opcode : Opcode::add, part, {before, update});
    }
    std::vector<InstructionId> changed{operand, update};
    changed.insert(changed.end(), start.begin(), start.end());
    rewrite_.stand_for(k, add(Opcode::dynamic_update_slice, of, std::move(changed)));
    return true;
  }

  bool has_one_window(const ScatterDims& dims) const {
    const Shape& indices = shape(like_->operands[1]);
    return indices.element_count() == static_cast<int64_t>(dims.to_operand_dims.size());
  }

  const Program& program_;
  const ReadersOf readers_;
  std::set<size_t> put_back_;  // places whose results are copied
};

}  // namespace

Computation in_plain_form(const Program& program, const Computation& computation, FreshNames& fresh) {
  return PlainForm(program, computation, fresh).run();
}

}  // namespace shardscope::inline backend
