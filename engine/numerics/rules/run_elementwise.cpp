// SPDX-License-Identifier: Apache-2.0
// Elementwise instructions: each rule finds the loop that does it, which then runs over scalars or over
// stretches of arrays.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/numerics/array/element.h"
#include "engine/numerics/functions/elementwise.h"
#include "engine/numerics/rules/convert.h"
#include "engine/numerics/rules/rules.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline numerics {
namespace {

constexpr size_t kMostOperands = 3;
using Inputs = std::array<const std::byte*, kMostOperands>;
// Owns what it needs: it may be run again after its instruction.
using ArrayLoop = std::function<void(const Inputs& in, std::byte* out, int64_t count)>;

bool is_computable(const Step& step) {
  const Instruction& i = step.at();
  bool known = !i.shape.is_tuple && element::has_arrays(i.shape.type) && i.operands.size() <= kMostOperands;
  for (size_t k = 0; known && k < i.operands.size(); ++k)
    known = element::has_arrays(step.operand_shape(k).type);
  return known;
}

void put_scalar(ElementType type, int64_t value, std::byte* out) {
  element::visit_real(type, [&](auto tag) {
    using Tag = decltype(tag);
    const typename Tag::Stored stored = Tag::store(static_cast<typename Tag::Computed>(value));
    std::memcpy(out, &stored, sizeof(stored));
  });
}

int64_t read_scalar(ElementType type, const std::byte* in) {
  int64_t value = 0;
  element::visit_real(type, [&](auto tag) {
    using Tag = decltype(tag);
    typename Tag::Stored stored;
    std::memcpy(&stored, in, sizeof(stored));
    value = static_cast<int64_t>(Tag::load(stored));
  });
  return value;
}

void on_scalars(Step& step, const ArrayLoop& loop) {
  const size_t operands = step.at().operands.size();
  alignas(8) std::byte in[kMostOperands][8];
  alignas(8) std::byte out[8] = {};
  for (size_t d = 0; d < step.devices(); ++d) {
    for (size_t k = 0; k < operands; ++k)
      put_scalar(step.operand_shape(k).type, scalar_of(step.operand(k, d)), in[k]);
    loop({in[0], in[1], in[2]}, out, 1);
    step.results()[d].scalar = read_scalar(step.at().shape.type, out);
  }
}

// An operand as plain arrays; a scalar beside arrays (select, clamp) is spread first.
std::vector<ViewPtr> spread_operand(Step& step, size_t k) {
  const Shape& shape = step.at().shape;
  std::vector<ViewPtr> views = step.views(k);
  std::map<const View*, ViewPtr> spread;
  for (ViewPtr& view : views) {
    if (view->rank() != 0 || shape.rank() == 0) continue;
    ViewPtr& wide = spread[view.get()];
    if (wide == nullptr) wide = std::make_shared<View>(view->broadcast(shape.dims, {}));
    view = wide;
  }
  return step.plain(views);
}

void on_arrays(Step& step, ArrayLoop loop) {
  const Instruction& i = step.at();
  ArrayViews inputs;
  for (size_t k = 0; k < i.operands.size(); ++k) inputs.push_back(spread_operand(step, k));
  const std::vector<size_t> first = step.first_alike(i.operands);
  std::vector<size_t> own;  // devices that are no copy of another
  std::vector<Array> results;
  struct Memory {
    Inputs in{};
    std::byte* out;
  };
  std::vector<Memory> memory;  // of those devices
  for (size_t d = 0; d < step.devices(); ++d) {
    if (first[d] != d) continue;
    own.push_back(d);
    results.push_back(step.run.pool.take(i.shape.type, i.shape.dims));
    Memory& m = memory.emplace_back(Memory{{}, results.back().mutable_data()});
    for (size_t k = 0; k < inputs.size(); ++k) m.in[k] = inputs[k][d]->data();
  }
  std::array<int64_t, kMostOperands> sizes{};  // of an element
  for (size_t k = 0; k < inputs.size(); ++k) sizes[k] = stored_bytes(inputs[k].front()->type(), 1);
  for_stretches(own.size(), i.shape.element_count(), step.run.loops,
                [=, size = stored_bytes(i.shape.type, 1), memory = std::move(memory), loop = std::move(loop)](
                    size_t o, int64_t start, int64_t count) {
                  Inputs in = memory[o].in;
                  for (size_t k = 0; k < in.size(); ++k) in[k] += sizes[k] * start;
                  loop(in, memory[o].out + size * start, count);
                });
  for (size_t o = 0; o < own.size(); ++o)
    step.results()[own[o]].view = std::make_shared<View>(View::of(results[o]));
  for (size_t d = 0; d < step.devices(); ++d) step.results()[d].view = step.results()[first[d]].view;
}

// As XLA does it on the bits: the mantissa rounds to nearest even; what the exponent cannot hold is infinite,
// or zero of the same sign.
template <typename Float, typename Bits>
Float with_precision(Float value, const Precision& left) {
  if (std::isnan(value)) return value;
  constexpr int kMantissa = std::numeric_limits<Float>::digits - 1;
  constexpr int kExponent = static_cast<int>(8 * sizeof(Float)) - 1 - kMantissa;
  constexpr Bits kOne = 1, kSign = kOne << (kMantissa + kExponent), kInfinite = kSign - (kOne << kMantissa);
  Bits bits = std::bit_cast<Bits>(value);
  const Bits sign = bits & kSign;
  if (left.mantissa_bits < kMantissa) {
    const auto dropped = kMantissa - static_cast<int>(left.mantissa_bits);
    const Bits last = kOne << dropped;
    bits += (last >> 1) - 1 + ((bits >> dropped) & 1);
    bits &= ~(last - 1);
  }
  if (left.exponent_bits < kExponent) {
    constexpr Bits kBias = (kOne << (kExponent - 1)) - 1;
    const Bits bias = (kOne << (left.exponent_bits - 1)) - 1;
    const Bits exponent = bits & kInfinite;
    if (exponent > (kBias + bias) << kMantissa) bits = sign | kInfinite;
    if (exponent <= (kBias - bias) << kMantissa) bits = sign;
  }
  return std::bit_cast<Float>(bits);
}

Result<void> each_element(Step& step, ArrayLoop loop) {
  if (loop == nullptr || !is_computable(step)) return cannot_compute(step.at());
  bool scalars = is_inline_scalar(step.at().shape);
  for (size_t k = 0; k < step.at().operands.size(); ++k)
    scalars = scalars && is_inline_scalar(step.operand_shape(k));
  scalars ? on_scalars(step, loop) : on_arrays(step, std::move(loop));
  return {};
}

Result<void> run_convert(Step& step) {
  const ElementType from = step.operand_shape(0).type, to = step.at().shape.type;
  return each_element(step, [=](const Inputs& in, std::byte* out, int64_t count) {
    convert_elements(from, in[0], to, out, count);
  });
}

Result<void> run_reduce_precision(Step& step) {
  const ElementType type = step.at().shape.type;
  const auto* given = std::get_if<Precision>(&*step.at().attributes);
  if (given == nullptr || !is_floating(type)) return cannot_compute(step.at());
  const Precision left = *given;
  return each_element(step, [=](const Inputs& in, std::byte* out, int64_t count) {
    element::visit(type, [&](auto tag) {
      using Tag = decltype(tag);
      using Computed = typename Tag::Computed;
      using Stored = typename Tag::Stored;
      if constexpr (std::is_floating_point_v<Computed>) {
        using Bits = std::conditional_t<sizeof(Computed) == 8, uint64_t, uint32_t>;
        const auto* from = reinterpret_cast<const Stored*>(in[0]);
        auto* to = reinterpret_cast<Stored*>(out);
        for (int64_t e = 0; e < count; ++e)
          to[e] = Tag::store(with_precision<Computed, Bits>(Tag::load(from[e]), left));
      }
    });
  });
}

Result<void> run_compare(Step& step) {
  const bool total = std::ranges::any_of(*step.at().verbatim, [](const VerbatimAttribute& a) {
    return a.key == "type" && a.value == "TOTALORDER";
  });
  const auto kernel = compare_kernel(comparison(step.at()), step.operand_shape(0).type, total);
  if (kernel == nullptr) return cannot_compute(step.at());
  return each_element(
      step, [=](const Inputs& in, std::byte* out, int64_t count) { kernel(in[0], in[1], out, count); });
}

Result<void> run_select(Step& step) {
  const auto size = static_cast<size_t>(stored_bytes(step.at().shape.type, 1));
  return each_element(step, [=](const Inputs& in, std::byte* out, int64_t count) {
    for (size_t e = 0; e < static_cast<size_t>(count); ++e)
      std::memcpy(out + e * size, (in[0][e] != std::byte{} ? in[1] : in[2]) + e * size, size);
  });
}

Result<void> run_clamp(Step& step) {
  const ElementType type = step.at().shape.type;
  const auto larger = elementwise_kernel(Opcode::maximum, type).two,
             smaller = elementwise_kernel(Opcode::minimum, type).two;
  if (larger == nullptr || smaller == nullptr) return cannot_compute(step.at());
  return each_element(step, [=](const Inputs& in, std::byte* out, int64_t count) {
    larger(in[1], in[0], out, count);
    smaller(out, in[2], out, count);
  });
}

Result<void> run_is_finite(Step& step) {
  const ElementType type = step.operand_shape(0).type;
  if (is_complex(type)) return cannot_compute(step.at());
  return each_element(step, [=](const Inputs& in, std::byte* out, int64_t count) {
    element::visit_real(type, [&](auto tag) {
      using Tag = decltype(tag);
      const auto* stored = reinterpret_cast<const typename Tag::Stored*>(in[0]);
      for (int64_t e = 0; e < count; ++e)
        out[e] = std::byte{std::isfinite(static_cast<double>(Tag::load(stored[e])))};
    });
  });
}

}  // namespace

// By its own rule, or by a kernel of its one or two operands.
Result<void> run_elementwise(Step& step) {
  static const OpTable<RunRule> rules({}, {{Opcode::convert, &run_convert},
                                           {Opcode::compare, &run_compare},
                                           {Opcode::select, &run_select},
                                           {Opcode::clamp, &run_clamp},
                                           {Opcode::is_finite, &run_is_finite},
                                           {Opcode::reduce_precision, &run_reduce_precision}});
  if (const RunRule rule = rules[step.at().opcode]) return rule(step);
  const ElementwiseKernel kernel = elementwise_kernel(step.at().opcode, step.operand_shape(0).type);
  if (step.at().operands.size() == 2 && kernel.two != nullptr)
    return each_element(
        step, [=](const Inputs& in, std::byte* out, int64_t count) { kernel.two(in[0], in[1], out, count); });
  if (step.at().operands.size() == 1 && kernel.one != nullptr)
    return each_element(
        step, [=](const Inputs& in, std::byte* out, int64_t count) { kernel.one(in[0], out, count); });
  return cannot_compute(step.at());
}

}  // namespace shardscope::inline numerics
