// SPDX-License-Identifier: Apache-2.0
#include "engine/program/source/jax_arrays.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/source/jax_rules.h"
#include "engine/program/source/python_names.h"

namespace shardscope::inline program {
namespace {

std::vector<std::string> all_axes(const Mesh& mesh) {
  std::vector<std::string> out;
  for (const MeshAxis& axis : mesh.axes()) out.push_back(axis.name);
  return out;
}

// The axes along which devices have arrays of their own.
std::vector<std::string> own_axes(const JaxArray& array, const Mesh& mesh) {
  if (!array.info) return all_axes(mesh);
  return array.info->unreduced;
}

int64_t volume(const Mesh& mesh, const std::vector<std::string>& axes) {
  int64_t out = 1;
  for (const std::string& axis : axes) out *= mesh.axis_size(*mesh.axis_index(axis));
  return out;
}

std::string entry(const std::vector<std::string>& axes) {
  return axes.empty() ? "None" : jax_axes(axes);
}

std::string filled(const Shape& shape, const std::vector<int64_t>& dims) {
  return fmt::format("jnp.asarray(random.integers(-2, 3, {}), {})", python_tuple(dims), jax_type(shape.type));
}

std::string own_filled(const Shape& shape, int64_t devices) {
  if (shape.is_tuple) {
    std::vector<std::string> parts;
    for (const Shape& element : shape.elements) parts.push_back(own_filled(element, devices));
    return python_tuple(parts);
  }
  std::vector<int64_t> dims{devices};
  dims.insert(dims.end(), shape.dims.begin(), shape.dims.end());
  return filled(shape, dims);
}

// "lax.axis_index(\"depth\") == 0"
std::string at_home(const ArrayInfo& info) {
  std::vector<std::string> conditions;
  for (const HomeCoordinate& home : info.home)
    conditions.push_back(
        fmt::format("(lax.axis_index({}) == {})", python_string(home.axis), home.coordinate));
  return join(conditions, " & ");
}

std::string home_axes(const ArrayInfo& info) {
  std::vector<std::string> axes;
  for (const HomeCoordinate& home : info.home) axes.push_back(home.axis);
  return jax_axes(axes);
}

}  // namespace

std::string JaxArray::spec(const Mesh& mesh) const {
  if (mesh.axes().empty()) return "P()";
  std::vector<std::string> parts;
  if (stacked()) parts.push_back(entry(own_axes(*this, mesh)));
  if (info)
    for (const auto& axes : info->spec.dims) parts.push_back(entry(axes));
  return "P(" + join(parts, ", ") + ")";
}

std::string JaxArray::made(const Mesh& mesh) const {
  if (!info) return own_filled(shard, mesh.device_count());
  std::vector<int64_t> dims = info->dims;
  if (stacked()) dims.insert(dims.begin(), volume(mesh, info->unreduced));
  return filled(shard, dims);
}

std::vector<std::string> JaxArray::entering() const {
  std::vector<std::string> out;
  if (stacked() && shard.is_tuple)
    out.push_back(fmt::format("{0} = jax.tree.map(lambda each: each[0], {0})", name));
  else if (stacked())
    out.push_back(fmt::format("{0} = {0}[0]  # a device's own", name));
  if (info && !info->home.empty())
    out.push_back(
        fmt::format("{0} = jnp.where({1}, {0}, 0)  # only devices there hold it", name, at_home(*info)));
  return out;
}

std::string JaxArray::leaving() const {
  std::string out = name;
  if (info && !info->home.empty())
    out = fmt::format("lax.psum(jnp.where({}, {}, 0), {})", at_home(*info), out, home_axes(*info));
  if (!stacked()) return out;
  if (shard.is_tuple) return fmt::format("jax.tree.map(lambda each: jnp.expand_dims(each, 0), {})", out);
  return fmt::format("jnp.expand_dims({}, 0)", out);
}

std::vector<JaxArray> jax_parameters(const Program& program) {
  std::vector<JaxArray> out;
  for (const Instruction& i : parameters(program.entry_computation())) {
    const auto number = static_cast<size_t>(i.parameter_number);
    if (out.size() <= number) out.resize(number + 1);
    out[number].name = i.name;
    out[number].shard = i.shape;
  }
  if (program.inputs.size() == out.size())
    for (size_t n = 0; n < out.size(); ++n) out[n].info = program.inputs[n];
  return out;
}

std::vector<JaxArray> jax_results(const Program& program) {
  const Shape& shape = program.entry_computation().root_instruction().shape;
  std::vector<JaxArray> out;
  if (!shape.is_tuple) out.push_back({"", shape, std::nullopt});
  for (const Shape& element : shape.elements) out.push_back({"", element, std::nullopt});
  const std::vector<ArrayInfo> infos = outputs_of(program);
  if (infos.size() == out.size())
    for (size_t n = 0; n < out.size(); ++n) out[n].info = infos[n];
  return out;
}

}  // namespace shardscope::inline program
