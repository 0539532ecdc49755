// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/explicit_types.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/partition/shardy/explicit_rules.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope::inline partitioner {
namespace {

// "i32" for s32, "f8_e4m3fn" for f8e4m3fn.
std::string jax_name(ElementType type) {
  std::string own = name(type);
  if (type == ElementType::pred) return "bool";
  if (own[0] == 's') own[0] = 'i';
  const size_t exponent = own[0] == 'f' ? own.find('e') : std::string::npos;
  return exponent == std::string::npos ? own : own.insert(exponent, "_");
}

ExplicitValue value_of(const Computation& c, const Instruction& i, const AxisMesh& mesh,
                       const std::vector<ExplicitValue>& before) {
  ExplicitValue out;
  if (has_sharding(i) && !i.shape.is_tuple) {
    const auto said = leaf_shardings(i);
    const auto axes =
        said.ok() ? from_hlo(mesh, said->front(), i.shape.rank()) : Result<ArrayAxes>(said.error());
    if (axes.ok()) out.type = AxisSplit{axes->dims, axes->unreduced};
    return out;
  }
  const bool spelled = has(i.opcode, Trait::spelled);
  if (spelled || i.opcode == Opcode::parameter) {
    if (!i.shape.is_tuple) out.type = AxisSplit{std::vector<AxisList>(i.shape.rank()), {}};
    out.is_free = spelled;
    return out;
  }
  TypedOperands of{c, i, mesh, {}};
  for (const InstructionId operand : i.operands) {
    of.values.push_back(before[static_cast<size_t>(operand.value)]);
    if (!of.values.back().type) return out;
  }
  const TypeRule rule = type_rule(i.opcode);
  if (rule == nullptr || of.values.empty() || enters_region(i) || leaves_region(i)) return out;
  Typed typed = rule(of);
  out.type = std::move(typed.type);
  out.error = std::move(typed.error);
  out.is_free =
      std::ranges::all_of(of.values, [](const ExplicitValue& v) { return v.is_free; }) || is_spread_number(i);
  return out;
}

}  // namespace

std::string jax_type(const Shape& shape, const AxisSplit& type, const AxisMesh& mesh) {
  const auto names = [&](const AxisList& axes) {
    std::string out = axes_text(mesh, axes);
    std::erase(out, '\'');
    std::erase(out, ' ');
    return out;
  };
  std::vector<std::string> dims;
  for (size_t d = 0; d < shape.rank(); ++d) {
    std::string dim = std::to_string(shape.dims[d]);
    if (!type.dims[d].empty())
      dim += type.dims[d].size() == 1 ? "@" + names(type.dims[d]) : "@(" + names(type.dims[d]) + ")";
    dims.push_back(dim);
  }
  std::string out = fmt::format("{}[{}]", jax_name(shape.type), join(dims, ","));
  if (!type.partial.empty()) out += "{U:" + names(type.partial) + "}";
  return out;
}

std::vector<ExplicitValue> explicit_types(const Program& module, const AxisMesh& mesh) {
  std::vector<ExplicitValue> out;
  const Computation& c = module.entry_computation();
  for (const Instruction& i : c.instructions) out.push_back(value_of(c, i, mesh, out));
  return out;
}

}  // namespace shardscope::inline partitioner
