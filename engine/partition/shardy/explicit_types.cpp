// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/explicit_types.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/partition/shardy/explicit_reshape.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"

namespace shardscope {
namespace {

// "'X'", "('X', 'Y')", "None".
std::string entry_text(const AxisList& axes, const AxisMesh& mesh) {
  if (axes.empty()) return "None";
  const std::string names = axes_text(mesh, axes);
  return axes.size() == 1 ? names : "(" + names + ")";
}

// "('X', None)".
std::string spec_text(const std::vector<AxisList>& dims, const AxisMesh& mesh) {
  std::vector<std::string> out;
  for (const AxisList& axes : dims) out.push_back(entry_text(axes, mesh));
  return "(" + join(out, ", ") + (out.size() == 1 ? ",)" : ")");
}

// "i32" for s32.
std::string jax_name(ElementType type) {
  const std::string own = name(type);
  if (type == ElementType::pred) return "bool";
  return own[0] == 's' ? "i" + own.substr(1) : own;
}

namespace explicit_rule {

struct Typed {
  std::optional<AxisSplit> type;
  std::string error;
};

// What the rule of an operation sees.
struct TypedOperands {
  const Computation& c;
  const Instruction& i;
  const AxisMesh& mesh;
  std::vector<ExplicitValue> values;

  const AxisSplit& type(size_t k) const { return *values[k].type; }
  const Shape& shape(size_t k) const { return c.at(i.operands[k]).shape; }
  std::string text(size_t k) const { return jax_type(shape(k), type(k), mesh); }
  std::string spec(size_t k) const { return spec_text(type(k).dims, mesh); }
};

AxisSplit whole(size_t rank) {
  return {std::vector<AxisList>(rank), {}};
}

// An axis stands at two dimensions.
bool is_illegal(const AxisSplit& split) {
  AxisList seen;
  for (const AxisList& dim : split.dims)
    for (const AxisPart& part : dim) {
      if (std::ranges::count(seen, part) > 0) return true;
      seen.push_back(part);
    }
  return false;
}

Typed legal(const TypedOperands& of, AxisSplit made) {
  if (!is_illegal(made)) return {std::move(made), ""};
  std::vector<std::string> inputs;
  for (size_t k = 0; k < of.values.size(); ++k) inputs.push_back(of.text(k));
  return {whole(of.i.shape.rank()),
          fmt::format("{} operation with inputs: {} produces an illegally sharded result: {}",
                      of.i.opcode == Opcode::dot ? "dot_general" : opcode_text(of.i.opcode),
                      join(inputs, ", "), jax_type(of.i.shape, made, of.mesh))};
}

// Dimension by dimension what those say that say anything.
Typed elementwise(const TypedOperands& of) {
  AxisSplit out = whole(of.i.shape.rank());
  bool clash = false;
  std::vector<std::string> specs;
  for (size_t k = 0; k < of.values.size(); ++k) {
    if (of.shape(k).rank() != out.dims.size() || of.values[k].is_free) continue;
    specs.push_back(of.spec(k));
    for (size_t d = 0; d < out.dims.size(); ++d) {
      const AxisList& own = of.type(k).dims[d];
      if (own.empty()) continue;
      clash = clash || (!out.dims[d].empty() && out.dims[d] != own);
      out.dims[d] = own;
    }
    if (out.partial.empty()) out.partial = of.type(k).partial;
  }
  if (clash)
    return {whole(out.dims.size()), fmt::format("{} got incompatible shardings for broadcasting: {}.",
                                                opcode_text(of.i.opcode), join(specs, ", "))};
  if (!out.partial.empty() && of.i.opcode != Opcode::add && of.i.opcode != Opcode::subtract &&
      of.i.opcode != Opcode::negate)
    return {std::move(out),
            fmt::format("unreduced rule for {} is not implemented.", opcode_text(of.i.opcode))};
  return legal(of, std::move(out));
}

std::vector<AxisList> picked(const AxisSplit& of, const std::vector<int64_t>& dims) {
  std::vector<AxisList> out;
  for (const int64_t d : dims) out.push_back(of.dims[static_cast<size_t>(d)]);
  return out;
}

Typed product(const TypedOperands& of) {
  const auto dot = product_dims(of.c, of.i);
  if (!dot) return {};
  const auto batch = picked(of.type(0), dot->lhs_batch), other = picked(of.type(1), dot->rhs_batch);
  const auto summed = picked(of.type(0), dot->lhs_contracting),
             summed_too = picked(of.type(1), dot->rhs_contracting);
  AxisSplit out = whole(0);
  out.dims = batch;
  for (size_t k = 0; k < 2; ++k)
    for (size_t d = 0; d < of.type(k).dims.size(); ++d) {
      const auto at = static_cast<int64_t>(d);
      const auto &batched = k == 0 ? dot->lhs_batch : dot->rhs_batch,
                 &contracted = k == 0 ? dot->lhs_contracting : dot->rhs_contracting;
      if (std::ranges::count(batched, at) + std::ranges::count(contracted, at) == 0)
        out.dims.push_back(of.type(k).dims[d]);
    }
  for (size_t n = 0; n < batch.size(); ++n) {
    if (!batch[n].empty() && !other[n].empty() && batch[n] != other[n])
      return {whole(out.dims.size()),
              fmt::format("dot_general requires lhs batch dimensions and rhs batch dimensions to have the "
                          "consistent sharding, got {} and {}.",
                          spec_text(batch, of.mesh), spec_text(other, of.mesh))};
    if (batch[n].empty()) out.dims[n] = other[n];
  }
  bool both = false, differ = false;
  for (size_t n = 0; n < summed.size(); ++n) {
    if (summed[n].empty() || summed_too[n].empty()) continue;
    both = true;
    differ = differ || summed[n] != summed_too[n];
  }
  if (differ)
    return {
        whole(out.dims.size()),
        fmt::format("dot_general requires contracting dimensions to have consistent sharding, got {} and {}.",
                    spec_text(summed, of.mesh), spec_text(summed_too, of.mesh))};
  if (both)
    return {is_illegal(out) ? whole(out.dims.size()) : out,
            fmt::format("Contracting dimensions are sharded and it is ambiguous how the output should be "
                        "sharded. Please specify the output sharding via the `out_sharding` parameter. Got "
                        "lhs_contracting_spec={} and rhs_contracting_spec={}",
                        spec_text(summed, of.mesh), spec_text(summed_too, of.mesh))};
  return legal(of, std::move(out));
}

Typed transposed(const TypedOperands& of) {
  return {AxisSplit{picked(of.type(0), *of.i.dimensions), of.type(0).partial}, ""};
}

Typed broadcast(const TypedOperands& of) {
  AxisSplit out = whole(of.i.shape.rank());
  for (size_t d = 0; d < of.i.dimensions->size(); ++d)
    out.dims[static_cast<size_t>((*of.i.dimensions)[d])] = of.type(0).dims[d];
  out.partial = of.type(0).partial;
  return {std::move(out), ""};
}

Typed reduced(const TypedOperands& of) {
  AxisSplit out;
  for (size_t d = 0; d < of.type(0).dims.size(); ++d)
    if (std::ranges::count(*of.i.dimensions, static_cast<int64_t>(d)) == 0)
      out.dims.push_back(of.type(0).dims[d]);
  return {std::move(out), ""};
}

Typed reshaped(const TypedOperands& of) {
  const auto made = reshaped_dims(of.shape(0).dims, of.type(0).dims, of.i.shape.dims);
  const bool cut = std::ranges::any_of(of.type(0).dims, [](const AxisList& dim) { return !dim.empty(); });
  if (!made && cut) {
    std::vector<std::string> sizes;
    for (const int64_t size : of.i.shape.dims) sizes.push_back(std::to_string(size));
    return {whole(sizes.size()),
            fmt::format("This reshape is not supported. Please specify the sharding of the output via the "
                        "`out_sharding` argument of jax.lax.reshape. Got operand type: {}, new sizes: ({}{})",
                        of.text(0), join(sizes, ", "), sizes.size() == 1 ? "," : "")};
  }
  return {AxisSplit{made ? *made : whole(of.i.shape.rank()).dims, of.type(0).partial}, ""};
}

Typed joined_arrays(const TypedOperands& of) {
  for (size_t k = 1; k < of.values.size(); ++k) {
    if (of.type(k).dims == of.type(0).dims) continue;
    std::vector<std::string> specs;
    for (size_t n = 0; n < of.values.size(); ++n) specs.push_back("P" + of.spec(n));
    return {whole(of.i.shape.rank()),
            "All operands should have the same sharding. Got shardings " + join(specs, ", ")};
  }
  return {of.type(0), ""};
}

// A dimension of another size than the operand's stays split where that divides it.
Typed resized(const TypedOperands& of, const char* what) {
  for (size_t d = 0; d < of.i.shape.rank(); ++d) {
    const int64_t parts = size_of(of.type(0).dims[d]);
    if (of.shape(0).dims[d] == of.i.shape.dims[d] || of.i.shape.dims[d] % parts == 0) continue;
    return {
        whole(of.i.shape.rank()),
        fmt::format("{} on sharded dims where out dim ({}) is not divisible by mesh axes ({}) with spec ({}) "
                    "is not implemented. Got input type={}",
                    what, of.i.shape.dims[d], parts, entry_text(of.type(0).dims[d], of.mesh), of.text(0))};
  }
  return {of.type(0), ""};
}
Typed sliced(const TypedOperands& of) {
  return resized(of, "slicing");
}
Typed padded(const TypedOperands& of) {
  return resized(of, "padding");
}
Typed windowed(const TypedOperands& of) {
  return resized(of, "reduce_window");
}

Typed updated(const TypedOperands& of) {
  if (of.type(0).dims == of.type(1).dims || of.values[1].is_free) return {of.type(0), ""};
  return {of.type(0),
          fmt::format("dynamic_update_slice operand sharding must be equal to update sharding, got "
                      "operand sharding {} and update sharding {}.",
                      of.text(0), of.text(1))};
}

Typed sorted(const TypedOperands& of) {
  for (const int64_t d : *of.i.dimensions)
    if (!of.type(0).dims[static_cast<size_t>(d)].empty())
      return {
          whole(of.i.shape.rank()),
          fmt::format("Arguments to sort must be unsharded over the sorting dimension. Got arg sharding=P{} "
                      "and sorting dimension={}",
                      of.spec(0), d)};
  return {of.type(0), ""};
}

// An axis that indices find their way along.
Typed looked_up(const TypedOperands& of) {
  const auto g = gather_dims(of.c, of.i);
  if (!g.ok()) return {};
  AxisSplit out = whole(of.i.shape.rank());
  bool clear = std::ranges::all_of(of.type(1).dims, [](const AxisList& dim) { return dim.empty(); });
  size_t offset = 0;
  for (size_t d = 0; d < of.shape(0).rank(); ++d) {
    const auto at = static_cast<int64_t>(d);
    const bool dropped =
        std::ranges::count(g->collapsed_slice_dims, at) + std::ranges::count(g->operand_batching_dims, at) >
        0;
    const bool full = g->slice_sizes[d] == of.shape(0).dims[d];
    clear = clear && (of.type(0).dims[d].empty() || (full && !dropped));
    if (!dropped) out.dims[static_cast<size_t>(g->offset_dims[offset++])] = of.type(0).dims[d];
  }
  if (clear) return {std::move(out), ""};
  return {
      whole(of.i.shape.rank()),
      fmt::format("Use `.at[...].get(out_sharding=)` to provide output PartitionSpec for the gather indexing "
                  "as out sharding could not be resolved unambiguously (or would require collectives on "
                  "inputs). Got operand={}, indices={}",
                  of.text(0), of.text(1))};
}

Typed same(const TypedOperands& of) {
  return {of.type(0), ""};
}

using TypeRule = Typed (*)(const TypedOperands& of);

const OpTable<TypeRule>& type_rules() {
  static const OpTable<TypeRule> table({{OpClass::elementwise, &elementwise}},
                                       {{Opcode::copy, &same},
                                        {Opcode::bitcast_convert, &same},
                                        {Opcode::reverse, &same},
                                        {Opcode::dot, &product},
                                        {Opcode::transpose, &transposed},
                                        {Opcode::broadcast, &broadcast},
                                        {Opcode::reduce, &reduced},
                                        {Opcode::reshape, &reshaped},
                                        {Opcode::concatenate, &joined_arrays},
                                        {Opcode::slice, &sliced},
                                        {Opcode::dynamic_slice, &sliced},
                                        {Opcode::pad, &padded},
                                        {Opcode::reduce_window, &windowed},
                                        {Opcode::dynamic_update_slice, &updated},
                                        {Opcode::gather, &looked_up},
                                        {Opcode::sort, &sorted}});
  return table;
}

}  // namespace explicit_rule

ExplicitValue value_of(const Computation& c, const Instruction& i, const AxisMesh& mesh,
                       const std::vector<ExplicitValue>& before) {
  ExplicitValue out;
  if (i.shape.is_tuple) return out;
  if (has_sharding(i)) {
    const auto said = leaf_shardings(i);
    const auto axes =
        said.ok() ? from_hlo(mesh, said->front(), i.shape.rank()) : Result<ArrayAxes>(said.error());
    if (axes.ok()) out.type = AxisSplit{axes->dims, axes->unreduced};
    return out;
  }
  if (i.opcode == Opcode::parameter || i.opcode == Opcode::constant || i.opcode == Opcode::iota) {
    out.type = explicit_rule::whole(i.shape.rank());
    out.is_free = i.opcode != Opcode::parameter;
    return out;
  }
  explicit_rule::TypedOperands of{c, i, mesh, {}};
  for (const InstructionId operand : i.operands) {
    of.values.push_back(before[static_cast<size_t>(operand.value)]);
    if (!of.values.back().type) return out;
  }
  const explicit_rule::TypeRule rule = explicit_rule::type_rules()[i.opcode];
  if (rule == nullptr || of.values.empty() || enters_region(i) || leaves_region(i)) return out;
  explicit_rule::Typed typed = rule(of);
  out.type = std::move(typed.type);
  out.error = std::move(typed.error);
  out.is_free = std::ranges::all_of(of.values, [](const ExplicitValue& v) { return v.is_free; }) ||
                (i.opcode == Opcode::broadcast && of.shape(0).rank() == 0);
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

}  // namespace shardscope
