// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/padded.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "engine/partition/shardy/fitted_writer.h"
#include "engine/partition/types/identity.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/free_dims.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline partitioner {
namespace {

using Dims = std::vector<int64_t>;

// Into how many parts each dimension is split.
Dims counts_of(const Instruction& i, size_t rank) {
  Dims out(rank, 1);
  const auto shardings = leaf_shardings(i);
  if (i.shape.is_tuple || !shardings.ok()) return out;
  const HloSharding& s = shardings->front();
  if (s.kind != HloSharding::Kind::tiled || s.data_rank() != rank) return out;
  std::copy_n(s.tiles.dims.begin(), rank, out.begin());
  return out;
}

Dims rounded_up(Dims dims, const Dims& counts) {
  for (size_t d = 0; d < dims.size(); ++d) dims[d] = (dims[d] + counts[d] - 1) / counts[d] * counts[d];
  return dims;
}

Dims larger(Dims a, const Dims& b) {
  for (size_t d = 0; d < a.size(); ++d) a[d] = std::max(a[d], b[d]);
  return a;
}

bool is_uneven(const Instruction& i) {
  return !i.shape.is_tuple && rounded_up(i.shape.dims, counts_of(i, i.shape.rank())) != i.shape.dims;
}

// Writes the entry anew; values are of the entry before, what is made for them may be larger.
class Padder {
 public:
  Padder(const FittedModule& before, const Computation& from, FittedWriter& writer)
      : before_(before), from_(from), writer_(writer) {}

  // None: an instruction has no rule; its name.
  std::optional<Computation> run(const std::stop_token& stop);
  const std::string& without_rule() const { return without_rule_; }

  const Computation& from() const { return from_; }
  const Program& module() const { return *before_.program; }
  const Shape& shape(InstructionId value) const { return from_.at(value).shape; }
  const Dims& dims(InstructionId value) const { return page_.at(made(value)).shape.dims; }
  bool is_padded(InstructionId value) const {
    return !shape(value).is_tuple && dims(value) != shape(value).dims;
  }
  InstructionId made(InstructionId value) const { return made_[static_cast<size_t>(value.value)]; }

  // What stands for the value with these sizes, at least its own.
  InstructionId grown(InstructionId value, const Dims& to) { return grown_made(made(value), to); }
  InstructionId grown_made(InstructionId id, const Dims& to);
  // `id` on the value's first `limit` elements of a dimension, `literal` behind.
  InstructionId masked(InstructionId id, size_t dim, int64_t limit, const std::string& literal);
  // Of what was made last for the instruction: dimensions that are whole have their own size again.
  bool trim(const Instruction& i);
  // The value in its own size; none: its sharding does not divide that.
  std::optional<InstructionId> in_its_size(InstructionId value);
  // The instruction on these operands, its result of these sizes.
  bool put(const Instruction& i, std::vector<InstructionId> operands, const Dims& dims);
  const CollectiveMove* step_of(const Instruction& i) const {
    const auto found = before_.steps.find(i.name);
    return found == before_.steps.end() ? nullptr : &found->second;
  }

 private:
  InstructionId add(Opcode opcode, const Shape& shape, std::vector<InstructionId> operands, const char* word,
                    InstructionId like);
  InstructionId cut(InstructionId id, const Dims& to);
  InstructionId constant(const Shape& shape, const std::string& literal, InstructionId like);

