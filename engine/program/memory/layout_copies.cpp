// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/layout_copies.h"

#include <algorithm>
#include <string>

#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/free_dims.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline program {
namespace {

// Of what does not stand alone: no dimension of one element.
std::vector<int64_t> long_ones(const std::vector<int64_t>& dims, const Shape& shape) {
  std::vector<int64_t> out;
  for (const int64_t d : dims)
    if (shape.dims[static_cast<size_t>(d)] > 1) out.push_back(d);
  return out;
}

std::vector<int64_t> all_long(const Shape& shape) {
  std::vector<int64_t> out;
  for (size_t d = 0; d < shape.rank(); ++d)
    if (shape.dims[d] > 1) out.push_back(static_cast<int64_t>(d));
  return out;
}

bool is_outermost(const Shape& shape, int64_t dimension) {
  const std::vector<int64_t> dims = all_long(shape);
  return dims.empty() || dims.front() >= dimension;
}

// A kernel that can write its result, or read its operands, in any order.
bool is_kernel(const Instruction& i) {
  static const OpTable<bool> kernels({{OpClass::elementwise, true}}, {{Opcode::fusion, true},
                                                                      {Opcode::transpose, true},
                                                                      {Opcode::reduce, true},
                                                                      {Opcode::slice, true},
                                                                      {Opcode::dynamic_slice, true}});
  return kernels[i.opcode];
}

// Whether its result has another order in memory than its shape says: the dimension that is gathered along is
// outermost.
bool is_turned(const Computation& c, const Instruction& i) {
  if (!is_collective(i.opcode) || i.shape.is_tuple || i.dimensions->empty()) return false;
  return !is_outermost(c.at(i.operands[0]).shape, i.dimensions->front()) ||
         !is_outermost(i.shape, i.dimensions->front());
}

bool is_same_array(const Instruction& i) {
  return has(i.opcode, Trait::view) && has(i.opcode, Trait::same_order);
}

// How a number follows from the device's own.
enum class FromDevice : uint8_t { no, by_itself, by_its_operands };

FromDevice from_device(Opcode opcode) {
  using enum FromDevice;
  static const OpTable<FromDevice> ways({{OpClass::elementwise, by_its_operands}},
                                        {{Opcode::partition_id, by_itself},
                                         {Opcode::constant, by_itself},
                                         {Opcode::reshape, by_its_operands},
                                         {Opcode::bitcast, by_its_operands},
                                         {Opcode::dynamic_slice, by_its_operands}});
  return ways[opcode];
}

class Copies {
 public:
  Copies(const Computation& c, InstructionId id, const ReadersOf& readers, LaidOutFor chip)
      : c_(c), i_(c.at(id)), id_(id), readers_(readers), gpu_(chip == LaidOutFor::gpu) {}

  LayoutCopies run() {
    out_.in_pieces = !gpu_ && i_.opcode == Opcode::all_to_all && !i_.shape.is_tuple;
    out_.turned = (is_turned(c_, i_) && !out_.in_pieces) || works_in_columns(i_);
    if (is_turned(c_, i_) || out_.in_pieces) copy_all();
    static const OpTable<void (Copies::*)()> orders(
        {}, {{Opcode::dot, &Copies::product}, {Opcode::convolution, &Copies::convolution}});
    if (const auto order = orders[i_.opcode]) (this->*order)();
    if (works_in_columns(i_)) columns();
    return std::move(out_);
  }

 private:
  const std::vector<size_t>& readers(InstructionId id) const {
    return readers_[static_cast<size_t>(id.value)];
  }

  // Whoever makes it makes it for this one alone, in whatever order.
  bool is_made_so(InstructionId operand) const {
    while (is_same_array(c_.at(operand)) && readers(operand).size() == 1)
      operand = c_.at(operand).operands[0];
    return is_kernel(c_.at(operand)) && readers(operand).size() == 1;
  }
  void copy(size_t operand) {
    (is_made_so(i_.operands[operand]) ? out_.made_so : out_.operands).push_back(operand);
  }
  // A product that reads it alone copies it itself.
  bool takes_any_order(size_t reader) const {
    const Instruction& i = c_.instructions[reader];
    if (works_in_columns(i)) return true;
    if (i.opcode == Opcode::dot && is_turned(c_, i_)) return gpu_ || readers(id_).size() == 1;
    return is_kernel(i) && !keeps_order(c_, i);
  }
  void copy_result() {
    out_.result = id_ == c_.root ||
                  !std::ranges::all_of(readers(id_), [&](size_t reader) { return takes_any_order(reader); });
  }
  void copy_all() {
    for (size_t k = 0; k < i_.operands.size(); ++k) copy(k);
    copy_result();
  }

