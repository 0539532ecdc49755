// SPDX-License-Identifier: Apache-2.0
// Constants, elementwise instructions and reductions on one device.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "engine/base/check.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/elementwise.h"
#include "engine/numerics/rules/interpreter.h"

namespace shardscope {

namespace {

bool inline_scalar(const Shape& shape) {
  return shape.rank() == 0 && !shape.is_tuple && !is_floating(shape.type);
}

Error cannot_compute(const Instruction& i) {
  return invalid("cannot run " + std::string(opcode_text(i.opcode)) + " of " + i.shape.text(), "%" + i.name,
                 "run with numerics off to time it only");
}

// The numbers of an HLO literal in row-major order: "3", "{1, 2}", "{ { true }, { false } }".
std::optional<std::vector<double>> literal_numbers(const std::string& literal) {
  std::vector<double> numbers;
  std::string token;
  const auto end_token = [&] {
    if (token.empty()) return true;
    if (token == "true" || token == "false") {
      numbers.push_back(token == "true");
    } else {
      char* end = nullptr;
      numbers.push_back(std::strtod(token.c_str(), &end));
      if (*end != '\0') return false;
    }
    token.clear();
    return true;
  };
  for (char c : literal) {
    if (c == '{' || c == '}' || c == ',' || c == ' ' || c == '\n') {
      if (!end_token()) return std::nullopt;
    } else {
      token += c;
    }
  }
  if (!end_token()) return std::nullopt;
  return numbers;
}

}  // namespace

Result<void> Interpreter::constant(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  DeviceValues& made = constants_[&i];
  if (made.empty()) {
    const auto numbers = literal_numbers(i.literal);
    if (i.shape.is_tuple || !element::has_arrays(i.shape.type) || !numbers ||
        static_cast<int64_t>(numbers->size()) != i.shape.element_count()) {
      return invalid("cannot read the constant " + i.literal + " as " + i.shape.text(), "%" + i.name);
    }
    DeviceValue value;
    if (inline_scalar(i.shape)) {
      value.scalar = static_cast<int64_t>(numbers->front());
    } else {
      Array array = Array::allocate(i.shape.type, i.shape.dims);
      convert_elements(ElementType::f64, reinterpret_cast<const std::byte*>(numbers->data()), i.shape.type,
                       array.mutable_data(), i.shape.element_count());
      value.view = std::make_shared<View>(View::of(array));
    }
    made.assign(devices_, value);
  }
  frame.of(id) = made;
  return {};
}

// Integer scalars: indices, which every step computes anew; no arrays for these.
bool Interpreter::scalar_elementwise(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  if (!inline_scalar(i.shape)) return false;
  for (InstructionId operand : i.operands) {
    if (!inline_scalar(frame.at(operand).shape)) return false;
  }
  const ElementType type = i.opcode == Opcode::convert ? i.shape.type : frame.at(i.operands[0]).shape.type;
  const bool known = element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    for (size_t d = 0; d < devices_; ++d) {
      typename Tag::Stored in[3] = {};
      for (size_t o = 0; o < i.operands.size() && o < 3; ++o) {
        in[o] = Tag::store(scalar_of(frame.operand(id, o, d)) != 0 && std::is_same_v<Tag, element::Pred>
                               ? typename Tag::Computed{1}
                               : static_cast<typename Tag::Computed>(scalar_of(frame.operand(id, o, d))));
      }
      int64_t& result = frame.of(id)[d].scalar;
      typename Tag::Stored out = {};
      const auto bytes = [](auto& value) { return reinterpret_cast<std::byte*>(&value); };
      switch (i.opcode) {
        case Opcode::convert:
          out = in[0];
          break;
        case Opcode::clamp:
          out = std::min(std::max(in[0], in[1]), in[2]);
          break;
        case Opcode::compare: {
          std::byte truth{};
          apply_compare(i.direction, type, bytes(in[0]), bytes(in[1]), &truth, 1);
          result = std::to_integer<int64_t>(truth);
          continue;
        }
        case Opcode::select:
          result = scalar_of(frame.operand(id, scalar_of(frame.operand(id, 0, d)) != 0 ? 1 : 2, d));
          continue;
        default:
          apply_elementwise(i.opcode, type, bytes(in[0]), i.operands.size() == 2 ? bytes(in[1]) : nullptr,
                            bytes(out), 1);
      }
      result = static_cast<int64_t>(Tag::load(out));
    }
  });
  return known;
}