  const FittedModule& before_;
  const Computation& from_;
  FittedWriter& writer_;
  FittedPage page_;
  const Instruction* now_ = nullptr;
  std::vector<InstructionId> made_;
  std::string without_rule_;
};

InstructionId Padder::add(Opcode opcode, const Shape& shape, std::vector<InstructionId> operands,
                          const char* word, InstructionId like) {
  Instruction made;
  made.name = writer_.unique(word);
  made.opcode = opcode;
  made.shape = shape;
  made.operands = std::move(operands);
  made.provenance = now_->provenance;
  made.line = now_->line;
  if (like.valid() && page_.at(like).shape.rank() == shape.rank()) made.sharding = page_.at(like).sharding;
  return writer_.add(page_, std::move(made), now_->name);
}

InstructionId Padder::constant(const Shape& shape, const std::string& literal, InstructionId like) {
  Instruction made;
  made.name = writer_.unique("end");
  made.opcode = Opcode::constant;
  made.shape = Shape::array(shape.type, {});
  made.literal = literal;
  made.provenance = now_->provenance;
  const InstructionId scalar = writer_.add(page_, std::move(made), now_->name);
  return shape.rank() == 0 ? scalar : add(Opcode::broadcast, shape, {scalar}, "ends", like);
}

InstructionId Padder::grown_made(InstructionId id, const Dims& to) {
  const Shape shape = page_.at(id).shape;
  if (shape.dims == to) return id;
  const char* zero = shape.type == ElementType::pred ? "false" : is_complex(shape.type) ? "(0, 0)" : "0";
  const InstructionId nothing = constant(Shape::array(shape.type, {}), zero, id);
  Instruction made;
  made.name = writer_.unique("pad");
  made.opcode = Opcode::pad;
  made.shape = Shape::array(shape.type, to);
  made.operands = {id, nothing};
  made.provenance = now_->provenance;
  made.sharding = page_.at(id).sharding;
  Padding padding{std::vector<PadDim>(to.size())};
  for (size_t d = 0; d < to.size(); ++d) padding.dims[d].high = to[d] - shape.dims[d];
  made.attributes = std::move(padding);
  return writer_.add(page_, std::move(made), now_->name);
}

InstructionId Padder::cut(InstructionId id, const Dims& to) {
  const Shape shape = page_.at(id).shape;
  if (shape.dims == to) return id;
  Instruction made;
  made.name = writer_.unique("unpad");
  made.opcode = Opcode::slice;
  made.shape = Shape::array(shape.type, to);
  made.operands = {id};
  made.provenance = now_->provenance;
  made.sharding = page_.at(id).sharding;
  for (const int64_t size : to) made.slice.edit().push_back({0, size, 1});
  return writer_.add(page_, std::move(made), now_->name);
}

InstructionId Padder::masked(InstructionId id, size_t dim, int64_t limit, const std::string& literal) {
  const Shape shape = page_.at(id).shape;
  if (shape.dims[dim] == limit) return id;
  const Shape places = Shape::array(ElementType::s32, shape.dims);
  Instruction iota;
  iota.name = writer_.unique("place");
  iota.opcode = Opcode::iota;
  iota.shape = places;
  iota.dimensions = {static_cast<int64_t>(dim)};
  iota.sharding = page_.at(id).sharding;
  const InstructionId place = writer_.add(page_, std::move(iota), now_->name);
  const InstructionId end = constant(places, std::to_string(limit), id);
  Instruction compare;
  compare.name = writer_.unique("within");
  compare.opcode = Opcode::compare;
  compare.shape = Shape::array(ElementType::pred, shape.dims);
  compare.operands = {place, end};
  compare.attributes = CompareDirection::lt;
  compare.sharding = page_.at(id).sharding;
  const InstructionId within = writer_.add(page_, std::move(compare), now_->name);
  return add(Opcode::select, shape, {within, id, constant(shape, literal, id)}, "masked", id);
}

std::optional<InstructionId> Padder::in_its_size(InstructionId value) {
  if (!is_padded(value)) return made(value);
  if (is_uneven(from_.at(value))) return std::nullopt;
  return cut(made(value), shape(value).dims);
}

bool Padder::put(const Instruction& i, std::vector<InstructionId> operands, const Dims& dims) {
  if (!i.shape.is_tuple && rounded_up(dims, counts_of(i, dims.size())) != dims) return false;
  Instruction made = i;
  made.operands = std::move(operands);
  if (!i.shape.is_tuple && dims != i.shape.dims) made.shape = Shape::array(i.shape.type, dims);
  const auto step = before_.steps.find(i.name);
  if (step != before_.steps.end()) writer_.made().steps[i.name] = step->second;
  made_.push_back(writer_.add(page_, std::move(made), i.name));
  return true;
}

namespace pad_rule {

// Nothing that it reads or makes is padded.
bool as_it_is(Padder& p, const Instruction& i) {
  std::vector<InstructionId> operands;
  for (const InstructionId operand : i.operands) {
    const auto own = p.in_its_size(operand);
    if (!own) return false;
    operands.push_back(*own);
  }
  return p.put(i, std::move(operands), i.shape.is_tuple ? Dims() : i.shape.dims);
}

// An array, the operands as large as it is.
bool elementwise(Padder& p, const Instruction& i) {
  if (i.shape.is_tuple) return as_it_is(p, i);
  Dims to = i.shape.dims;
  for (const InstructionId operand : i.operands)
    if (p.dims(operand).size() == to.size()) to = larger(to, p.dims(operand));
  to = rounded_up(to, counts_of(i, to.size()));
  std::vector<InstructionId> operands;
  for (const InstructionId operand : i.operands)
    operands.push_back(p.dims(operand).size() == to.size() ? p.grown(operand, to) : p.made(operand));
  return p.put(i, std::move(operands), to);
}

// What one collective does; a dimension that is whole behind it has its own size again.
bool copy(Padder& p, const Instruction& i) {
  const CollectiveMove* move = p.step_of(i);
  if (move == nullptr) return elementwise(p, i);
  const InstructionId operand = i.operands[0];
  const size_t rank = i.shape.rank();
  Dims both = counts_of(i, rank);
  const Dims before = counts_of(p.from().at(operand), rank);
  for (size_t d = 0; d < rank; ++d) both[d] = std::lcm(both[d], before[d]);
  const Dims to = rounded_up(p.dims(operand), both);
  return p.put(i, {p.grown(operand, to)}, to) && p.trim(i);
}

bool source(Padder& p, const Instruction& i) {
  if (i.opcode == Opcode::iota) return p.put(i, {}, rounded_up(i.shape.dims, counts_of(i, i.shape.rank())));
  return !is_uneven(i) && p.put(i, {}, i.shape.dims);
}

bool broadcast(Padder& p, const Instruction& i) {
  Dims to = i.shape.dims;
  const InstructionId operand = i.operands[0];
  for (size_t d = 0; d < i.dimensions->size(); ++d) {
    auto& size = to[static_cast<size_t>((*i.dimensions)[d])];
    size = std::max(size, p.dims(operand)[d]);
  }
  to = rounded_up(to, counts_of(i, to.size()));
  Dims own;
  for (const int64_t d : *i.dimensions) own.push_back(to[static_cast<size_t>(d)]);
  return p.put(i, {p.grown(operand, own)}, to);
}

bool transpose(Padder& p, const Instruction& i) {
  Dims to;
  for (const int64_t d : *i.dimensions) to.push_back(p.dims(i.operands[0])[static_cast<size_t>(d)]);
  return p.put(i, {p.made(i.operands[0])}, to);
}

// Both sides are nothing beyond the end of what is summed.
bool dot(Padder& p, const Instruction& i) {
  const auto dims = product_dims(p.from(), i);
  if (!dims) return false;
  const InstructionId lhs = i.operands[0], rhs = i.operands[1];
  Dims left = p.dims(lhs), right = p.dims(rhs);
  const auto agree = [&](int64_t l, int64_t r) {
    auto &a = left[static_cast<size_t>(l)], &b = right[static_cast<size_t>(r)];
    a = b = std::max(a, b);
  };
  for (size_t k = 0; k < dims->lhs_batch.size(); ++k) agree(dims->lhs_batch[k], dims->rhs_batch[k]);
  for (size_t k = 0; k < dims->lhs_contracting.size(); ++k)
    agree(dims->lhs_contracting[k], dims->rhs_contracting[k]);
  InstructionId a = p.grown(lhs, left), b = p.grown(rhs, right);
  const auto zero = identity_of(Opcode::add, p.shape(lhs).type),
             zero_too = identity_of(Opcode::add, p.shape(rhs).type);
  if (!zero || !zero_too) return false;
  for (const int64_t d : dims->lhs_contracting)
    a = p.masked(a, static_cast<size_t>(d), p.shape(lhs).dims[static_cast<size_t>(d)], *zero);
  for (const int64_t d : dims->rhs_contracting)
    b = p.masked(b, static_cast<size_t>(d), p.shape(rhs).dims[static_cast<size_t>(d)], *zero_too);
  Dims to;
  for (const int64_t d : dims->lhs_batch) to.push_back(left[static_cast<size_t>(d)]);
  const auto rest = [&](const Dims& sizes, const std::vector<int64_t>& batch,
                        const std::vector<int64_t>& summed) {
    for (const int64_t d : free_dims(sizes.size(), batch, summed))
      to.push_back(sizes[static_cast<size_t>(d)]);
  };
  rest(left, dims->lhs_batch, dims->lhs_contracting);
  rest(right, dims->rhs_batch, dims->rhs_contracting);
  return p.put(i, {a, b}, to);
}

// What changes nothing stands beyond the end of what is reduced.
bool reduce(Padder& p, const Instruction& i) {
  if (i.shape.is_tuple || i.operands.size() != 2 || !p.is_padded(i.operands[0])) return as_it_is(p, i);
  const InstructionId operand = i.operands[0];
  const auto nothing = identity_of(reducer_opcode(p.module(), i), i.shape.type);
  if (!nothing) return false;
  InstructionId id = p.made(operand);
  Dims to;
  for (size_t d = 0; d < p.shape(operand).rank(); ++d)
    if (std::ranges::count(*i.dimensions, static_cast<int64_t>(d)) > 0)
      id = p.masked(id, d, p.shape(operand).dims[d], *nothing);
    else
      to.push_back(p.dims(operand)[d]);
  return p.put(i, {id, p.made(i.operands[1])}, to);
}

using Rule = bool (*)(Padder& padder, const Instruction& instruction);
const OpTable<Rule>& rules() {
  static const OpTable<Rule> table({{OpClass::elementwise, &elementwise}}, {{Opcode::copy, &copy},
                                                                            {Opcode::parameter, &source},
                                                                            {Opcode::iota, &source},
                                                                            {Opcode::constant, &source},
                                                                            {Opcode::broadcast, &broadcast},
                                                                            {Opcode::transpose, &transpose},
                                                                            {Opcode::dot, &dot},
                                                                            {Opcode::reduce, &reduce}});
  return table;
}

}  // namespace pad_rule

bool Padder::trim(const Instruction& i) {
  const InstructionId id = made_.back();
  const Dims counts = counts_of(i, i.shape.rank());
  Dims to = page_.at(id).shape.dims;
  for (size_t d = 0; d < to.size(); ++d)
    if (counts[d] == 1) to[d] = i.shape.dims[d];
  made_.back() = cut(id, to);
  return true;
}

std::optional<Computation> Padder::run(const std::stop_token& stop) {
  for (const Instruction& i : from_.instructions) {
    if (stop.stop_requested()) return std::nullopt;
    now_ = &i;
    const pad_rule::Rule rule = pad_rule::rules()[i.opcode];
    if (rule != nullptr ? rule(*this, i) : pad_rule::as_it_is(*this, i)) continue;
    without_rule_ = i.name;
    return std::nullopt;
  }
  const auto root = in_its_size(from_.root);
  if (!root) {
    without_rule_ = from_.root_instruction().name;
    return std::nullopt;
  }
  return std::move(page_).close(from_, *root);
}

}  // namespace

Result<PaddedModule> pad_for_divisibility(const std::shared_ptr<const FittedModule>& collectives,
                                          std::stop_token stop) {
  PaddedModule out;
  const Program& module = *collectives->program;
  const Computation& entry = module.entry_computation();
  for (const Computation& c : module.computations) {
    const auto uneven = std::ranges::find_if(c.instructions, is_uneven);
    if (uneven == c.instructions.end()) continue;
    if (&c != &entry) {
      out.why = fmt::format("{} is in a computation that others call", display_name(*uneven));
      return out;
    }
    FittedWriter writer(collectives, StageKind::padded, collectives->mesh);
    writer.made().devices = collectives->devices;
    writer.made().local = collectives->local;
    Padder padder(*collectives, entry, writer);
    auto made = padder.run(stop);
    if (stop.stop_requested()) return cancelled();
    if (!made) {
      out.why =
          fmt::format("{} has no rule for padded arrays", display_name(*collectives, padder.without_rule()));
      return out;
    }
    Program program = module;
    program.computations[static_cast<size_t>(program.entry.value)] = *std::move(made);
    TRY(out.module, std::move(writer).done(std::move(program), {}));
  }
  return out;
}

}  // namespace shardscope::inline partitioner
