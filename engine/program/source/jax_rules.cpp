// SPDX-License-Identifier: Apache-2.0
#include "engine/program/source/jax_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "engine/base/text.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/source/python_names.h"

namespace shardscope::inline program {
namespace {

// Operations that lax has under a name of its own, operand for operand.
const OpTable<const char*> kLaxNames({}, {{Opcode::select, "select"},
                                          {Opcode::clamp, "clamp"},
                                          {Opcode::and_, "bitwise_and"},
                                          {Opcode::or_, "bitwise_or"},
                                          {Opcode::not_, "bitwise_not"},
                                          {Opcode::xor_, "bitwise_xor"},
                                          {Opcode::add, "add"},
                                          {Opcode::subtract, "sub"},
                                          {Opcode::multiply, "mul"},
                                          {Opcode::mulhi, "mulhi"},
                                          {Opcode::divide, "div"},
                                          {Opcode::remainder, "rem"},
                                          {Opcode::maximum, "max"},
                                          {Opcode::minimum, "min"},
                                          {Opcode::power, "pow"},
                                          {Opcode::negate, "neg"},
                                          {Opcode::abs, "abs"},
                                          {Opcode::sign, "sign"},
                                          {Opcode::exponential, "exp"},
                                          {Opcode::exponential_minus_one, "expm1"},
                                          {Opcode::log, "log"},
                                          {Opcode::log_plus_one, "log1p"},
                                          {Opcode::tanh, "tanh"},
                                          {Opcode::logistic, "logistic"},
                                          {Opcode::rsqrt, "rsqrt"},
                                          {Opcode::sqrt, "sqrt"},
                                          {Opcode::cbrt, "cbrt"},
                                          {Opcode::erf, "erf"},
                                          {Opcode::floor, "floor"},
                                          {Opcode::ceil, "ceil"},
                                          {Opcode::sine, "sin"},
                                          {Opcode::cosine, "cos"},
                                          {Opcode::tan, "tan"},
                                          {Opcode::atan2, "atan2"},
                                          {Opcode::asin, "asin"},
                                          {Opcode::acos, "acos"},
                                          {Opcode::sinh, "sinh"},
                                          {Opcode::cosh, "cosh"},
                                          {Opcode::asinh, "asinh"},
                                          {Opcode::acosh, "acosh"},
                                          {Opcode::atanh, "atanh"},
                                          {Opcode::erfc, "erfc"},
                                          {Opcode::erf_inv, "erf_inv"},
                                          {Opcode::lgamma, "lgamma"},
                                          {Opcode::digamma, "digamma"},
                                          {Opcode::zeta, "zeta"},
                                          {Opcode::polygamma, "polygamma"},
                                          {Opcode::bessel_i1e, "bessel_i1e"},
                                          {Opcode::next_after, "nextafter"},
                                          {Opcode::complex, "complex"},
                                          {Opcode::real, "real"},
                                          {Opcode::imag, "imag"},
                                          {Opcode::popcnt, "population_count"},
                                          {Opcode::count_leading_zeros, "clz"},
                                          {Opcode::is_finite, "is_finite"},
                                          {Opcode::shift_left, "shift_left"},
                                          {Opcode::shift_right_arithmetic, "shift_right_arithmetic"},
                                          {Opcode::shift_right_logical, "shift_right_logical"}});

const char* lax_name(Opcode opcode) {
  return kLaxNames[opcode];
}

JaxRule* rule_of(Opcode opcode) {
  namespace rule = jax_rule;
  // What only waits, or moves within a device, has no line of its own in JAX.
  if (has(opcode, Trait::ends)) return &rule::alias;
  static const OpTable<JaxRule*> rules({{OpClass::elementwise, &rule::named}},
                                       {{Opcode::constant, &rule::constant},
                                        {Opcode::iota, &rule::iota},
                                        {Opcode::copy, &rule::alias},
                                        {Opcode::copy_start, &rule::alias},
                                        {Opcode::tuple, &rule::tuple},
                                        {Opcode::get_tuple_element, &rule::tuple_element},
                                        {Opcode::bitcast, &rule::reshape},
                                        {Opcode::reshape, &rule::reshape},
                                        {Opcode::bitcast_convert, &rule::bitcast_convert},
                                        {Opcode::convert, &rule::convert},
                                        {Opcode::compare, &rule::compare},
                                        {Opcode::transpose, &rule::transpose},
                                        {Opcode::broadcast, &rule::broadcast},
                                        {Opcode::slice, &rule::slice},
                                        {Opcode::dynamic_slice, &rule::dynamic_slice},
                                        {Opcode::dynamic_update_slice, &rule::dynamic_update_slice},
                                        {Opcode::concatenate, &rule::concatenate},
                                        {Opcode::pad, &rule::pad},
                                        {Opcode::reverse, &rule::reverse},
                                        {Opcode::round_nearest_afz, &rule::round_away},
                                        {Opcode::round_nearest_even, &rule::round_even},
                                        {Opcode::reduce_precision, &rule::reduce_precision},
                                        {Opcode::optimization_barrier, &rule::barrier},
                                        {Opcode::dot, &rule::dot},
                                        {Opcode::ragged_dot, &rule::ragged_dot},
                                        {Opcode::convolution, &rule::convolution},
                                        {Opcode::reduce, &rule::reduce},
                                        {Opcode::reduce_window, &rule::reduce_window},
                                        {Opcode::gather, &rule::gather},
                                        {Opcode::scatter, &rule::scatter},
                                        {Opcode::sort, &rule::sort},
                                        {Opcode::topk, &rule::topk},
                                        {Opcode::fft, &rule::fft},
                                        {Opcode::rng_bit_generator, &rule::random_bits},
                                        {Opcode::call, &rule::call},
                                        {Opcode::fusion, &rule::call},
                                        {Opcode::async_start, &rule::call},
                                        {Opcode::while_, &rule::while_loop},
                                        {Opcode::conditional, &rule::conditional},
                                        {Opcode::custom_call, &rule::custom_call},
                                        {Opcode::partition_id, &rule::partition_id},
                                        {Opcode::replica_id, &rule::replica_id},
                                        {Opcode::all_gather, &rule::all_gather},
                                        {Opcode::all_gather_start, &rule::all_gather},
                                        {Opcode::all_reduce, &rule::all_reduce},
                                        {Opcode::all_reduce_start, &rule::all_reduce},
                                        {Opcode::reduce_scatter, &rule::reduce_scatter},
                                        {Opcode::all_to_all, &rule::all_to_all},
                                        {Opcode::ragged_all_to_all, &rule::ragged_all_to_all},
                                        {Opcode::collective_permute, &rule::collective_permute},
                                        {Opcode::collective_permute_start, &rule::collective_permute},
                                        {Opcode::collective_broadcast, &rule::collective_broadcast}});
  return rules[opcode];
}

// "{ {1, 2}, {3, 4} }" as Python's lists; numbers that only HLO spells so get Python's spelling.
Result<std::string> python_literal(const JaxOperation& op) {
  const std::string& text = op.i.literal;
  if (text.find("...") != std::string::npos) return op.hole("its elements are left out of the text");
  static const std::map<std::string, std::string, std::less<>> kWords{{"true", "True"},  {"false", "False"},
                                                                      {"inf", "np.inf"}, {"-inf", "-np.inf"},
                                                                      {"nan", "np.nan"}, {"-nan", "np.nan"}};
  const bool complex = element_type(op.i.shape.type).kind == TypeKind::complex;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of("{}, \n(", at), text.size());
    if (end > at) {
      const std::string word = text.substr(at, end - at);
      const auto known = kWords.find(word);
      out += known == kWords.end() ? word : known->second;
      at = end;
      continue;
    }
    const char c = text[at++];
    if (c == '(' && !complex) return op.hole("a number with bits of its own, " + text.substr(0, 40));
    if (c == '(') out += "complex";
    out += c == '{' ? '[' : c == '}' ? ']' : c == '\n' ? ' ' : c;
  }
  return out;
}

