// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/explicit_rules.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/partition/shardy/explicit_reshape.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/free_dims.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline partitioner {
namespace explicit_rule {
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
  for (size_t k = 0; k < 2; ++k) {
    const auto& dims = of.type(k).dims;
    const auto &batched = k == 0 ? dot->lhs_batch : dot->rhs_batch,
               &contracted = k == 0 ? dot->lhs_contracting : dot->rhs_contracting;
    for (const int64_t d : free_dims(dims.size(), batched, contracted))
      out.dims.push_back(dims[static_cast<size_t>(d)]);
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
// A window of all that is in front of a place, or behind it, is a cumulative reduction.
Typed windowed(const TypedOperands& of) {
  const auto windows = window_dims(of.i, of.i.shape.rank());
  for (size_t d = 0; windows.ok() && d < of.i.shape.rank(); ++d) {
    const WindowDim& window = (*windows)[d];
    const bool cumulative = window.size > 1 && window.size == of.shape(0).dims[d] &&
                            std::max(window.low, window.high) == window.size - 1;
    if (!cumulative || of.type(0).dims[d].empty()) continue;
    return {
        whole(of.i.shape.rank()),
        fmt::format("Input should be unsharded over the axis being reduced. Got input type={} and axis={}",
                    of.text(0), d)};
  }
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
          whole(of.shape(0).rank()),
          fmt::format("Arguments to sort must be unsharded over the sorting dimension. Got arg sharding=P{} "
                      "and sorting dimension={}",
                      of.spec(0), d)};
  return {of.type(0), ""};
}

Typed top_of(const TypedOperands& of) {
  const size_t last = of.shape(0).rank() - 1;
  if (of.type(0).dims[last].empty()) return {of.type(0), ""};
  AxisSplit out = of.type(0);
  out.dims[last].clear();
  return {std::move(out),
          fmt::format("The input should be unsharded over the axis along which to compute the top_k values. "
                      "Got input type={} and axis={}",
                      of.text(0), last)};
}

// Cases alike, and what selects too, unless it is one for all.
Typed selected(const TypedOperands& of) {
  const bool first_free = of.values[1].is_free;
  const AxisSplit& cases = of.type(first_free ? 2 : 1);
  if (!first_free && !of.values[2].is_free && of.type(1).dims != of.type(2).dims)
    return {
        whole(of.i.shape.rank()),
        fmt::format("select cases must have the same shardings, got [P{}, P{}].", of.spec(1), of.spec(2))};
  if (of.shape(0).rank() > 0 && !of.values[0].is_free && of.type(0).dims != cases.dims)
    return {cases,
            fmt::format("select `which` must be scalar or have the same sharding as cases, got `which` "
                        "sharding P{} but case sharding P{}.",
                        of.spec(0), spec_text(cases.dims, of.mesh))};
  return {cases, ""};
}

// Images keep their split where the kernel is whole and the features too.
Typed convolved(const TypedOperands& of) {
  const auto conv = convolution_dims(of.c, of.i);
  if (!conv.ok()) return {};
  const bool kernel_whole =
      std::ranges::all_of(of.type(1).dims, [](const AxisList& axes) { return axes.empty(); });
  const bool in_place = conv->input_batch == conv->output_batch &&
                        conv->input_feature == conv->output_feature &&
                        conv->input_spatial == conv->output_spatial;
  if (!kernel_whole || !in_place || !of.type(0).dims[static_cast<size_t>(conv->input_feature)].empty())
    return {whole(of.i.shape.rank()),
            "Please specify the output sharding via `out_sharding` parameter of `conv_general_dilated`"};
  return resized(of, "conv_general_dilated");
}

Typed same(const TypedOperands& of) {
  return {of.type(0), ""};
}

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
                                        {Opcode::scatter, &written},
                                        {Opcode::select, &selected},
                                        {Opcode::convolution, &convolved},
                                        {Opcode::topk, &top_of},
                                        {Opcode::fft, &same},
                                        {Opcode::get_tuple_element, &same},
                                        {Opcode::sort, &sorted}});
  return table;
}

}  // namespace
}  // namespace explicit_rule

AxisSplit explicit_rule::whole(size_t rank) {
  return {std::vector<AxisList>(rank), {}};
}

std::string TypedOperands::spec(size_t k) const {
  return explicit_rule::spec_text(type(k).dims, mesh);
}

TypeRule type_rule(Opcode opcode) {
  return explicit_rule::type_rules()[opcode];
}

}  // namespace shardscope::inline partitioner
