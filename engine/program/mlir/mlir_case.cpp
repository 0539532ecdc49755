// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_case.h"

#include <algorithm>
#include <set>

#include "engine/program/mlir/stablehlo_ops.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kMostRepeated = 64;  // characters of a constant that is made again rather than handed on

std::string_view without_number(std::string_view name) {
  return name.substr(0, name.find('#'));
}

void collect(const MlirRegion& region, std::set<std::string_view> known, std::set<std::string_view>& seen,
             std::vector<std::string_view>& out) {
  for (const MlirArgument& a : region.arguments) known.insert(a.name);
  for (const MlirOp& op : region.body) {
    for (const std::string_view name : op.operands)
      if (!known.contains(without_number(name)) && seen.insert(name).second) out.push_back(name);
    for (const MlirRegion& inner : op.regions) collect(inner, known, seen, out);
    for (const MlirResult& r : op.results) known.insert(r.name);
  }
}

}  // namespace

Error MlirCase::error(const std::string& what) const {
  return all.lexer().error_at(op.place, std::string(op.name) + ": " + what);
}

Result<void> MlirCase::expects(size_t count) const {
  if (operands.size() >= count) return {};
  return error("got " + std::to_string(operands.size()) + " operands, expected " + std::to_string(count));
}

std::vector<Shape> MlirCase::results() const {
  const auto count = static_cast<size_t>(op.result_count());
  std::vector<Shape> out;
  const size_t from = op.result_types.size() >= count ? op.result_types.size() - count : 0;
  for (size_t k = from; k < op.result_types.size(); ++k) out.push_back(*op.result_types[k]);
  return out;
}

Result<Shape> MlirCase::result() const {
  const auto count = static_cast<size_t>(op.result_count());
  if (count == 1 && !op.result_types.empty()) return *op.result_types.back();
  std::vector<Shape> shapes = results();
  if (shapes.size() != count)
    return error("types of " + std::to_string(shapes.size()) + " results, expected " + std::to_string(count));
  if (shapes.size() == 1) return std::move(shapes.front());
  return Shape::tuple(std::move(shapes));
}

bool MlirCase::has(std::initializer_list<std::string_view> keys) const {
  return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) { return op.has(key); });
}

Result<std::string_view> MlirCase::text(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    const std::string_view value = op.attribute(key);
    if (value.empty()) continue;
    MlirLexer lexer = all.lexer();
    return all.module().resolved(lexer, value);
  }
  return std::string_view();
}

Result<std::vector<int64_t>> MlirCase::numbers(std::initializer_list<std::string_view> keys) const {
  TRY(const std::string_view value, text(keys));
  if (value.empty()) return std::vector<int64_t>();
  TRY(MlirNumbers read, read_mlir_numbers(all.lexer(), value));
  return std::move(read.numbers);
}

Result<std::optional<int64_t>> MlirCase::number(std::initializer_list<std::string_view> keys) const {
  TRY(const std::vector<int64_t> list, numbers(keys));
  if (list.size() > 1) return error("got a list, expected one number");
  return list.empty() ? std::nullopt : std::optional(list.front());
}

std::string_view MlirCase::word(char first) const {
  for (const std::string_view word : op.words)
    if (!word.empty() && word.front() == first) return word;
  return {};
}

Result<void> MlirCase::give(Instruction&& i) {
  TRY_VOID(all.annotate(op, scope.manual, i));
  all.bind(scope, op, all.emit(scope, std::move(i)));
  return {};
}

Result<void> MlirCase::give_plain() {
  TRY(Shape shape, result());
  return give(make(opcode, std::move(shape), std::move(operands)));
}

InstructionId MlirCase::broadcast(InstructionId scalar, const Shape& like) {
  const Shape& from = scope.into->made.at(scalar).shape;
  if (from.is_tuple || from.rank() == like.rank()) return scalar;
  Instruction made = make(Opcode::broadcast, Shape::array(from.type, like.dims), {scalar});
  return emit(std::move(made));
}

std::vector<std::string_view> captured_names(const std::vector<const MlirRegion*>& regions) {
  std::vector<std::string_view> out;
  std::set<std::string_view> seen;
  for (const MlirRegion* region : regions) collect(*region, {}, seen, out);
  return out;
}

std::optional<InstructionId> constant_again(MlirLowering& all, const MlirScope& from, InstructionId constant,
                                            MlirScope& to) {
  const Instruction& i = from.into->made.at(constant);
  if (i.opcode == Opcode::broadcast && !i.operands.empty()) {
    const Instruction& scalar = from.into->made.at(i.operands[0]);
    if (scalar.literal.empty() || scalar.shape.rank() != 0 || i.sharding) return std::nullopt;
    Instruction again = scalar, spread = i;
    again.name.clear();
    spread.name.clear();
    spread.operands = {all.emit(to, std::move(again))};
    return all.emit(to, std::move(spread));
  }
  if (i.literal.empty() || i.literal.size() > kMostRepeated || i.sharding) return std::nullopt;
  Instruction again = i;
  again.name.clear();
  return all.emit(to, std::move(again));
}

Result<ComputationId> closed_region(MlirCase& c, const MlirRegion& region, std::string_view base) {
  MlirComputation made;
  MlirScope inner;
  inner.into = &made;
  inner.manual = c.scope.manual;
  inner.mesh = c.scope.mesh;
  inner.of_elements = true;
  for (size_t k = 0; k < region.arguments.size(); ++k) {
    const MlirArgument& argument = region.arguments[k];
    if (argument.type == nullptr) return c.error("an argument of its region has no type");
    Instruction p = c.make(Opcode::parameter, *argument.type, {});
    p.parameter_number = static_cast<int64_t>(k);
    inner.names[argument.name] = {c.all.emit(inner, std::move(p)), -1};
  }
  for (const std::string_view name : captured_names({&region})) {
    TRY(const InstructionId outside, c.all.value(c.scope, name, c.op.place));
    const auto again = constant_again(c.all, c.scope, outside, inner);
    if (!again)
      return c.error("its region uses '%" + std::string(name) +
                     "' from outside, expected its arguments and constants");
    inner.names[name] = {*again, -1};
  }
  TRY(std::vector<InstructionId> results, c.all.body(inner, region.body));
  return c.all.close(std::move(made), c.all.unique(base), std::move(results));
}

Result<void> lower_stablehlo(MlirCase& c) {
  static const std::unordered_map<std::string_view, const StablehloOp*> kRows = [] {
    std::unordered_map<std::string_view, const StablehloOp*> out;
    for (const auto rows :
         {stablehlo_array_ops(), stablehlo_function_ops(), stablehlo_product_ops(), stablehlo_control_ops(),
          stablehlo_collective_ops(), stablehlo_named_ops(), shardy_ops()})
      for (const StablehloOp& row : rows) out.emplace(row.name, &row);
    return out;
  }();
  std::string_view name = c.op.name;
  for (const std::string_view dialect : {"stablehlo.", "mhlo.", "chlo.", "func."})
    if (name.starts_with(dialect)) {
      name.remove_prefix(dialect.size());
      break;
    }
  const auto row = kRows.find(name);
  if (row == kRows.end()) return lower_unknown_op(c);
  c.opcode = row->second->opcode;
  return row->second->lower(c);
}

}  // namespace shardscope::inline program