bool is_default_order(const std::vector<int64_t>& order) {
  return std::ranges::is_sorted(order);
}

// The same memory read in another order of dimensions.
std::string bitcast(const JaxOperation& op) {
  const std::vector<int64_t> from = physical_order(op.operand_shape(0)), to = physical_order(op.i.shape);
  std::string out = op.operand(0);
  if (!is_default_order(from)) out = fmt::format("lax.transpose({}, {})", out, python_tuple(from));
  std::vector<int64_t> dims, back(to.size());
  for (size_t n = 0; n < to.size(); ++n) {
    dims.push_back(op.i.shape.dims[static_cast<size_t>(to[n])]);
    back[static_cast<size_t>(to[n])] = static_cast<int64_t>(n);
  }
  out = fmt::format("lax.reshape({}, {})", out, python_tuple(dims));
  if (!is_default_order(back)) out = fmt::format("lax.transpose({}, {})", out, python_tuple(back));
  return out;
}

std::string lax_call(const char* name, const JaxOperation& op) {
  return fmt::format("lax.{}({})", name, join(op.operands, ", "));
}

// Two parameters and an operation on them alone.
const Instruction* binary_operation(const Program& program, ComputationId reducer) {
  const Computation& c = program.computation(reducer);
  const Instruction& root = c.root_instruction();
  const auto is_parameter = [&](size_t n) {
    return c.at(root.operands[n]).parameter_number == static_cast<int64_t>(n);
  };
  const bool plain = c.instructions.size() == 3 && root.operands.size() == 2 && is_parameter(0) &&
                     is_parameter(1) && lax_name(root.opcode) != nullptr;
  return plain ? &root : nullptr;
}

}  // namespace

