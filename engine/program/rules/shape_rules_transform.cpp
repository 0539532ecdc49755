// SPDX-License-Identifier: Apache-2.0
// Shape rules of what mixes rows, and of what picks from them.
#include <algorithm>

#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline program {
namespace {

// Of real numbers n elements are n/2+1 complex ones: the others are their conjugates.
int64_t halved(int64_t size) {
  return size / 2 + 1;
}

Result<ElementType> transformed_type(const InstructionCheck& c, FftType type) {
  const ElementType from = c.operand(0).type;
  const bool real = type == FftType::rfft;
  const bool fits = real ? from == ElementType::f32 || from == ElementType::f64 : is_complex(from);
  if (!fits)
    return c.error("operand is " + c.operand(0).text() + ", expected elements " +
                   (real ? "f32 or f64" : "c64 or c128"));
  if (real) return from == ElementType::f32 ? ElementType::c64 : ElementType::c128;
  return type == FftType::irfft ? real_type(from) : from;
}

}  // namespace

Result<void> check_fft(const InstructionCheck& c) {
  constexpr size_t kMostDims = 3;
  TRY_VOID(c.array_operands());
  const auto* fft = std::get_if<Fft>(&*c.instruction.attributes);
  if (fft == nullptr || fft->length.empty() || fft->length.size() > kMostDims)
    return c.error("needs an fft_type and an fft_length of 1 to 3 sizes");
  TRY(const ElementType type, transformed_type(c, fft->type));
  Shape expected = Shape::array(type, c.operand(0).dims);
  if (fft->length.size() > expected.rank())
    return c.error("fft_length of " + std::to_string(fft->length.size()) + " sizes, operand is " +
                   c.operand(0).text());
  const size_t first = expected.rank() - fft->length.size();
  for (size_t k = 0; k < fft->length.size(); ++k) {
    const int64_t length = fft->length[k];
    const bool last = k + 1 == fft->length.size();
    if (length < 1) return c.error("fft_length of " + std::to_string(length) + ", expected sizes from 1");
    const int64_t own = last && fft->type == FftType::irfft ? halved(length) : length;
    if (expected.dims[first + k] != own)
      return c.error("dimension " + std::to_string(first + k) + " of " + c.operand(0).text() +
                     " does not fit the fft_length, expected " + std::to_string(own));
    expected.dims[first + k] = last && fft->type == FftType::rfft ? halved(length) : length;
  }
  return c.shape_is(expected);
}

Result<void> check_topk(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const auto* pick = std::get_if<TopK>(&*c.instruction.attributes);
  const Shape& from = c.operand(0);
  if (pick == nullptr || from.rank() == 0) return c.error("needs k, and an array of at least one dimension");
  if (pick->k < 0 || pick->k > from.dims.back())
    return c.error("k=" + std::to_string(pick->k) + ", expected at most the last dimension of " +
                   from.text());
  if (is_complex(from.type)) return c.error("operand is " + from.text() + ", expected numbers with an order");
  Shape values = Shape::array(from.type, from.dims);
  values.dims.back() = pick->k;
  Shape places = Shape::array(ElementType::s32, values.dims);
  return c.shape_is(Shape::tuple({std::move(values), std::move(places)}));
}

// A state of 64-bit numbers goes in and out: a key and one or two of a counter.
Result<void> check_random_bits(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Shape &state = c.operand(0), &made = c.instruction.shape;
  // A chip's own generator, whose state stays with it.
  if (c.scheduled && !made.is_tuple && bits(made.type) > 0) return {};
  const bool fits =
      state.type == ElementType::u64 && state.rank() == 1 && state.dims[0] >= 2 && state.dims[0] <= 3;
  if (!fits) return c.error("operand is " + state.text() + ", expected u64[2] or u64[3]");
  const bool pair = made.is_tuple && made.elements.size() == 2 && !made.elements[1].is_tuple;
  if (pair && bits(made.elements[1].type) > 0) return c.shape_is(Shape::tuple({state, made.elements[1]}));
  return c.error("shape " + made.text() + ", expected the state and an array of bits");
}

}  // namespace shardscope::inline program
