// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/run_on_devices.h"

#include <map>

#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/interpreter.h"

namespace shardscope::inline numerics {
namespace {

void append_leaves(const Shape& shape, std::vector<Shape>& out) {
  if (!shape.is_tuple) out.push_back(shape);
  for (const Shape& element : shape.elements) append_leaves(element, out);
}

std::map<int64_t, Shape> parameter_shapes(const Program& module) {
  std::map<int64_t, Shape> shapes;
  for (const Instruction& i : parameters(module.entry_computation())) shapes[i.parameter_number] = i.shape;
  return shapes;
}

DeviceValue value_of(const Shape& shape, const std::vector<std::vector<Array>>& arguments, size_t device,
                     size_t& leaf) {
  DeviceValue value;
  if (!shape.is_tuple) {
    value.view = std::make_shared<View>(View::of(arguments[leaf++][device]));
    return value;
  }
  for (const Shape& element : shape.elements)
    value.elements.push_back(value_of(element, arguments, device, leaf));
  return value;
}

Result<void> collect(const Shape& shape, const DeviceValue& value, Interpreter& interpreter, size_t device,
                     size_t& leaf, std::vector<std::vector<Array>>& out) {
  if (shape.is_tuple) {
    if (value.elements.size() != shape.elements.size())
      return invalid("the result is not a tuple of " + std::to_string(shape.elements.size()));
    for (size_t e = 0; e < shape.elements.size(); ++e)
      TRY_VOID(collect(shape.elements[e], value.elements[e], interpreter, device, leaf, out));
    return {};
  }
  if (shape.type == ElementType::token) {
    ++leaf;
    return {};
  }
  if (!element::has_arrays(shape.type)) return invalid("cannot give back arrays of " + shape.text());
  out[leaf++][device] = copy_of(*interpreter.view_of(value, shape.type));
  return {};
}

}  // namespace

std::vector<Shape> parameter_leaves(const Program& module) {
  std::vector<Shape> out;
  for (const auto& [number, shape] : parameter_shapes(module)) append_leaves(shape, out);
  return out;
}

std::vector<Shape> result_leaves(const Program& module) {
  std::vector<Shape> out;
  append_leaves(module.entry_computation().root_instruction().shape, out);
  return out;
}

Result<std::vector<std::vector<Array>>> run_on_devices(const Program& module,
                                                       const std::vector<std::vector<Array>>& arguments,
                                                       const Workers& workers, const RunLimits& limits,
                                                       double* seconds) {
  TRY_VOID(verify(module));
  const auto devices = static_cast<size_t>(module.mesh.device_count());
  const std::vector<Shape> leaves = parameter_leaves(module);
  if (arguments.size() != leaves.size())
    return invalid(
        "got " + std::to_string(arguments.size()) + " arguments, expected " + std::to_string(leaves.size()),
        "module " + module.name);
  for (size_t k = 0; k < leaves.size(); ++k) {
    bool fits = arguments[k].size() == devices;
    for (const Array& array : arguments[k])
      fits = fits && array.type() == leaves[k].type && array.dims() == leaves[k].dims;
    if (!fits)
      return invalid("argument " + std::to_string(k) + " is not " + leaves[k].text() + " on each of " +
                         std::to_string(devices) + " devices",
                     "module " + module.name);
  }
  std::vector<std::vector<DeviceValue>> parameters;
  size_t first = 0;
  for (const auto& [number, shape] : parameter_shapes(module)) {
    std::vector<DeviceValue> values(devices);
    size_t leaf = first;
    for (size_t d = 0; d < devices; ++d) {
      leaf = first;
      values[d] = value_of(shape, arguments, d, leaf);
    }
    first = leaf;
    parameters.push_back(std::move(values));
  }
  Interpreter interpreter(module, workers, false);
  TRY(const std::vector<DeviceValue> root, interpreter.run_values(std::move(parameters), limits));
  if (seconds != nullptr) *seconds = interpreter.seconds();
  const Shape& shape = module.entry_computation().root_instruction().shape;
  std::vector<std::vector<Array>> out(result_leaves(module).size(), std::vector<Array>(devices));
  for (size_t d = 0; d < devices; ++d) {
    size_t leaf = 0;
    TRY_VOID(collect(shape, root[d], interpreter, d, leaf, out));
  }
  return out;
}

}  // namespace shardscope::inline numerics