  // Batches, then what is kept, then what is summed, or the latter two the other way round. For CPUs several
  // of a kind are made one (XLA's DotDecomposer): rows on the left, columns on the right.
  bool is_in_order(size_t side, const Shape& shape, const std::vector<int64_t>& batch,
                   const std::vector<int64_t>& contracting) const {
    const auto b = long_ones(batch, shape), s = long_ones(contracting, shape),
               k = long_ones(free_dims(shape.rank(), batch, contracting), shape);
    const auto row = [&](const std::vector<int64_t>& one, const std::vector<int64_t>& other) {
      std::vector<int64_t> out = b;
      out.insert(out.end(), one.begin(), one.end());
      out.insert(out.end(), other.begin(), other.end());
      return out;
    };
    const std::vector<int64_t> all = all_long(shape);
    const bool is_matrix = k.size() <= 1 && s.size() <= 1;
    if (gpu_ || is_matrix) return all == row(k, s) || all == row(s, k);
    return all == (side == 0 ? row(k, s) : row(s, k));
  }

  void product() {
    for (size_t k = 0; k < 2; ++k) {
      const Instruction& operand = c_.at(i_.operands[k]);
      const bool alone = readers(i_.operands[k]).size() == 1;
      const bool in_order = is_in_order(k, operand.shape, k == 0 ? i_.dot->lhs_batch : i_.dot->rhs_batch,
                                        k == 0 ? i_.dot->lhs_contracting : i_.dot->rhs_contracting);
      if (!in_order || (!gpu_ && alone && is_turned(c_, operand))) copy(k);
    }
    // It has other dimensions when it is made.
    const Shape& lhs = c_.at(i_.operands[0]).shape;
    const size_t batches =
        gpu_ ? std::min<size_t>(i_.dot->lhs_batch.size(), 1) : long_ones(i_.dot->lhs_batch, lhs).size();
    if (i_.shape.rank() > batches + 2) out_.turned = true;
  }

  // Batches first and features last, of the kernel its outputs last.
  void convolution() {
    const auto dims = convolution_dims(c_, i_);
    if (!dims.ok()) return;
    const auto row = [](int64_t first, const std::vector<int64_t>& middle, int64_t last) {
      std::vector<int64_t> out{first};
      out.insert(out.end(), middle.begin(), middle.end());
      out.push_back(last);
      return out;
    };
    std::vector<int64_t> kernel = dims->kernel_spatial;
    kernel.push_back(dims->kernel_input);
    kernel.push_back(dims->kernel_output);
    if (!std::ranges::is_sorted(row(dims->input_batch, dims->input_spatial, dims->input_feature))) copy(0);
    if (!std::ranges::is_sorted(kernel)) copy(1);
    if (!std::ranges::is_sorted(row(dims->output_batch, dims->output_spatial, dims->output_feature)))
      copy_result();
  }

  void columns() {
    for (size_t k = 0; k < i_.operands.size(); ++k) {
      const Instruction& operand = c_.at(i_.operands[k]);
      const bool is_one_of =
          operand.opcode == Opcode::get_tuple_element && works_in_columns(c_.at(operand.operands[0]));
      const bool is_so = works_in_columns(operand) || is_one_of || is_turned(c_, operand);
      if (!is_so && !operand.shape.is_tuple && all_long(operand.shape).size() > 1) copy(k);
    }
    if (!i_.shape.is_tuple && all_long(i_.shape).size() > 1) copy_result();
  }

  const Computation& c_;
  const Instruction& i_;
  const InstructionId id_;
  const ReadersOf& readers_;
  const bool gpu_;
  LayoutCopies out_;
};

// What a kernel of one operation does; of all else itself.
const Instruction& only_work(const Program& program, const Instruction& i) {
  const Computation* fused = fused_computation(program, i);
  return fused != nullptr && fused->instructions.size() == 2 ? fused->root_instruction() : i;
}

// Numbers by themselves that only kernels read, or others of that kind.
std::vector<bool> numbers_within(const Computation& c, const ReadersOf& readers) {
  static const OpTable<bool> kWithin(
      {{OpClass::elementwise, true}},
      {{Opcode::broadcast, true}, {Opcode::slice, true}, {Opcode::dynamic_slice, true}});
  std::vector<bool> read_within(readers.size(), false), out(readers.size(), false);
  for (size_t k = readers.size(); k-- > 0;) {
    const Instruction& i = c.instructions[k];
    const bool is_number =
        !i.shape.is_tuple && i.shape.element_count() == 1 && InstructionId(static_cast<int64_t>(k)) != c.root;
    read_within[k] = is_number && (kWithin[i.opcode] || has(i.opcode, Trait::view)) &&
                     std::ranges::all_of(readers[k], [&](size_t reader) {
                       return is_kernel(c.instructions[reader]) || read_within[reader];
                     });
    out[k] = read_within[k] && kWithin[i.opcode];
  }
  return out;
}

// A result's dimensions as the product would give them with its operands exchanged.
bool is_exchanged(const Computation& c, const Instruction& dot, const std::vector<int64_t>& order) {
  const auto batch = static_cast<int64_t>(dot.dot->lhs_batch.size());
  const auto left = static_cast<int64_t>(c.at(dot.operands[0]).shape.rank()) - batch -
                    static_cast<int64_t>(dot.dot->lhs_contracting.size());
  const auto rank = static_cast<int64_t>(dot.shape.rank());
  std::vector<int64_t> wanted;
  for (int64_t d = 0; d < batch; ++d) wanted.push_back(d);
  for (int64_t d = batch + left; d < rank; ++d) wanted.push_back(d);
  for (int64_t d = batch; d < batch + left; ++d) wanted.push_back(d);
  return order == wanted;
}

}  // namespace

