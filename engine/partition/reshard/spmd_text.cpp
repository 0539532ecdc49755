// SPDX-License-Identifier: Apache-2.0
// Instructions as XLA's partitioner logs them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/partition/reshard/resharder.h"
#include "engine/partition/reshard/spmd_log.h"

namespace shardscope::inline partitioner {
namespace {

std::string list_text(const HloSharding& sharding) {
  std::string out = fmt::format("{{devices=[{}]{}", fmt::join(sharding.tiles.dims, ","),
                                fmt::join(sharding.tiles.devices, ","));
  if (!sharding.subgroups.empty()) out += " last_tile_dim_replicate";
  return out + "}";
}

// "op_type" stands before "op_name" in XLA's text; what else there is follows.
std::string metadata_text(const Instruction& i) {
  std::string rest;
  for (const VerbatimAttribute& a : i.verbatim)
    if (a.key == "metadata" && a.value.size() > 2) rest = a.value.substr(1, a.value.size() - 2);
  std::string type;
  if (rest.rfind("op_type=", 0) == 0) {
    const size_t end = rest.find('"', rest.find('"') + 1) + 1;
    type = rest.substr(0, end);
    rest = end < rest.size() ? rest.substr(end + 1) : "";
  }
  std::string name = i.provenance->op_name.empty() ? "" : "op_name=\"" + i.provenance->op_name + "\"";
  std::string out;
  for (const std::string& part : {type, name, rest})
    if (!part.empty()) out += (out.empty() ? "" : " ") + part;
  return out.empty() ? "" : ", metadata={" + out + "}";
}

// XLA's logs leave out what stands in a constant of more elements than this.
constexpr int64_t kMostElements = 10;

bool comes_last(const std::string& key) {
  return key == "metadata" || key == "frontend_attributes" || key == "backend_config";
}

}  // namespace

std::string spmd_sharding_text(const HloSharding& sharding, SpmdDialect dialect) {
  const bool lists = dialect == SpmdDialect::tpu2022 && sharding.kind == HloSharding::Kind::tiled;
  return lists ? list_text(sharding) : sharding.text();
}

std::string instruction_log_text(const Program& program, const Computation& computation, InstructionId id,
                                 SpmdDialect dialect, const std::string& sharding) {
  Computation single;
  single.name = computation.name;
  Instruction i = computation.at(id);
  const std::string metadata = metadata_text(i);
  for (size_t k = 0; k < i.operands.size(); ++k) {
    Instruction operand;
    operand.name = computation.at(i.operands[k]).name;
    operand.shape = computation.at(i.operands[k]).shape;
    single.instructions.push_back(std::move(operand));
    i.operands[k] = InstructionId(static_cast<int64_t>(k));
  }
  i.sharding.reset();
  i.provenance = {};
  if (!i.literal->empty() && !i.shape.is_tuple && i.shape.element_count() > kMostElements)
    i.literal = "{...}";
  i.verbatim.change([](std::vector<VerbatimAttribute>& all) {
    std::erase_if(all, [](const VerbatimAttribute& a) { return comes_last(a.key) || a.key == "sharding"; });
  });
  // Groups of 2022 are lists: three devices out of order have no short form.
  Rare<ReplicaGroups> groups;
  if (dialect == SpmdDialect::tpu2022) std::swap(groups, i.replica_groups);
  single.instructions.push_back(std::move(i));
  const InstructionId last(static_cast<int64_t>(single.instructions.size()) - 1);
  std::string text = print_instruction(program, single, last);
  if (dialect == SpmdDialect::tpu2022 && is_collective(single.at(last).opcode)) {
    std::vector<std::string> lists;
    const TileAssignment& tiles = groups->tiles;
    const auto size = tiles.dims.size() == 2 ? static_cast<size_t>(tiles.dims[1]) : size_t{1};
    for (size_t k = 0; k + size <= tiles.devices.size(); k += size) {
      lists.push_back(fmt::format(
          "{{{}}}", fmt::join(tiles.devices.begin() + static_cast<std::ptrdiff_t>(k),
                              tiles.devices.begin() + static_cast<std::ptrdiff_t>(k + size), ",")));
    }
    const size_t at = text.find("replica_groups={}");
    if (at != std::string::npos)
      text.replace(at, 17, fmt::format("replica_groups={{{}}}", fmt::join(lists, ",")));
  }
  if (!sharding.empty()) text += ", sharding=" + sharding;
  return text + metadata;
}

std::string base_name(const Instruction& i) {
  return i.opcode == Opcode::parameter ? "param" : std::string(opcode_text(i));
}

std::string spmd_text(const SpmdWriter& writer, InstructionId id, const HloSharding* sharding) {
  Computation single;
  Instruction i = writer.at(id);
  for (InstructionId& operand : i.operands) {
    Instruction stub;
    stub.name = base_name(writer.at(operand));
    stub.shape = writer.shape(operand);
    single.instructions.push_back(std::move(stub));
    operand = InstructionId(static_cast<int64_t>(single.instructions.size()) - 1);
  }
  i.name = base_name(i);
  const std::optional<HloSharding> own = i.sharding;
  single.instructions.push_back(std::move(i));
  Program program;
  if (!single.instructions.back().called.empty()) program.computations = writer.computations();
  const HloSharding* shown = sharding != nullptr ? sharding : own ? &*own : nullptr;
  const bool leaves = single.instructions.back().shape.is_tuple;
  std::string text = shown == nullptr ? "" : spmd_sharding_text(*shown, writer.dialect());
  if (leaves && shown == nullptr) {
    for (const VerbatimAttribute& a : single.instructions.back().verbatim)
      if (a.key == "sharding") text = a.value;
  }
  return instruction_log_text(program, single,
                              InstructionId(static_cast<int64_t>(single.instructions.size()) - 1),
                              writer.dialect(), text);
}

}  // namespace shardscope::inline partitioner
