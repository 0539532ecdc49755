// SPDX-License-Identifier: Apache-2.0
// Every type's numbers against JAX's on CPU (tests/oracle/make_type_goldens.py).
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "engine/base/text.h"
#include "engine/numerics/rules/convert.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "engine/program/text/hlo_refusals.h"
#include "tests/engine/numerics/type_streams.h"

namespace shardscope::type_goldens_test {
namespace {

using namespace type_streams;

// The words of each line.
std::vector<std::vector<std::string>> lines_of(const std::string& name) {
  std::ifstream file(SHARDSCOPE_SOURCE_DIR "/tests/engine/numerics/golden/" + name);
  std::vector<std::vector<std::string>> out;
  for (std::string line; std::getline(file, line);) out.push_back(split(line, ' '));
  EXPECT_GT(out.size(), 50u) << name;
  return out;
}

uint64_t hex(const std::string& text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

ElementType type_of(const std::string& text) {
  return *parse_element_type(text);
}

TEST(TypeGoldens, EveryTypeConvertsToEveryOtherAsInJax) {
  for (const auto& line : lines_of("conversions.txt")) {
    const ElementType from = type_of(line[0]), to = type_of(line[1]);
    const Array in = stream(from);
    Array out = Array::allocate(to, in.dims());
    convert_elements(from, in.data(), to, out.mutable_data(), in.element_count());
    EXPECT_EQ(fmt::format("{:016x}", total(out)), line[2]) << line[0] << " to " << line[1];
  }
}

bool is_comparison(const std::string& operation) {
  return operation.size() == 2 && operation[0] < 'a';
}

// The result of one operation on whole arrays.
Result<Array> result_of(const std::string& operation, const std::vector<Array>& operands,
                        ElementType result) {
  const std::string dims = fmt::format("[{}]", operands[0].element_count());
  std::string text = "HloModule m\nENTRY e {\n", names;
  for (size_t k = 0; k < operands.size(); ++k) {
    text += fmt::format("  p{} = {}{} parameter({})\n", k, name(operands[k].type()), dims, k);
    names += fmt::format("{}p{}", k == 0 ? "" : ", ", k);
  }
  const std::string call = is_comparison(operation)         ? "compare"
                           : operation.starts_with("chlo.") ? "custom-call"
                                                            : operation;
  text += fmt::format("  ROOT r = {}{} {}({})", name(result), dims, call, names);
  if (is_comparison(operation)) text += ", direction=" + operation;
  if (operation.starts_with("chlo.")) text += ", custom_call_target=\"" + operation + "\"";
  TRY(const Program module, parse_program(text + "\n}\n"));
  std::vector<std::vector<Array>> arguments;
  for (const Array& operand : operands) arguments.push_back({operand});
  const Workers workers(1);
  TRY(const auto out, run_on_devices(module, arguments, workers, {}));
  return out[0][0];
}

TEST(TypeGoldens, ExactOperationsAreJaxsOnEveryType) {
  for (const auto& line : lines_of("integers.txt")) {
    const std::string& operation = line[0];
    const ElementType type = type_of(line[1]);
    const bool one = has_word("negate abs sign not popcnt count-leading-zeros", operation);
    std::vector<Array> operands{stream(type, 1, 2048)};
    if (!one) operands.push_back(stream(type, 2, 2048));
    const auto out = result_of(operation, operands,
                               is_comparison(operation) ? ElementType::pred
                               : operation == "abs"     ? real_type(type)
                                                        : type);
    ASSERT_TRUE(out.ok()) << operation << " " << line[1] << ": " << out.error().text();
    EXPECT_EQ(fmt::format("{:016x}", total(*out)), line[2]) << operation << " of " << line[1];
  }
}

// "40490fdb" or, of complex numbers, "3f800000,40000000".
Array of_code(ElementType type, const std::string& text) {
  Array array = Array::allocate(type, {1});
  const std::vector<std::string> parts = split(text, ',');
  const size_t size = static_cast<size_t>(array.bytes()) / parts.size();
  for (size_t k = 0; k < parts.size(); ++k) {
    const uint64_t code = hex(parts[k]);
    std::memcpy(array.mutable_data() + k * size, &code, size);
  }
  return array;
}

// How far XLA's own series are from the function, in units of the last place: of what is near a zero of it as
// if it were 1, since they end there in a difference of numbers of that size.
double slack_of(const std::string& operation, ElementType type) {
  const bool single = type == ElementType::f32 || type == ElementType::c64;
  const bool series = has_word("chlo.lgamma chlo.digamma", operation);
  if (series) return single ? 32 : 1024;
  if (has_word("chlo.polygamma chlo.zeta chlo.erfc", operation)) return single ? 24 : 64;
  if (has_word("sinh cosh", operation)) return 24;
  if (has_word("power log-plus-one atanh asinh acosh chlo.erf_inv asin acos", operation) || is_complex(type))
    return single ? 16 : 128;
  return 4;
}

TEST(TypeGoldens, FunctionsAreJaxsToAFewLastPlaces) {
  for (const auto& line : lines_of("functions.txt")) {
    const std::string& operation = line[0];
    const ElementType type = type_of(line[1]);
    std::vector<Array> operands;
    for (size_t k = 2; k + 1 < line.size(); ++k) operands.push_back(of_code(type, line[k]));
    const bool part = has_word("real imag abs", operation);
    const ElementType made = part ? real_type(type) : type;
    const auto got = result_of(operation, operands, made);
    ASSERT_TRUE(got.ok()) << operation << " " << line[1] << ": " << got.error().text();
    const std::complex<double> own = got->complex_at(0), jax = of_code(made, line.back()).complex_at(0);
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (same(own.real(), jax.real()) && same(own.imag(), jax.imag())) continue;
    const bool near_zero = has_word("chlo.lgamma chlo.digamma", operation) ||
                           (is_complex(type) && has_word("log log-plus-one", operation));
    const double size = near_zero ? std::max(std::abs(jax), 1.0) : std::abs(jax);
    const double places = std::abs(own - jax) / (size * std::ldexp(1.0, 1 - element_type(made).digits));
    EXPECT_LE(places, slack_of(operation, type)) << join(line, " ") << ": got " << own << ", JAX has " << jax;
  }
}

TEST(TypeGoldens, RandomBitsAreXlasOnCpu) {
  for (const auto& line : lines_of("random.txt")) {
    const std::string text = fmt::format(
        "HloModule m\nENTRY e {{\n  k = u64[2] constant({{{}, {}}})\n"
        "  ROOT r = (u64[2], {}{}) rng-bit-generator(k), algorithm={}\n}}\n",
        0x0123456789abcdefu, 0xfedcba9876543210u, line[1], line[2], line[0]);
    const auto module = parse_program(text);
    ASSERT_TRUE(module.ok()) << module.error().text();
    const auto out = run_on_devices(*module, {}, Workers(1), {});
    ASSERT_TRUE(out.ok()) << out.error().text();
    std::vector<std::string> got{line[0], line[1], line[2]};
    for (const auto& leaf : *out)
      for (const uint64_t word : words(leaf[0])) got.push_back(fmt::format("{:x}", word));
    EXPECT_EQ(join(got, " "), join(line, " "));
  }
}

}  // namespace
}  // namespace shardscope::type_goldens_test