LayoutCopies layout_copies(const Computation& computation, InstructionId id, const ReadersOf& readers,
                           LaidOutFor chip) {
  return Copies(computation, id, readers, chip).run();
}

bool works_in_columns(const Instruction& i) {
  const std::string& target = custom_call_target(i);
  return target.starts_with("lapack_") || target.starts_with("cusolver_");
}

bool keeps_order(const Computation& computation, const Instruction& i) {
  if (i.opcode != Opcode::broadcast && i.opcode != Opcode::transpose) return false;
  const Shape& from = computation.at(i.operands[0]).shape;
  if (from.is_tuple || from.element_count() != i.shape.element_count()) return false;
  std::vector<int64_t> of;  // where the long dimensions of the operand stand now
  const std::vector<int64_t>& dims = *i.dimensions;
  if (i.opcode == Opcode::broadcast) {
    of = long_ones(dims, i.shape);
  } else {
    for (const int64_t d : dims)
      if (from.dims[static_cast<size_t>(d)] > 1) of.push_back(d);
  }
  return std::ranges::is_sorted(of);
}

std::vector<bool> within_their_readers(const Computation& computation, const ReadersOf& readers,
                                       LaidOutFor chip) {
  if (chip == LaidOutFor::gpu) return numbers_within(computation, readers);
  const auto& all = computation.instructions;
  std::vector<bool> known(all.size(), false), out(all.size(), false);
  for (size_t k = 0; k < all.size(); ++k) {
    const Instruction& i = all[k];
    const FromDevice from = from_device(i.opcode);
    known[k] = from == FromDevice::by_itself || (from == FromDevice::by_its_operands &&
                                                 std::ranges::all_of(i.operands, [&](InstructionId operand) {
                                                   return known[static_cast<size_t>(operand.value)];
                                                 }));
    out[k] = known[k] && is_elementwise(i.opcode) && i.shape.rank() == 0 &&
             static_cast<int64_t>(k) != computation.root.value &&
             std::ranges::all_of(readers[k], [&](size_t reader) { return is_kernel(all[reader]); });
  }
  return out;
}

bool is_started(const Computation& c, InstructionId id, const ReadersOf& readers) {
  static const OpTable<bool> kStarted({}, {{Opcode::all_gather, true},
                                           {Opcode::all_to_all, true},
                                           {Opcode::collective_permute, true},
                                           {Opcode::reduce_scatter, true}});
  if (!kStarted[c.at(id).opcode]) return false;
  const auto place = static_cast<size_t>(id.value);
  size_t first = readers.size();
  std::vector<size_t> open{place};
  while (!open.empty()) {
    const size_t of = open.back();
    open.pop_back();
    for (const size_t reader : readers[of])
      if (has(c.instructions[reader].opcode, Trait::view))
        open.push_back(reader);
      else
        first = std::min(first, reader);
  }
  return std::any_of(c.instructions.begin() + id.value + 1,
                     c.instructions.begin() + static_cast<std::ptrdiff_t>(first),
                     [](const Instruction& i) { return is_kernel(i) && i.shape.element_count() > 1; });
}

bool turns_back(const Program& program, const Computation& computation, const Instruction& i) {
  const Instruction& work = only_work(program, i);
  if (work.opcode != Opcode::transpose) return false;
  const Instruction& of = computation.at(i.operands[0]);
  const std::vector<int64_t>& order = *work.dimensions;
  return is_turned(computation, of) && order.front() == of.dimensions->front() &&
         std::is_sorted(order.begin() + 1, order.end());
}

bool turns_a_product(const Computation& computation, const Instruction& i, const ReadersOf& readers) {
  if (i.opcode != Opcode::transpose) return false;
  const Instruction& of = computation.at(i.operands[0]);
  return of.opcode == Opcode::dot && readers[static_cast<size_t>(i.operands[0].value)].size() == 1 &&
         is_exchanged(computation, of, *i.dimensions);
}

}  // namespace shardscope::inline program
