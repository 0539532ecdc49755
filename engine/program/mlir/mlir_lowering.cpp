// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_lowering.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/mlir/mlir_case.h"
#include "engine/program/mlir/stablehlo_ops.h"
#include "engine/program/rules/shape_rules.h"
#include "engine/program/text/hlo_lexer.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kMostCalls = 64;  // one inside the other

}  // namespace

bool is_mlir_return(std::string_view name) {
  if (!name.ends_with("return")) return false;
  return name == "return" || name == "func.return" || name == "stablehlo.return" || name == "sdy.return" ||
         name == "mhlo.return";
}

Result<Program> MlirLowering::program() {
  TRY(module_, read_mlir_module(lexer_));
  TRY_VOID(shardings_.read_meshes());
  program_.name = module_.name.empty() ? "module" : std::string(module_.name);
  TRY_VOID(read_module_attributes());
  const MlirFunction* entry = module_.entry();
  if (entry == nullptr) return lexer_.error_at(0, "no function, expected func.func @main");
  TRY(program_.entry, function(entry->name, entry->place, {}));
  settle_mesh();
  return std::move(program_);
}

Result<void> MlirLowering::read_module_attributes() {
  devices_ = shardings_.device_count();
  std::vector<MlirAttribute> frontend;
  for (const MlirAttribute& a : module_.attributes) {
    if (a.key == "mhlo.num_partitions") {
      TRY(const MlirNumbers count, read_mlir_numbers(lexer_, a.value));
      if (count.numbers.size() != 1 || count.numbers[0] < 1 || count.numbers[0] > Mesh::kMaxDevices)
        return lexer_.error_at(lexer_.place_of(a.value), "expected 1 to 2^20 partitions");
      devices_ = std::max(devices_, count.numbers[0]);
    } else if (a.key == "mhlo.num_replicas") {
      TRY(const MlirNumbers count, read_mlir_numbers(lexer_, a.value));
      if (count.numbers.size() == 1 && count.numbers[0] > 1)
        program_.verbatim.push_back({"replica_count", std::to_string(count.numbers[0])});
    } else if (a.key == "mhlo.frontend_attributes") {
      TRY(frontend, mlir_entries(lexer_, a.value));
    }
  }
  // The module's own meshes stand among the same attributes where Shardy's words have become text.
  std::vector<std::string> said;
  const std::string meshes = shardings_.meshes_text();
  if (!meshes.empty()) said.push_back("xla.sdy.meshes=" + quote(meshes));
  for (const MlirAttribute& entry : frontend)
    if (meshes.empty() || entry.key != "xla.sdy.meshes")
      said.push_back(std::string(entry.key) + "=" + quote(mlir_string(entry.value)));
  if (!said.empty()) program_.verbatim.push_back({"frontend_attributes", "{" + join(said, ",") + "}"});
  // Permutes ask for the number of devices.
  settle_mesh();
  return {};
}

void MlirLowering::settle_mesh() {
  if (program_.mesh.device_count() >= devices_) return;
  const auto named = shardings_.named_mesh();
  const auto plain = Mesh::make({{"device", devices_, true}});
  if (named && named->device_count() == devices_) {
    program_.mesh = *named;
  } else if (plain.ok()) {
    program_.mesh = *plain;
  }
}

void MlirProgram::needs_devices(int64_t count) {
  devices_ = std::max(devices_, count);
}

std::string MlirProgram::unique(std::string_view base) {
  std::string out;
  out.reserve(base.size() + 8);
  out += base;
  out += '.';
  return out += std::to_string(next_++);
}

Instruction MlirProgram::instruction(Opcode opcode, Shape shape, std::vector<InstructionId> operands) {
  Instruction out;
  out.opcode = opcode;
  out.shape = std::move(shape);
  out.operands = std::move(operands);
  return out;
}

InstructionId MlirProgram::emit(MlirScope& scope, Instruction&& i) {
  recent_.share(i);
  auto& instructions = scope.into->made.instructions;
  if (i.name.empty()) i.name = unique(opcode_text(i));
  instructions.push_back(std::move(i));
  return InstructionId(static_cast<int64_t>(instructions.size()) - 1);
}

InstructionId MlirProgram::tuple(MlirScope& scope, const std::vector<InstructionId>& values) {
  std::vector<Shape> shapes;
  for (const InstructionId id : values) shapes.push_back(scope.into->made.at(id).shape);
  return emit(scope, instruction(Opcode::tuple, Shape::tuple(std::move(shapes)), values));
}

void MlirProgram::name_as_written(MlirScope& scope, std::string_view value, InstructionId made) {
  Instruction& i = scope.into->made.instructions[static_cast<size_t>(made.value)];
  if (scope.of_elements || i.opcode == Opcode::parameter || !i.text_name.empty()) return;
  i.text_name = TextName{"%" + std::string(value), i.name};
}