Error JaxOperation::hole(const std::string& what) const {
  return invalid(fmt::format("{} cannot be written in JAX: {}", i.name, what));
}

Result<std::string> jax_expression(const JaxOperation& op) {
  JaxRule* const rule = rule_of(op.i.opcode);
  if (rule != nullptr) return rule(op);
  return op.hole(fmt::format("it has no {}", opcode_text(op.i)));
}

std::string jax_type(ElementType type) {
  const std::string own = name(type);
  const int64_t width = bits(type);
  switch (element_type(type).kind) {
    case TypeKind::boolean:
      return "jnp.bool_";
    case TypeKind::signed_integer:
      return fmt::format("jnp.int{}", width);
    case TypeKind::unsigned_integer:
      return fmt::format("jnp.uint{}", width);
    case TypeKind::complex:
      return fmt::format("jnp.complex{}", width);
    default:
      break;
  }
  if (type == ElementType::bf16) return "jnp.bfloat16";
  // "f8e4m3fn" is float8_e4m3fn.
  return width < 16 ? fmt::format("jnp.float{}_{}", width, own.substr(2)) : fmt::format("jnp.float{}", width);
}

std::string jax_axes(const std::vector<std::string>& axes) {
  std::vector<std::string> quoted;
  for (const std::string& axis : axes) quoted.push_back(python_string(axis));
  return quoted.size() == 1 ? quoted.front() : python_tuple(quoted);
}

std::string jax_combiner(const JaxOperation& op, ComputationId reducer) {
  const Instruction* plain = binary_operation(op.program, reducer);
  if (plain != nullptr) return fmt::format("lax.{}", lax_name(plain->opcode));
  return op.functions[static_cast<size_t>(reducer.value)];
}

