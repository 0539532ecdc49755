// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_sharding_line.h"

#include "app/window/module/hlo_chosen.h"
#include "engine/base/say.h"
#include "engine/program/mlir/mlir_lines.h"
#include "engine/program/text/hlo_lines.h"
#include "engine/sharding/sdy_text.h"

namespace shardscope::inline window {
namespace {

constexpr int kMeshesWithin = 1000;  // lines: meshes stand at a module's beginning

bool defines_argument(std::string_view line, std::string_view name) {
  for (const MlirLineArgument& each : mlir_arguments_on(line))
    if (each.name == name) return true;
  return false;
}

std::string mesh_in(const IndexedText& text) {
  for (int line = 0; line < std::min(text.lineCount(), kMeshesWithin); ++line)
    if (const auto name = mlir_mesh_on(text.line(line))) return std::string(*name);
  return "";
}

// `sharding` as an attribute of an argument of `rank` dimensions.
std::string attribute_text(const std::string& sharding, const Mesh& mesh, size_t rank,
                           const std::string& named) {
  if (sharding.empty()) return "";
  if (const auto parsed = HloSharding::parse(sharding); parsed.ok() && !named.empty())
    if (const auto spec = parsed->to_named(mesh); spec.ok())
      return "sdy.sharding = " + sdy_sharding_text(spec->spec(), rank, named);
  return "mhlo.sharding = \"" + sharding + "\"";
}

}  // namespace

std::string sharding_in(std::string_view line, std::string_view instruction) {
  if (const auto span = sharding_on(line))
    return std::string(line.substr(span->begin, span->end - span->begin));
  return argument_sharding_on(line, instruction).value_or("");
}

Error not_read() {
  return invalid(said("the module has to be read first"), "", said("see the problem above"));
}

Result<ShardedLine> line_with_sharding(const ExplainedModule& explained, const IndexedText& text,
                                       const std::string& instruction, const std::string& typed) {
  const Instruction* i = explained.find(instruction);
  if (i == nullptr) return not_read();
  const int line = text.lineOf(instruction);
  if (line < 0)
    return invalid(
        said("this array has no line of its own in StableHLO; its arguments' shardings can be edited"), "",
        said("write a sdy.sharding_constraint into the text"));
  const std::string_view written = text.line(line);
  const bool argument = defines_argument(written, instruction);
  const Mesh mesh = argument ? explained.module().mesh : mesh_of(explained);
  TRY(const std::string sharding, typed_sharding(typed, mesh, i->shape));
  if (!argument) return ShardedLine{line, with_sharding(written, sharding)};
  const std::string attribute = attribute_text(sharding, mesh, i->shape.rank(), mesh_in(text));
  return ShardedLine{line, with_argument_sharding(written, instruction, attribute)};
}

}  // namespace shardscope::inline window