void MlirLowering::bind(MlirScope& scope, const MlirOp& op, InstructionId made) {
  if (!op.results.empty()) name_as_written(scope, op.results[0].name, made);
  if (op.results.size() == 1 && op.results[0].count == 1) {
    scope.names[op.results[0].name] = {made, -1};
    return;
  }
  int64_t element = 0;
  for (const MlirResult& result : op.results) {
    if (result.count == 1) {
      scope.names[result.name] = {made, element};
    } else {
      scope.packs[result.name] = {made, element};
    }
    element += result.count;
  }
}

Result<void> MlirLowering::bind_each(MlirScope& scope, const MlirOp& op,
                                     const std::vector<InstructionId>& made) {
  if (op.result_count() != static_cast<int64_t>(made.size()))
    return lexer_.error_at(op.place, std::string(op.name) + ": got " + std::to_string(op.result_count()) +
                                         " results, expected " + std::to_string(made.size()));
  size_t next = 0;
  for (const MlirResult& result : op.results) {
    for (int64_t k = 0; k < result.count; ++k) {
      const std::string_view name =
          result.count == 1 ? result.name
                            : made_names_.emplace_back(std::string(result.name) + "#" + std::to_string(k));
      name_as_written(scope, name, made[next]);
      scope.names[name] = {made[next++], -1};
    }
  }
  return {};
}

Result<InstructionId> MlirLowering::value(MlirScope& scope, std::string_view name, size_t place) {
  MlirValue found;
  if (const MlirValue* at = scope.names.find(name)) {
    found = *at;
  } else {
    // "0#1": an element of a pack; "0" and "0#0" are the first.
    const size_t hash = std::min(name.find('#'), name.size());
    const std::string_view digits = hash < name.size() ? name.substr(hash + 1) : "0";
    const int64_t element = parse_int(digits).value_or(-1);
    const MlirValue* const single = scope.names.find(name.substr(0, hash));
    const auto* const pack = scope.packs.find(name.substr(0, hash));
    if (single != nullptr && element == 0) {
      found = *single;
    } else if (pack != nullptr && element >= 0 && element < (1 << 20)) {
      found = {pack->first, pack->second + element};
    } else {
      return lexer_.error_at(place, "value '%" + std::string(name) + "' is not defined here");
    }
  }
  if (found.element < 0) return found.id;
  const Shape& from = scope.into->made.at(found.id).shape;
  if (!from.is_tuple || found.element >= static_cast<int64_t>(from.elements.size()))
    return lexer_.error_at(place, "value '%" + std::string(name) + "' is not defined here");
  const uint64_t key = (static_cast<uint64_t>(found.id.value) << 32) | static_cast<uint32_t>(found.element);
  if (const auto known = scope.into->elements.find(key); known != scope.into->elements.end())
    return known->second;
  Instruction element =
      instruction(Opcode::get_tuple_element, from.elements[static_cast<size_t>(found.element)], {found.id});
  element.tuple_index = found.element;
  return scope.into->elements[key] = emit(scope, std::move(element));
}

Result<std::vector<InstructionId>> MlirLowering::body(MlirScope& scope, const std::vector<MlirOp>& ops) {
  std::vector<InstructionId> returned;
  for (const MlirOp& op : ops) {
    if (!is_mlir_return(op.name)) {
      TRY_VOID(one(scope, op));
      continue;
    }
    for (const std::string_view name : op.operands) {
      TRY(const InstructionId id, value(scope, name, op.place));
      returned.push_back(id);
    }
    const auto& types = op.has_arrow ? op.operand_types : op.result_types;
    for (size_t k = 0; k < std::min(types.size(), returned.size()); ++k)
      if (const Shape& given = scope.into->made.at(returned[k]).shape; !same_shape(*types[k], given))
        return lexer_.error_at(op.place,
                               "returns " + given.text() + ", its type here is " + types[k]->text());
    return returned;
  }
  return lexer_.error_at(ops.empty() ? 0 : ops.back().place, "a region ends without returning");
}

// A name is given once where it can be seen.
Result<void> MlirLowering::check_new_names(const MlirScope& scope, const MlirOp& op) const {
  for (const MlirResult& r : op.results)
    if (scope.names.contains(r.name) || (!scope.packs.empty() && scope.packs.contains(r.name)))
      return lexer_.error_at(op.place, "value '%" + std::string(r.name) + "' is there already");
  return {};
}

