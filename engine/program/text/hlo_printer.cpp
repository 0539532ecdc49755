// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/program/text/hlo_entries.h"
#include "engine/program/text/hlo_module_text.h"
#include "engine/program/text/hlo_text.h"
#include "engine/program/text/typed_attributes.h"

namespace shardscope {
namespace {

std::string sigil(HloStyle style) {
  return style == HloStyle::full ? "%" : "";
}

void append_list_attribute(std::string_view key, const std::vector<int64_t>& numbers, bool always,
                           std::string& out) {
  if (numbers.empty() && !always) return;
  out += ", " + std::string(key) + "=" + int_list_text(numbers);
}

void append_groups(const ReplicaGroups& groups, std::string& out) {
  out += ", replica_groups=";
  const TileAssignment& tiles = groups.tiles;
  if (!tiles.devices.empty()) {
    const std::string text = tile_assignment_text(tiles);
    if (text.find("<=") != std::string::npos) {
      out += text;
      return;
    }
  }
  std::vector<std::vector<int64_t>> lists = groups.ragged;
  const auto size = tiles.dims.empty() ? std::ptrdiff_t{0} : static_cast<std::ptrdiff_t>(tiles.dims.back());
  for (auto at = tiles.devices.begin(); at != tiles.devices.end(); at += size)
    lists.emplace_back(at, at + size);
  out += '{';
  for (size_t i = 0; i < lists.size(); ++i) {
    if (i > 0) out += ',';
    out += int_list_text(lists[i]);
  }
  out += '}';
}

void append_communication(const Instruction& i, std::string& out) {
  if (i.channel_id) out += ", channel_id=" + std::to_string(*i.channel_id);
  const bool grouped = is_collective(i.opcode) && !i.permutation && i.opcode != Opcode::collective_permute &&
                       i.opcode != Opcode::collective_permute_start;
  if (grouped || !i.replica_groups->tiles.devices.empty() || !i.replica_groups->ragged.empty())
    append_groups(i.replica_groups, out);
  if (!i.permutation) return;
  out += ", source_target_pairs={";
  bool first = true;
  for (const SourceTarget& pair : i.permutation->pairs()) {
    if (!first) out += ',';
    first = false;
    out += int_list_text({pair.source.value, pair.target.value});
  }
  out += '}';
}

void append_dimensions(const Instruction& i, std::string& out) {
  if (i.opcode == Opcode::iota) {
    if (!i.dimensions.empty()) out += ", iota_dimension=" + std::to_string(i.dimensions.front());
    return;
  }
  const bool always = i.opcode == Opcode::broadcast || i.opcode == Opcode::reduce ||
                      i.opcode == Opcode::transpose || i.opcode == Opcode::concatenate;
  append_list_attribute("dimensions", i.dimensions, always, out);
  append_list_attribute("dynamic_slice_sizes", i.dynamic_slice_sizes, i.opcode == Opcode::dynamic_slice, out);
  append_list_attribute("lhs_batch_dims", i.dot->lhs_batch, false, out);
  append_list_attribute("lhs_contracting_dims", i.dot->lhs_contracting, i.opcode == Opcode::dot, out);
  append_list_attribute("rhs_batch_dims", i.dot->rhs_batch, false, out);
  append_list_attribute("rhs_contracting_dims", i.dot->rhs_contracting, i.opcode == Opcode::dot, out);
  if (i.opcode != Opcode::slice) return;
  out += ", slice={";
  for (size_t d = 0; d < i.slice.size(); ++d) {
    if (d > 0) out += ", ";
    const SliceDim& dim = i.slice[d];
    out += "[" + std::to_string(dim.start) + ":" + std::to_string(dim.limit);
    if (dim.stride != 1) out += ":" + std::to_string(dim.stride);
    out += ']';
  }
  out += '}';
}

void append_called(const Program& program, const std::vector<CalledComputation>& called, HloStyle style,
                   std::string& out) {
  for (size_t i = 0; i < called.size(); ++i) {
    const bool list = called[i].key == "branch_computations" || called[i].key == "called_computations";
    const bool again = list && i > 0 && called[i - 1].key == called[i].key;
    const bool more = list && i + 1 < called.size() && called[i + 1].key == called[i].key;
    out += again ? ", " : ", " + called[i].key + (list ? "={" : "=");
    out += sigil(style) + program.computation(called[i].computation).name;
    if (list && !more) out += '}';
  }
}

void append_control(const Computation& computation, const std::vector<InstructionId>& predecessors,
                    HloStyle style, std::string& out) {
  if (predecessors.empty()) return;
  out += ", control-predecessors={";
  for (size_t i = 0; i < predecessors.size(); ++i) {
    if (i > 0) out += ", ";
    out += sigil(style) + computation.at(predecessors[i]).name;
  }
  out += '}';
}

void append_instruction(const Program& program, const Computation& computation, const Instruction& i,
                        HloStyle style, std::string& out) {
  out += sigil(style) + i.name + " = " + i.shape.text() + " ";
  out += i.opcode == Opcode::unknown ? std::string_view(i.opcode_name) : opcode_text(i.opcode);
  out += '(';
  if (i.opcode == Opcode::parameter) out += std::to_string(i.parameter_number);
  if (i.opcode == Opcode::constant) out += i.literal;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    if (k > 0) out += ", ";
    if (k > 0 && k % 5 == 0) out += "/*index=" + std::to_string(k) + "*/";
    const Instruction& operand = computation.at(i.operands[k]);
    if (style == HloStyle::full) out += operand.shape.text() + " %";
    out += operand.name;
  }
  out += ')';
  append_communication(i, out);
  append_dimensions(i, out);
  if (i.opcode == Opcode::get_tuple_element) out += ", index=" + std::to_string(i.tuple_index);
  for (const AttributeText& typed : typed_attributes(i.opcode)) {
    const std::string value = typed.print(i.attributes);
    if (!value.empty()) out += ", " + std::string(typed.key) + "=" + value;
  }
  append_called(program, i.called, style, out);
  if (i.sharding) out += ", sharding=" + i.sharding->text();
  append_control(computation, i.control_predecessors, style, out);
  std::vector<OwnEntries> own = {{"frontend_attributes", ',', {}}, {"metadata", ' ', {}}};
  if (i.provenance->step >= 0)
    own[0].entries.emplace_back("shardscope.step", std::to_string(i.provenance->step));
  if (!i.algorithm.empty()) own[0].entries.emplace_back("shardscope.algorithm", i.algorithm);
  if (i.rooted) own[0].entries.emplace_back("shardscope.rooted", "true");
  if (!i.provenance->op_name.empty()) own[1].entries.emplace_back("op_name", i.provenance->op_name);
  append_verbatim(i.verbatim, own, out);
}

// Parameters stand in the order of their numbers, wherever they are in the body.
void append_signature(const Computation& computation, std::string& out) {
  std::vector<const Instruction*> parameters;
  for (const Instruction& i : computation.instructions)
    if (i.opcode == Opcode::parameter) parameters.push_back(&i);
  std::ranges::stable_sort(parameters, {}, &Instruction::parameter_number);
  out += " (";
  for (size_t k = 0; k < parameters.size(); ++k)
    out += (k > 0 ? ", " : "") + parameters[k]->name + ": " + parameters[k]->shape.text();
  out += ") -> " + computation.root_instruction().shape.text();
}

void append_computation(const Program& program, size_t place, HloStyle style, std::string& out) {
  const Computation& computation = program.computations[place];
  if (static_cast<size_t>(program.entry.value) == place) out += "ENTRY ";
  out += sigil(style) + computation.name;
  if (style == HloStyle::full) append_signature(computation, out);
  out += " {\n";
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    out += static_cast<size_t>(computation.root.value) == i ? "  ROOT " : "  ";
    append_instruction(program, computation, computation.instructions[i], style, out);
    out += '\n';
  }
  out += '}';
  append_verbatim(computation.verbatim, {}, out);
  out += '\n';
}

}  // namespace

std::string print_instruction(const Program& program, const Computation& computation, InstructionId id) {
  std::string out;
  append_instruction(program, computation, computation.at(id), HloStyle::full, out);
  return out;
}

std::string print_program(const Program& program) {
  return print_program(program, HloStyle::full);
}

std::string print_program(const Program& program, HloStyle style) {
  std::string out = "HloModule " + program.name;
  if (program.mesh.device_count() > 1)
    out += ", num_partitions=" + std::to_string(program.mesh.device_count());
  append_verbatim(program.verbatim, {{"frontend_attributes", ',', module_entries(program)}}, out);
  out += '\n';
  for (const SourceTable& table : program.source_tables) {
    out += "\n" + table.name + "\n";
    for (const std::string& row : table.rows) out += row + "\n";
  }
  for (size_t i = 0; i < program.computations.size(); ++i) {
    out += '\n';
    append_computation(program, i, style, out);
  }
  return out;
}

}  // namespace shardscope
