// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/sharding_edits.h"

#include <algorithm>

#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/text/hlo_text.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline session {
namespace {

// With `axis` taken out of every dimension.
PartitionSpec without(PartitionSpec spec, const std::string& axis) {
  for (auto& axes : spec.dims) std::erase(axes, axis);
  return spec;
}

bool divides(const Mesh& mesh, const PartitionSpec& spec, const Shape& shape) {
  const auto named = NamedSharding::make(mesh, spec);
  return named.ok() && named->shard_shape(shape.dims).ok();
}

// What annotates the array: of `c`, where it stands.
const Instruction& annotation_of(const Computation& c, const Instruction& array) {
  const auto annotates = [&](const Instruction& i) {
    return custom_call_target(i) == "Sharding" && i.operands.size() == 1 && &c.at(i.operands[0]) == &array;
  };
  const auto found = std::ranges::find_if(c.instructions, annotates);
  return has_sharding(array) || found == c.instructions.end() ? array : *found;
}

std::optional<NearArray> near_array(const Partitioned& made, const Computation& c, const Instruction& array,
                                    const std::string& reader) {
  if (array.shape.is_tuple || array.shape.rank() == 0 || array.opcode == Opcode::constant)
    return std::nullopt;
  const Instruction& i = annotation_of(c, array);
  NearArray out{i.name, i.shape, {}, reader, array.name};
  if (const auto sharding = sharding_of(made, i.name)) {
    const auto named = sharding->to_named(made.program->mesh);
    out.named = named.ok();
    if (named.ok()) out.spec = named->spec();
  }
  out.spec.dims.resize(i.shape.rank());
  return out;
}

// The annotation of one reader's operand, in front of it; it is written `to`.
void annotate_for(const ShardingEdit& edit, const HloSharding& sharding, Computation& c) {
  const auto named = [&](const std::string& name) {
    return std::ranges::find(c.instructions, name, &Instruction::name);
  };
  const auto reader = named(edit.reader);
  if (named(edit.instruction) == c.instructions.end() || reader == c.instructions.end()) return;
  const auto value = InstructionId(named(edit.instruction) - c.instructions.begin());
  const auto at = reader - c.instructions.begin();
  Instruction made;
  made.name = edit.instruction + ".annotated";
  made.opcode = Opcode::custom_call;
  made.attributes = CustomCall{"Sharding"};
  made.shape = c.at(value).shape;
  made.operands = {value};
  made.provenance = reader->provenance;
  made.line = reader->line;
  put_shardings({sharding}, made);
  for (Instruction& i : c.instructions) {
    const bool is_reader = i.name == edit.reader;
    for (InstructionId& operand : i.operands) {
      if (is_reader && operand == value)
        operand = InstructionId(at);
      else if (operand.value >= at)
        operand = InstructionId(operand.value + 1);
    }
  }
  if (c.root.value >= at) c.root = InstructionId(c.root.value + 1);
  c.instructions.insert(c.instructions.begin() + at, std::move(made));
}

}  // namespace

std::optional<HloSharding> sharding_of(const Partitioned& made, const std::string& instruction) {
  const ModuleStage& module = first_stage(made);
  const Instruction* own = module.program.find(instruction);
  if (own != nullptr && own->sharding) return own->sharding;
  const StagePtr spread = stage_of(made.before, StageKind::propagated);
  if (spread == nullptr) return std::nullopt;
  for (const std::string& name : made_in(*spread, module, instruction))
    if (const Instruction& i = *spread->program.find(name); i.sharding) return i.sharding;
  return std::nullopt;
}