// Where the operation says the types of its operands, they are those of the values. A reduction pairs arrays
// with initial values, and says the types of all arrays first.
Result<void> MlirLowering::check_operand_types(const MlirCase& c) const {
  if (!c.op.has_arrow || c.op.operand_types.size() != c.operands.size() || c.op.name.ends_with(".reduce"))
    return {};
  for (size_t k = 0; k < c.operands.size(); ++k)
    if (!same_shape(*c.op.operand_types[k], c.shape(k)))
      return c.error("operand " + std::to_string(k) + " is " + c.shape(k).text() + ", its type here is " +
                     c.op.operand_types[k]->text());
  return {};
}

Result<void> MlirLowering::check_made(const MlirOp& op, const Computation& made, const Instruction& i) const {
  const InstructionCheck check{program_, made, i};
  auto fits = check_written(program_, made, i);
  const ShapeRule rule = shape_rule(i.opcode);
  // How many devices there are is known at the end.
  if (fits.ok() && rule != nullptr && operation(i.opcode).kind != OpClass::collective)
    fits = is_sound(i.shape) ? rule(check) : check.error("a shape that is too large");
  return fits.ok() ? fits : lexer_.error_at(op.place, fits.error().what);
}

Result<void> MlirLowering::one(MlirScope& scope, const MlirOp& op) {
  if (stop_.stop_requested()) return cancelled();
  TRY_VOID(check_new_names(scope, op));
  MlirCase c{*this, scope, op, {}};
  c.operands.reserve(op.operands.size());
  for (const std::string_view name : op.operands) {
    TRY(const InstructionId id, value(scope, name, op.place));
    c.operands.push_back(id);
  }
  TRY_VOID(check_operand_types(c));
  const size_t before = scope.into->made.instructions.size();
  TRY_VOID(lower_stablehlo(c));
  // What it became has to be HLO; constants were looked at number by number.
  Computation& made = scope.into->made;
  const int32_t line = lines_.line_at(op.place);
  for (size_t k = before; k < made.instructions.size(); ++k) {
    if (made.instructions[k].line == 0) made.instructions[k].line = line;  // else of an inner operation
    if (made.instructions[k].opcode == Opcode::constant) continue;
    TRY_VOID(check_made(op, made, made.instructions[k]));
  }
  return {};
}

ComputationId MlirProgram::close(MlirComputation computation, std::string_view base,
                                 std::vector<InstructionId> results) {
  MlirScope scope;
  scope.into = &computation;
  computation.made.root = results.size() == 1 ? results.front() : tuple(scope, results);
  auto& instructions = computation.made.instructions;
  if (instructions.capacity() > instructions.size() + instructions.size() / 8) instructions.shrink_to_fit();
  int64_t& taken = used_names_[std::string(base)];
  computation.made.name = taken++ == 0 ? std::string(base) : unique(base);
  program_.computations.push_back(std::move(computation.made));
  return ComputationId(static_cast<int64_t>(program_.computations.size()) - 1);
}

ComputationId MlirProgram::reducer(Opcode opcode, ElementType type) {
  const uint64_t key = (static_cast<uint64_t>(opcode) << 8) | static_cast<uint64_t>(type);
  if (const auto known = reducers_.find(key); known != reducers_.end()) return known->second;
  MlirComputation made;
  MlirScope scope;
  scope.into = &made;
  std::vector<InstructionId> parameters;
  for (int64_t k = 0; k < 2; ++k) {
    Instruction p = instruction(Opcode::parameter, Shape::scalar(type), {});
    p.parameter_number = k;
    parameters.push_back(emit(scope, std::move(p)));
  }
  const InstructionId root = emit(scope, instruction(opcode, Shape::scalar(type), parameters));
  return reducers_[key] =
             close(std::move(made), unique("reduce_" + std::string(opcode_text(opcode))), {root});
}

Result<ComputationId> MlirLowering::function(std::string_view name, size_t place, const MlirScope& caller) {
  const std::string key = std::string(name) + "\n" + join(caller.manual, "\n");
  if (const auto known = functions_.find(key); known != functions_.end()) return known->second;
  const MlirFunction* f = module_.find(name);
  if (f == nullptr)
    return lexer_.error_at(place, "function '@" + std::string(name) + "' is not in the module");
  if (std::ranges::count(open_functions_, name) > 0)
    return lexer_.error_at(place,
                           "function '@" + std::string(name) + "' calls itself: recursion is not supported");
  if (open_functions_.size() >= kMostCalls)
    return lexer_.error_at(place, "calls nested deeper than " + std::to_string(kMostCalls));
  open_functions_.push_back(name);
  TRY(const ComputationId made, lower_function(*f, caller));
  open_functions_.pop_back();
  return functions_[key] = made;
}

}  // namespace shardscope::inline program