void Interpreter::elementwise(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  // Operands as plain arrays; scalars beside arrays (select, clamp) are spread first.
  std::vector<std::vector<ViewPtr>> inputs;
  for (size_t o = 0; o < i.operands.size(); ++o) {
    const ElementType type = frame.at(i.operands[o]).shape.type;
    std::vector<ViewPtr> views;
    std::map<const View*, ViewPtr> spread;
    for (size_t d = 0; d < devices_; ++d) {
      ViewPtr view = view_of(frame.operand(id, o, d), type);
      if (view->rank() == 0 && i.shape.rank() != 0) {
        ViewPtr& wide = spread[view.get()];
        if (wide == nullptr) wide = std::make_shared<View>(view->broadcast(i.shape.dims, {}));
        view = wide;
      }
      views.push_back(std::move(view));
    }
    inputs.push_back(materialise(views, pool_, workers_, stop_));
  }
  std::vector<Array> results;
  for (size_t d = 0; d < devices_; ++d) results.push_back(pool_.take(i.shape.type, i.shape.dims));
  const auto at = [&](size_t o, size_t d, int64_t first) {
    return inputs[o][d]->data() + byte_size(inputs[o][d]->type(), first);
  };
  for_stretches(devices_, i.shape.element_count(), workers_, stop_,
                [&](size_t d, int64_t first, int64_t count) {
                  const ElementType type = inputs[0][d]->type();
                  std::byte* out = results[d].mutable_data() + byte_size(i.shape.type, first);
                  if (i.opcode == Opcode::convert) {
                    convert_elements(type, at(0, d, first), i.shape.type, out, count);
                  } else if (i.opcode == Opcode::compare) {
                    apply_compare(i.direction, type, at(0, d, first), at(1, d, first), out, count);
                  } else if (i.opcode == Opcode::select) {
                    const std::byte *which = at(0, d, first), *yes = at(1, d, first), *no = at(2, d, first);
                    const size_t size = static_cast<size_t>(byte_size(i.shape.type, 1));
                    for (size_t e = 0; e < static_cast<size_t>(count); ++e) {
                      std::memcpy(out + e * size, (which[e] != std::byte{} ? yes : no) + e * size, size);
                    }
                  } else if (i.opcode == Opcode::clamp) {
                    apply_elementwise(Opcode::maximum, type, at(1, d, first), at(0, d, first), out, count);
                    apply_elementwise(Opcode::minimum, type, out, at(2, d, first), out, count);
                  } else if (i.opcode == Opcode::is_finite) {
                    element::visit(type, [&](auto tag) {
                      using Tag = decltype(tag);
                      const auto* in = reinterpret_cast<const typename Tag::Stored*>(at(0, d, first));
                      for (int64_t e = 0; e < count; ++e)
                        out[e] = std::byte{std::isfinite(static_cast<double>(Tag::load(in[e])))};
                    });
                  } else {
                    apply_elementwise(i.opcode, type, at(0, d, first),
                                      i.operands.size() == 2 ? at(1, d, first) : nullptr, out, count);
                  }
                });
  for (size_t d = 0; d < devices_; ++d) frame.of(id)[d].view = std::make_shared<View>(View::of(results[d]));
}

Result<void> Interpreter::execute_math(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  if (i.opcode == Opcode::constant) return constant(frame, id);
  if (i.shape.is_tuple && i.opcode != Opcode::reduce) return cannot_compute(i);
  if (!i.shape.is_tuple && !element::has_arrays(i.shape.type)) return cannot_compute(i);
  for (InstructionId operand : i.operands) {
    if (!element::has_arrays(frame.at(operand).shape.type)) return cannot_compute(i);
  }
  if (i.opcode == Opcode::iota) {
    const int64_t count = i.shape.dims.empty() ? 1 : i.shape.dims[static_cast<size_t>(i.dimensions.front())];
    Array line = Array::allocate(i.shape.type, {count});
    element::visit(i.shape.type, [&](auto tag) {
      using Tag = decltype(tag);
      auto out = line.mutable_as<typename Tag::Stored>();
      for (int64_t e = 0; e < count; ++e)
        out[static_cast<size_t>(e)] = Tag::store(static_cast<typename Tag::Computed>(e));
    });
    const auto view = std::make_shared<View>(View::of(line).broadcast(i.shape.dims, i.dimensions));
    for (DeviceValue& value : frame.of(id)) value.view = view;
    return {};
  }
  if (i.opcode == Opcode::reduce) return execute_reduce(frame, id);
  const bool special = i.opcode == Opcode::convert || i.opcode == Opcode::compare ||
                       i.opcode == Opcode::select || i.opcode == Opcode::clamp ||
                       i.opcode == Opcode::is_finite;
  if (!special && !has_elementwise(i.opcode, i.shape.type)) return cannot_compute(i);
  if (!scalar_elementwise(frame, id)) elementwise(frame, id);
  return {};
}

// Folds in row-major order of the reduced dimensions, starting from the initial value.
Result<void> Interpreter::execute_reduce(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const bool one_array = i.operands.size() == 2 && !i.shape.is_tuple;
  const auto known = one_array ? reducer_of(i) : Result<Opcode>(Opcode::unknown);
  if (!known.ok() || !has_elementwise(*known, i.shape.type)) return fold(frame, id);
  const Opcode reducer = *known;
  const Shape& shape = frame.at(i.operands[0]).shape;
  // Reduced dimensions first: then one index of these is a row of kept elements.
  std::vector<int64_t> order = i.dimensions;
  std::sort(order.begin(), order.end());
  int64_t rows = 1;
  for (int64_t d : order) rows *= shape.dims[static_cast<size_t>(d)];
  for (int64_t d = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
    if (std::count(i.dimensions.begin(), i.dimensions.end(), d) == 0) order.push_back(d);
  }
  std::vector<ViewPtr> views, initial;
  for (size_t d = 0; d < devices_; ++d) {
    views.push_back(std::make_shared<View>(view_of(frame.operand(id, 0, d), shape.type)->transpose(order)));
    const ViewPtr start = view_of(frame.operand(id, 1, d), shape.type);
    initial.push_back(std::make_shared<View>(start->broadcast(i.shape.dims, {})));
  }
  views = materialise(views, pool_, workers_, stop_);
  std::vector<Array> results;
  for (size_t d = 0; d < devices_; ++d) {
    results.push_back(pool_.take(i.shape.type, i.shape.dims));
    copy_to(*initial[d], results[d].mutable_data());
  }
  const int64_t kept = i.shape.element_count();
  for_stretches(devices_, kept, workers_, stop_, [&](size_t d, int64_t first, int64_t count) {
    std::byte* out = results[d].mutable_data() + byte_size(shape.type, first);
    for (int64_t r = 0; r < rows; ++r) {
      apply_elementwise(reducer, shape.type, out, views[d]->data() + byte_size(shape.type, r * kept + first),
                        out, count);
    }
  });
  for (size_t d = 0; d < devices_; ++d) frame.of(id)[d].view = std::make_shared<View>(View::of(results[d]));
  return {};
}

}  // namespace shardscope
