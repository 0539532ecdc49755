// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/hlo_module_text.h"

#include <algorithm>
#include <array>

#include "engine/base/text.h"

namespace shardscope::inline program {
namespace {

constexpr std::array<std::string_view, 7> kRoleTexts = {"lhs",     "rhs",    "product", "block_gram",
                                                        "operand", "result", "argument"};
constexpr const char* kKnownRoles = "lhs, rhs, product, block_gram, operand, result or argument";
constexpr std::string_view kOurs = "shardscope.";
constexpr std::string_view kChoice = "choice.";

Result<std::vector<int64_t>> parse_dims(HloLexer& lexer) {
  TRY_VOID(lexer.expect("["));
  std::vector<int64_t> dims;
  if (lexer.accept("]")) return dims;
  do {
    TRY(const int64_t size, lexer.expect_integer("a dimension"));
    dims.push_back(size);
  } while (lexer.accept(","));
  TRY_VOID(lexer.expect("]"));
  return dims;
}

Result<Mesh> mesh_with(const Mesh& mesh, const std::optional<std::string>& wrap,
                       const std::optional<std::string>& device_order) {
  std::vector<MeshAxis> axes = mesh.axes();
  if (wrap) {
    for (MeshAxis& axis : axes) axis.wrap = false;
    for (const std::string& axis : split(*wrap, ',')) {
      const auto place = mesh.axis_index(axis);
      if (!place) return invalid("wrap names axis '" + axis + "', expected an axis of " + mesh.text());
      axes[static_cast<size_t>(*place)].wrap = true;
    }
  }
  std::vector<int32_t> order;
  for (const std::string& text : split(device_order.value_or(""), ',')) {
    const auto device = parse_int(text);
    if (!device || *device < 0 || *device >= mesh.device_count())
      return invalid("device order holds '" + text + "', expected 0 to " +
                     std::to_string(mesh.device_count() - 1));
    order.push_back(static_cast<int32_t>(*device));
  }
  return Mesh::make(std::move(axes), std::move(order));
}

std::string wrapping_axes(const Mesh& mesh) {
  std::vector<std::string> names;
  for (const MeshAxis& axis : mesh.axes())
    if (axis.wrap) names.push_back(axis.name);
  return join(names, ",");
}

}  // namespace

std::string array_info_text(const ArrayInfo& info) {
  std::string out(kRoleTexts[static_cast<size_t>(info.role)]);
  if (info.transposed) out += " transposed";
  out += " [" + join(info.dims, ",") + "] " + info.spec.text();
  if (!info.unreduced.empty()) out += " unreduced=" + join(info.unreduced, ",");
  if (!info.symbol.empty()) out += " symbol=" + info.symbol;
  if (!info.home.empty()) {
    std::vector<std::string> places;
    for (const auto& [axis, coordinate] : info.home)
      places.push_back(axis + ":" + std::to_string(coordinate));
    out += " home=" + join(places, ",");
  }
  return out;
}

Result<ArrayInfo> parse_array_info(std::string_view text) {
  HloLexer lexer(text, "array");
  ArrayInfo info;
  TRY(const std::string_view role, lexer.expect_word(kKnownRoles));
  const auto found = std::find(kRoleTexts.begin(), kRoleTexts.end(), role);
  if (found == kRoleTexts.end())
    return lexer.error_at(0, "got role '" + std::string(role) + "', expected " + kKnownRoles);
  info.role = static_cast<ArrayRole>(found - kRoleTexts.begin());
  info.transposed = lexer.accept("transposed");
  TRY(info.dims, parse_dims(lexer));
  TRY(const std::string_view spec, lexer.balanced(" "));
  TRY(info.spec, PartitionSpec::parse(spec));
  if (lexer.accept("unreduced=")) {
    TRY(const std::string_view axes, lexer.balanced(" "));
    info.unreduced = split(axes, ',');
  }
  if (lexer.accept("symbol=")) {
    TRY(const std::string_view symbol, lexer.balanced(" "));
    info.symbol = symbol;
  }
  if (lexer.accept("home=")) {
    do {
      HomeCoordinate home;
      TRY(const std::string_view axis, lexer.expect_word("an axis"));
      home.axis = axis;
      TRY_VOID(lexer.expect(":"));
      TRY(home.coordinate, lexer.expect_integer("a coordinate"));
      info.home.push_back(std::move(home));
    } while (lexer.accept(","));
  }
  if (!lexer.at_end()) return lexer.expected("end of the array's description");
  return info;
}

namespace {

std::string arrays_text(const std::vector<ArrayInfo>& arrays) {
  std::vector<std::string> parts;
  for (const ArrayInfo& info : arrays) parts.push_back(array_info_text(info));
  return join(parts, "; ");
}

Result<std::vector<ArrayInfo>> parse_arrays(std::string_view text) {
  std::vector<ArrayInfo> arrays;
  for (const std::string& part : split(text, ';')) {
    TRY(ArrayInfo info, parse_array_info(part));
    arrays.push_back(std::move(info));
  }
  return arrays;
}

}  // namespace

std::vector<HloEntry> module_entries(const Program& program) {
  const std::string ours(kOurs);
  std::vector<HloEntry> entries;
  const auto& axes = program.mesh.axes();
  // What num_partitions alone says of a module that is not ours need not be said again.
  const bool foreign = axes.size() == 1 && axes[0] == MeshAxis{"device", program.mesh.device_count(), true} &&
                       axes[0].size > 1 && program.mesh.device_order().empty();
  if (!axes.empty() && !foreign) entries.emplace_back(ours + "mesh", program.mesh.text());
  if (std::any_of(axes.begin(), axes.end(), [](const MeshAxis& a) { return !a.wrap; }))
    entries.emplace_back(ours + "wrap", wrapping_axes(program.mesh));
  std::vector<std::string> parts;
  for (const int32_t chip : program.mesh.device_order()) parts.push_back(std::to_string(chip));
  if (!parts.empty()) entries.emplace_back(ours + "device_order", join(parts, ","));
  if (!program.inputs.empty()) entries.emplace_back(ours + "inputs", arrays_text(program.inputs));
  if (program.output) entries.emplace_back(ours + "output", array_info_text(*program.output));
  if (!program.further_outputs.empty())
    entries.emplace_back(ours + "further_outputs", arrays_text(program.further_outputs));
  if (!program.definitions.empty())
    entries.emplace_back(ours + "definitions", join(program.definitions, "; "));
  for (const auto& [name, value] : program.choices)
    entries.emplace_back(ours + std::string(kChoice) + name, value);
  return entries;
}

Result<bool> ModuleEntries::take(std::string_view key, const std::string& value) {
  if (key.substr(0, kOurs.size()) != kOurs) return false;
  key.remove_prefix(kOurs.size());
  if (key == "mesh") {
    mesh_ = value;
  } else if (key == "wrap") {
    wrap_ = value;
  } else if (key == "device_order") {
    device_order_ = value;
  } else if (key == "inputs") {
    TRY(inputs_, parse_arrays(value));
  } else if (key == "output") {
    TRY(output_, parse_array_info(value));
  } else if (key == "further_outputs") {
    TRY(further_outputs_, parse_arrays(value));
  } else if (key == "definitions") {
    for (const std::string& text : split(value, ';')) definitions_.emplace_back(trim(text));
  } else if (key.substr(0, kChoice.size()) == kChoice) {
    choices_.emplace_back(key.substr(kChoice.size()), value);
  } else {
    return false;
  }
  return true;
}

Result<void> ModuleEntries::finish(int64_t partitions, Program& program) && {
  if (mesh_) {
    TRY(program.mesh, Mesh::parse(*mesh_));
    if (partitions > 0 && partitions != program.mesh.device_count())
      return invalid("num_partitions=" + std::to_string(partitions) + ", expected " +
                     std::to_string(program.mesh.device_count()) + ", the devices of mesh " + *mesh_);
    TRY(program.mesh, mesh_with(program.mesh, wrap_, device_order_));
  } else if (partitions > 1) {
    TRY(program.mesh, Mesh::make({{"device", partitions, true}}));
  }
  program.inputs = std::move(inputs_);
  program.output = std::move(output_);
  program.further_outputs = std::move(further_outputs_);
  program.definitions = std::move(definitions_);
  program.choices = std::move(choices_);
  return {};
}

}  // namespace shardscope::inline program
