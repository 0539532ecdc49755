// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/module_index.h"

#include <algorithm>

#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/measure/import/event_words.h"
#include "engine/measure/import/hlo_line.h"
#include "engine/measure/import/kernel_table.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/module_form.h"

namespace shardscope::inline measure {
namespace {

constexpr int kDeepestFusion = 8;  // fusions in fusions

struct Place {
  const Computation* computation = nullptr;
  const Instruction* instruction = nullptr;
};

// The one product that a fusion stands for; without one its root.
Place stands_for(const Program& program, Place place, int depth = 0) {
  const Computation* body = fused_computation(program, *place.instruction);
  if (body == nullptr || depth == kDeepestFusion) return place;
  for (const Instruction& i : body->instructions) {
    const Place inside = stands_for(program, {body, &i}, depth + 1);
    if (operation(inside.instruction->opcode).kind == OpClass::product) return inside;
  }
  return {body, &body->root_instruction()};
}

// Whether a fusion changes elements on their way: what counts places is a scalar's work, and no more than a
// copy's.
bool computes(const Program& program, const Instruction& fusion, int depth = 0) {
  const Computation* body = fused_computation(program, fusion);
  if (body == nullptr || depth == kDeepestFusion) return false;
  return std::ranges::any_of(body->instructions, [&](const Instruction& i) {
    using enum OpClass;
    const OpClass kind = operation(i.opcode).kind;
    const bool of_arrays = i.shape.is_tuple || i.shape.rank() > 0;
    return (kind == elementwise && of_arrays) || kind == reduction || kind == indexed || kind == transform ||
           computes(program, i, depth + 1);
  });
}

const Instruction* operand(const Computation& c, const Instruction& i, size_t k) {
  return k < i.operands.size() ? &c.at(i.operands[k]) : nullptr;
}

std::vector<Shape> operand_shapes(const Computation& c, const Instruction& i) {
  std::vector<Shape> out;
  for (size_t k = 0; k < i.operands.size(); ++k) out.push_back(operand(c, i, k)->shape);
  return out;
}

int32_t group_of(const Instruction& i) {
  const ReplicaGroups& groups = i.replica_groups;
  if (!groups.ragged.empty()) return static_cast<int32_t>(groups.ragged.front().size());
  return groups.tiles.dims.size() == 2 ? static_cast<int32_t>(groups.tiles.dims[1]) : 0;
}

void put_product(const Place& place, MeasuredOperation& out) {
  if (operation(place.instruction->opcode).kind != OpClass::product) return;
  out.kind = MeasuredKind::product;
  out.matched = true;
  out.flops = dot_flops(*place.computation, *place.instruction);
  const DotSize size = dot_size(*place.computation, *place.instruction);
  out.batch = size.batch, out.m = size.m, out.k = size.k, out.n = size.n;
}

MeasuredOperation facts_of(const Program& program, const Place& place) {
  const Place inner = stands_for(program, place);
  const NamedKind kind = kind_of_opcode(opcode_text(*inner.instruction));
  MeasuredOperation out;
  out.kind = kind.kind;
  out.opcode = kind.opcode;
  if (out.kind == MeasuredKind::copy && computes(program, *place.instruction)) {
    out.kind = MeasuredKind::elementwise;  // its root only moves what the others made
    out.opcode.clear();
  }
  out.matched = true;
  out.module = program.name;
  out.instruction = inner.instruction->name;
  HloLine line{
      inner.instruction->shape, out.opcode, operand_shapes(*inner.computation, *inner.instruction), {}};
  put_product(inner, out);
  if (out.kind != MeasuredKind::product) {  // what a fusion reads and writes is outside of it
    line.result = place.instruction->shape;
    line.operands = operand_shapes(*place.computation, *place.instruction);
    line.opcode = inner.instruction == place.instruction ? opcode_text(place.instruction->opcode) : "";
  }
  out.dtype = line.element_type();
  out.shapes = line.shapes(out.kind == MeasuredKind::product);
  out.bytes = out.kind == MeasuredKind::collective ? line.whole_bytes() : line.read_and_written();
  if (out.kind == MeasuredKind::collective) out.group = group_of(*inner.instruction);
  return out;
}

// Layers of a model have the same groups.
ProfiledGroupsPtr shared(ProfiledGroupsPtr groups, std::vector<ProfiledGroupsPtr>& known) {
  for (const ProfiledGroupsPtr& each : known)
    if (groups == nullptr || *each == *groups) return groups == nullptr ? nullptr : each;
  constexpr size_t kMostKnown = 64;
  if (groups != nullptr && known.size() < kMostKnown) known.push_back(groups);
  return groups;
}

Result<std::shared_ptr<const Program>> program_of(std::string bytes, const std::string& file) {
  TRY(HloText read, read_module_bytes(std::move(bytes), file));
  if (read.cut) return *read.cut;
  TRY_VOID(verify(read.program));
  return std::make_shared<const Program>(std::move(read.program));
}

// "jit_f" of "jit_f(12)".
std::string_view without_launch(std::string_view module) {
  return module.substr(0, module.find('('));
}

}  // namespace

ModuleIndex ModuleIndex::of(std::shared_ptr<const Program> program, const std::vector<int64_t>& assignment) {
  ModuleIndex out;
  std::vector<ProfiledGroupsPtr> known;
  for (const Computation& c : program->computations)
    for (const Instruction& i : c.instructions) {
      const MeasuredOperation& facts =
          out.by_name_.emplace(i.name, facts_of(*program, {&c, &i})).first->second;
      const Instruction& inner = *stands_for(*program, {&c, &i}).instruction;
      if (facts.kind == MeasuredKind::collective && !inner.permutation)
        out.groups_.emplace(i.name, shared(groups_of(*program, inner, assignment), known));
    }
  out.calls_ = ModuleCalls(*program);
  out.program_ = std::move(program);
  return out;
}

bool ModuleIndex::join(ProfiledOperation& operation) const {
  const auto found = by_name_.find(operation.op);
  if (found == by_name_.end()) {
    operation.matched = false;
    return false;
  }
  MeasuredOperation known = found->second;
  known.op = operation.op;
  // What the profiler counted is nearer than what shapes say.
  if (known.kind != MeasuredKind::collective && operation.bytes > 0) known.bytes = operation.bytes;
  static_cast<MeasuredOperation&>(operation) = std::move(known);
  if (const auto groups = groups_.find(operation.op); groups != groups_.end())
    operation.groups = groups->second;
  return true;
}

Result<void> Modules::read(const std::string& file) {
  TRY(std::string bytes, read_file(file, int64_t{512} << 20));
  TRY(std::shared_ptr<const Program> program, program_of(std::move(bytes), file));
  given_ = std::make_unique<ModuleIndex>(ModuleIndex::of(std::move(program)));
  return {};
}

void Modules::hold(int64_t program, std::string_view name, std::string proto) {
  held_.try_emplace(program, Held{std::string(without_launch(name)), std::move(proto), nullptr, false});
}

// One that cannot be read is one that the profile does not hold.
const ModuleIndex* Modules::index_of(Held& held) {
  if (std::exchange(held.read, true)) return held.index.get();
  const std::vector<int64_t> assignment = device_assignment(held.proto);
  if (Result<std::shared_ptr<const Program>> program = program_of(std::move(held.proto), held.name);
      program.ok())
    held.index = std::make_unique<ModuleIndex>(ModuleIndex::of(std::move(*program), assignment));
  return held.index.get();
}

const ModuleIndex* Modules::of(const ProfiledOperation& operation) {
  const std::string_view module = without_launch(operation.module);
  const bool unnamed = module.empty() || operation.module.starts_with("program ");
  if (given_ != nullptr && (unnamed || module == given_->name())) return given_.get();
  if (const auto found = held_.find(operation.program); found != held_.end()) return index_of(found->second);
  Held* only = nullptr;
  for (auto& [program, held] : held_) {
    if (held.name != module) continue;
    if (only != nullptr) return nullptr;  // several of that name
    only = &held;
  }
  return only == nullptr ? nullptr : index_of(*only);
}

}  // namespace shardscope::inline measure
