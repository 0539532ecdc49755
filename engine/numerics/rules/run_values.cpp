// SPDX-License-Identifier: Apache-2.0
// Values that come from nowhere or from elsewhere as they are.
#include "engine/numerics/array/drawn.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/array/literal_array.h"
#include "engine/numerics/rules/rules.h"

namespace shardscope::inline numerics {
Result<void> run_parameter(Step& step) {
  const auto number = static_cast<size_t>(step.at().parameter_number);
  if (number >= step.frame.arguments.size())
    return invalid("no argument for parameter", "%" + step.at().name);
  step.results() = std::move(step.frame.arguments[number]);
  return {};
}

Result<void> run_constant(Step& step) {
  const Instruction& i = step.at();
  DeviceValues& made = step.run.constants[&i];
  const auto seed = elided_seed(i.literal);
  if (made.empty() && seed && !i.shape.is_tuple && element::has_arrays(i.shape.type)) {
    DeviceValue value;
    value.view = std::make_shared<View>(
        View::of(drawn_array(i.shape.type, i.shape.dims, mixed_bits(*seed), step.run.workers)));
    made.assign(step.devices(), value);
  }
  if (made.empty()) {
    const bool plain = !i.shape.is_tuple && element::has_arrays(i.shape.type);
    const auto array = plain ? literal_array(i.literal, i.shape.type, i.shape.dims) : std::nullopt;
    if (!array)
      return invalid("cannot read the constant " + i.literal->substr(0, 80) + " as " + i.shape.text(),
                     "%" + i.name);
    DeviceValue value;
    value.view = std::make_shared<View>(View::of(*array));
    if (is_inline_scalar(i.shape)) {
      value.scalar = scalar_of(value);
      value.view = nullptr;
    }
    made.assign(step.devices(), value);
  }
  step.results() = made;
  return {};
}

Result<void> run_iota(Step& step) {
  const Shape& shape = step.at().shape;
  if (shape.is_tuple || !element::has_arrays(shape.type)) return cannot_compute(step.at());
  const std::vector<int64_t>& dim = step.at().dimensions;
  const int64_t count = shape.dims.empty() ? 1 : shape.dims[static_cast<size_t>(dim.front())];
  Array line = Array::allocate(shape.type, {count});
  element::visit(shape.type, [&](auto tag) {
    using Tag = decltype(tag);
    auto out = line.mutable_as<typename Tag::Stored>();
    for (int64_t e = 0; e < count; ++e)
      out[static_cast<size_t>(e)] = Tag::store(static_cast<typename Tag::Computed>(e));
  });
  const auto view = std::make_shared<View>(View::of(line).broadcast(shape.dims, dim));
  for (DeviceValue& value : step.results()) value.view = view;
  return {};
}

Result<void> run_tuple(Step& step) {
  for (size_t d = 0; d < step.devices(); ++d)
    for (size_t o = 0; o < step.at().operands.size(); ++o)
      step.results()[d].elements.push_back(step.operand(o, d));
  return {};
}

Result<void> run_get_tuple_element(Step& step) {
  const auto index = static_cast<size_t>(step.at().tuple_index);
  for (size_t d = 0; d < step.devices(); ++d) step.results()[d] = step.operand(0, d).elements.at(index);
  return {};
}

Result<void> run_forward(Step& step) {
  for (size_t d = 0; d < step.devices(); ++d) step.results()[d] = step.operand(0, d);
  return {};
}

Result<void> run_partition_id(Step& step) {
  for (size_t d = 0; d < step.devices(); ++d) step.results()[d].scalar = step.run.device(d).value;
  return {};
}

Result<void> run_dimension_size(Step& step) {
  const std::vector<int64_t>& dims = step.operand_shape(0).dims;
  for (DeviceValue& value : step.results())
    value.scalar = dims[static_cast<size_t>(step.at().dimensions.front())];
  return {};
}

Result<void> run_zero(Step&) {
  return {};
}

}  // namespace shardscope::inline numerics