namespace jax_rule {

Result<std::string> named(const JaxOperation& op) {
  const char* name = lax_name(op.i.opcode);
  if (name == nullptr) return op.hole(std::string(opcode_text(op.i.opcode)));
  return lax_call(name, op);
}

Result<std::string> constant(const JaxOperation& op) {
  TRY(const std::string values, python_literal(op));
  const std::string type = jax_type(op.i.shape.type);
  if (op.i.shape.rank() == 0) return fmt::format("jnp.array({}, {})", values, type);
  return fmt::format("jnp.array({}, {}).reshape({})", values, type, python_tuple(op.i.shape.dims));
}

Result<std::string> iota(const JaxOperation& op) {
  const int64_t dimension = op.i.dimensions.empty() ? 0 : op.i.dimensions.front();
  return fmt::format("lax.broadcasted_iota({}, {}, {})", jax_type(op.i.shape.type),
                     python_tuple(op.i.shape.dims), dimension);
}

Result<std::string> compare(const JaxOperation& op) {
  const auto* direction = std::get_if<CompareDirection>(&*op.i.attributes);
  static constexpr std::array kNames{"eq", "ne", "lt", "le", "gt", "ge"};
  if (direction == nullptr) return op.hole("a comparison without a direction");
  return lax_call(kNames[static_cast<size_t>(*direction)], op);
}

Result<std::string> convert(const JaxOperation& op) {
  return fmt::format("lax.convert_element_type({}, {})", op.operand(0), jax_type(op.i.shape.type));
}

Result<std::string> bitcast_convert(const JaxOperation& op) {
  return fmt::format("lax.bitcast_convert_type({}, {})", op.operand(0), jax_type(op.i.shape.type));
}

Result<std::string> alias(const JaxOperation& op) {
  return op.operand(0);
}

Result<std::string> reshape(const JaxOperation& op) {
  if (op.operand_shape(0).type != op.i.shape.type) return op.hole("a bitcast to another type");
  if (op.i.opcode == Opcode::bitcast) return bitcast(op);
  return fmt::format("lax.reshape({}, {})", op.operand(0), python_tuple(op.i.shape.dims));
}

Result<std::string> transpose(const JaxOperation& op) {
  return fmt::format("lax.transpose({}, {})", op.operand(0), python_tuple(*op.i.dimensions));
}

Result<std::string> broadcast(const JaxOperation& op) {
  return fmt::format("lax.broadcast_in_dim({}, {}, {})", op.operand(0), python_tuple(op.i.shape.dims),
                     python_tuple(*op.i.dimensions));
}

Result<std::string> slice(const JaxOperation& op) {
  std::vector<int64_t> starts, limits, strides;
  for (const SliceDim& d : op.i.slice) {
    starts.push_back(d.start);
    limits.push_back(d.limit);
    strides.push_back(d.stride);
  }
  const bool dense = std::ranges::all_of(strides, [](int64_t s) { return s == 1; });
  return fmt::format("lax.slice({}, {}, {}{})", op.operand(0), python_tuple(starts), python_tuple(limits),
                     dense ? "" : ", " + python_tuple(strides));
}

Result<std::string> dynamic_slice(const JaxOperation& op) {
  const std::vector<std::string> starts(op.operands.begin() + 1, op.operands.end());
  return fmt::format("lax.dynamic_slice({}, {}, {})", op.operand(0), python_tuple(starts),
                     python_tuple(*op.i.dynamic_slice_sizes));
}

Result<std::string> dynamic_update_slice(const JaxOperation& op) {
  const std::vector<std::string> starts(op.operands.begin() + 2, op.operands.end());
  return fmt::format("lax.dynamic_update_slice({}, {}, {})", op.operand(0), op.operand(1),
                     python_tuple(starts));
}

Result<std::string> concatenate(const JaxOperation& op) {
  return fmt::format("lax.concatenate({}, {})", python_tuple(op.operands), op.i.dimensions.front());
}

Result<std::string> pad(const JaxOperation& op) {
  const auto* padding = std::get_if<Padding>(&*op.i.attributes);
  if (padding == nullptr) return op.hole("a pad without its numbers");
  std::vector<std::string> dims;
  for (const PadDim& d : padding->dims) dims.push_back(python_tuple({d.low, d.high, d.interior}));
  return fmt::format("lax.pad({}, {}, {})", op.operand(0), op.operand(1), python_tuple(dims));
}

Result<std::string> reverse(const JaxOperation& op) {
  return fmt::format("lax.rev({}, {})", op.operand(0), python_tuple(*op.i.dimensions));
}

Result<std::string> round_away(const JaxOperation& op) {
  return fmt::format("lax.round({}, lax.RoundingMethod.AWAY_FROM_ZERO)", op.operand(0));
}

Result<std::string> round_even(const JaxOperation& op) {
  return fmt::format("lax.round({}, lax.RoundingMethod.TO_NEAREST_EVEN)", op.operand(0));
}

Result<std::string> reduce_precision(const JaxOperation& op) {
  const auto* bits = std::get_if<Precision>(&*op.i.attributes);
  if (bits == nullptr) return op.hole("it does not say to which precision");
  return fmt::format("lax.reduce_precision({}, {}, {})", op.operand(0), bits->exponent_bits,
                     bits->mantissa_bits);
}

Result<std::string> tuple(const JaxOperation& op) {
  return python_tuple(op.operands);
}

Result<std::string> tuple_element(const JaxOperation& op) {
  return fmt::format("{}[{}]", op.operand(0), op.i.tuple_index);
}

Result<std::string> barrier(const JaxOperation& op) {
  if (op.operands.size() == 1) return fmt::format("lax.optimization_barrier({})", op.operand(0));
  return fmt::format("lax.optimization_barrier({})", python_tuple(op.operands));
}

}  // namespace jax_rule
}  // namespace shardscope::inline program