std::vector<NearArray> arrays_near(const Partitioned& made, const CollectiveOrigin& origin) {
  std::vector<NearArray> out;
  for (const Computation& c : first_stage(made).program->computations) {
    for (const Instruction& i : c.instructions) {
      if (i.name != origin.instruction) continue;
      const auto add = [&](const Instruction& array, const std::string& reader) {
        auto near = near_array(made, c, array, reader);
        if (near && std::ranges::count(out, near->name, &NearArray::name) == 0)
          out.push_back(*std::move(near));
      };
      std::vector<InstructionId> operands = i.operands;
      if (origin.operand == "rhs" && operands.size() > 1) std::swap(operands[0], operands[1]);
      const bool result_moves = origin.operand != "lhs" && origin.operand != "rhs";
      if (result_moves) add(i, "");
      for (const InstructionId operand : operands) add(c.at(operand), i.name);
      add(i, "");
    }
  }
  return out;
}

std::vector<PartitionSpec> one_step_away(const NearArray& array, const Mesh& mesh) {
  std::vector<PartitionSpec> out;
  if (!array.named) return out;
  const auto keep = [&](PartitionSpec spec) {
    if (spec != array.spec && divides(mesh, spec, array.shape) && std::ranges::count(out, spec) == 0)
      out.push_back(std::move(spec));
  };
  PartitionSpec whole;
  whole.dims.resize(array.shape.rank());
  keep(whole);
  for (const MeshAxis& axis : mesh.axes()) {
    if (axis.size == 1) continue;
    const PartitionSpec free = without(array.spec, axis.name);
    keep(free);
    for (size_t dim = 0; dim < free.dims.size(); ++dim) {
      PartitionSpec moved = free;
      moved.dims[dim].push_back(axis.name);
      keep(std::move(moved));
    }
  }
  return out;
}

std::optional<ShardingEdit> edit_to(const Partitioned& made, const NearArray& array,
                                    const PartitionSpec& spec) {
  const auto named = NamedSharding::make(made.program->mesh, spec);
  if (!named.ok()) return std::nullopt;
  return ShardingEdit{array.name, display_name(first_stage(made), array.name),
                      HloSharding::from(*named, array.shape.rank()).text(),
                      spec_text(spec, array.shape.rank())};
}

std::vector<ShardingEdit> edits_against(const Partitioned& made, const CollectiveOrigin& origin,
                                        const std::vector<HloSharding>& stops) {
  const Mesh& mesh = made.program->mesh;
  std::vector<ShardingEdit> out;
  const auto add = [&](std::optional<ShardingEdit> edit) {
    if (edit && std::ranges::count(out, *edit) == 0) out.push_back(*std::move(edit));
  };
  const auto add_spec = [&](const NearArray& array, const PartitionSpec& spec) {
    if (spec.dims.size() == array.shape.rank() && spec != array.spec && divides(mesh, spec, array.shape))
      add(edit_to(made, array, spec));
  };
  const std::vector<NearArray> arrays = arrays_near(made, origin);
  for (size_t k = 0; k < arrays.size() && k < 2; ++k) {
    const NearArray& array = arrays[k];
    for (const std::string* said : {&origin.to_spec, &origin.from_spec})
      if (const auto spec = PartitionSpec::parse(*said); !said->empty() && spec.ok()) add_spec(array, *spec);
    for (const HloSharding& stop : stops)
      if (stop.accepts(array.shape.dims).ok() && !array.reader.empty())
        add(ShardingEdit{array.read, display_name(first_stage(made), array.read), stop.text(),
                         sharding_text(stop, mesh, array.shape.rank()), array.reader});
  }
  for (const NearArray& array : arrays)
    for (const PartitionSpec& spec : one_step_away(array, mesh)) add_spec(array, spec);
  return out;
}

Program with_edit(const Program& module, const ShardingEdit& edit) {
  Program out = module;
  const auto sharding = HloSharding::parse(edit.sharding);
  if (!sharding.ok()) return out;
  for (Computation& c : out.computations) {
    if (!edit.reader.empty()) {
      annotate_for(edit, *sharding, c);
      continue;
    }
    for (Instruction& i : c.instructions)
      if (i.name == edit.instruction) put_shardings({*sharding}, i);
  }
  return out;
}

}  // namespace shardscope::inline session
