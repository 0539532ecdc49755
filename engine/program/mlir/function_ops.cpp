// SPDX-License-Identifier: Apache-2.0
// Rows of functions of one element, of CHLO's that are made of a few others, of transforms and random bits.
#include "engine/program/mlir/stablehlo_ops.h"

namespace shardscope::inline program {
namespace {

Result<void> lower_function(MlirCase& c) {
  return c.give_plain();
}

// A number of the type everywhere.
InstructionId number_like(MlirCase& c, const Shape& shape, const char* number) {
  Instruction made = c.make(Opcode::constant, Shape::scalar(shape.type), {});
  made.literal = is_complex(shape.type) ? "(" + std::string(number) + ", 0)" : std::string(number);
  return c.broadcast(c.emit(std::move(made)), shape);
}

// atan x = atan2(x, 1).
Result<void> lower_atan(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(Shape shape, c.result());
  const InstructionId one = number_like(c, shape, "1");
  return c.give(c.make(Opcode::atan2, std::move(shape), {c.operands[0], one}));
}

Result<void> equals_infinity(MlirCase& c, InstructionId value, const char* infinity) {
  TRY(Shape shape, c.result());
  const InstructionId other = number_like(c, c.shape(0), infinity);
  Instruction made = c.make(Opcode::compare, std::move(shape), {value, other});
  made.attributes = CompareDirection::eq;
  return c.give(std::move(made));
}

Result<void> lower_is_inf(MlirCase& c) {
  TRY_VOID(c.expects(1));
  return equals_infinity(c, c.emit(c.make(Opcode::abs, Shape(c.shape(0)), {c.operands[0]})), "inf");
}
Result<void> lower_is_pos_inf(MlirCase& c) {
  TRY_VOID(c.expects(1));
  return equals_infinity(c, c.operands[0], "inf");
}
Result<void> lower_is_neg_inf(MlirCase& c) {
  TRY_VOID(c.expects(1));
  return equals_infinity(c, c.operands[0], "-inf");
}

Result<void> lower_conjugate(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(Shape shape, c.result());
  const Shape part = Shape::array(real_type(shape.type), shape.dims);
  if (!is_complex(shape.type)) {
    c.stand_for(c.operands[0]);
    return {};
  }
  const InstructionId real = c.emit(c.make(Opcode::real, part, {c.operands[0]}));
  const InstructionId imaginary = c.emit(c.make(Opcode::imag, part, {c.operands[0]}));
  const InstructionId turned = c.emit(c.make(Opcode::negate, part, {imaginary}));
  return c.give(c.make(Opcode::complex, std::move(shape), {real, turned}));
}

Result<void> lower_square(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(Shape shape, c.result());
  return c.give(c.make(Opcode::multiply, std::move(shape), {c.operands[0], c.operands[0]}));
}

// "value = 1.000000e+00 : f32", everywhere.
Result<void> lower_constant_like(MlirCase& c) {
  TRY(Shape shape, c.result());
  TRY(const std::string_view said, c.text({"value"}));
  const std::string number(said.substr(0, said.find(" :")));
  const InstructionId value = number_like(c, shape, number.c_str());
  c.stand_for(value);
  return {};
}

// The words of an enumeration, in its order, of which the text holds one.
template <size_t count>
std::optional<size_t> word_in(std::string_view text, const char* const (&words)[count]) {
  std::optional<size_t> found;
  for (size_t k = 0; k < count; ++k)
    if (text.find(words[k]) != std::string_view::npos &&
        (!found || std::string_view(words[*found]).size() < std::string_view(words[k]).size()))
      found = k;  // "FFT" is in "RFFT"
  return found;
}

Result<void> lower_fft(MlirCase& c) {
  constexpr const char* kTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  TRY(Shape shape, c.result());
  TRY(const std::string_view said, c.text({"type", "fft_type"}));
  const auto type = word_in(said, kTypes);
  if (!type) return c.error("needs a type: FFT, IFFT, RFFT or IRFFT");
  Fft made{static_cast<FftType>(*type), {}};
  TRY(made.length, c.numbers({"length", "fft_length"}));
  Instruction i = c.make(Opcode::fft, std::move(shape), c.operands);
  i.attributes = std::move(made);
  return c.give(std::move(i));
}

Result<void> lower_random_bits(MlirCase& c) {
  constexpr const char* kAlgorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
  TRY(Shape shape, c.result());
  TRY(const std::string_view said, c.text({"algorithm", "rng_algorithm"}));
  Instruction i = c.make(Opcode::rng_bit_generator, std::move(shape), c.operands);
  if (const auto algorithm = word_in(said, kAlgorithms))
    i.attributes = static_cast<RandomAlgorithm>(*algorithm);
  return c.give(std::move(i));
}

constexpr StablehloOp kFunctionRows[] = {
    {"acos", Opcode::acos, lower_function},
    {"acosh", Opcode::acosh, lower_function},
    {"asin", Opcode::asin, lower_function},
    {"asinh", Opcode::asinh, lower_function},
    {"atan", Opcode::atan2, lower_atan},
    {"atan2", Opcode::atan2, lower_function},
    {"atanh", Opcode::atanh, lower_function},
    {"bessel_i1e", Opcode::bessel_i1e, lower_function},
    {"cbrt", Opcode::cbrt, lower_function},
    {"complex", Opcode::complex, lower_function},
    {"conj", Opcode::complex, lower_conjugate},
    {"constant_like", Opcode::constant, lower_constant_like},
    {"cosh", Opcode::cosh, lower_function},
    {"cosine", Opcode::cosine, lower_function},
    {"count_leading_zeros", Opcode::count_leading_zeros, lower_function},
    {"digamma", Opcode::digamma, lower_function},
    {"erf", Opcode::erf, lower_function},
    {"erf_inv", Opcode::erf_inv, lower_function},
    {"erfc", Opcode::erfc, lower_function},
    {"exponential", Opcode::exponential, lower_function},
    {"exponential_minus_one", Opcode::exponential_minus_one, lower_function},
    {"fft", Opcode::fft, lower_fft},
    {"imag", Opcode::imag, lower_function},
    {"is_inf", Opcode::compare, lower_is_inf},
    {"is_neg_inf", Opcode::compare, lower_is_neg_inf},
    {"is_pos_inf", Opcode::compare, lower_is_pos_inf},
    {"lgamma", Opcode::lgamma, lower_function},
    {"log", Opcode::log, lower_function},
    {"log_plus_one", Opcode::log_plus_one, lower_function},
    {"logistic", Opcode::logistic, lower_function},
    {"mulhi", Opcode::mulhi, lower_function},
    {"next_after", Opcode::next_after, lower_function},
    {"polygamma", Opcode::polygamma, lower_function},
    {"popcnt", Opcode::popcnt, lower_function},
    {"real", Opcode::real, lower_function},
    {"rng_bit_generator", Opcode::rng_bit_generator, lower_random_bits},
    {"rsqrt", Opcode::rsqrt, lower_function},
    {"sine", Opcode::sine, lower_function},
    {"sinh", Opcode::sinh, lower_function},
    {"sqrt", Opcode::sqrt, lower_function},
    {"square", Opcode::multiply, lower_square},
    {"tan", Opcode::tan, lower_function},
    {"tanh", Opcode::tanh, lower_function},
    {"zeta", Opcode::zeta, lower_function},
};

}  // namespace

std::span<const StablehloOp> stablehlo_function_ops() {
  return kFunctionRows;
}

}  // namespace shardscope::inline program
