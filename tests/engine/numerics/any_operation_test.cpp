// SPDX-License-Identifier: Apache-2.0
// Whatever operation is asked of whatever types: it runs or is refused with an error that names it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/numerics/rules/run_on_devices.h"
#include "engine/program/ir/op_table.h"
#include "tests/engine/numerics/type_streams.h"

namespace shardscope::any_operation_test {
namespace {

using namespace type_streams;

struct Outcome {
  bool parsed = false, ran = false;
  std::string error;
};

Outcome outcome_of(const std::string& line, const std::vector<ElementType>& operands,
                   const std::string& dims) {
  std::string text = "HloModule m\nENTRY e {\n";
  std::vector<std::vector<Array>> arguments;
  for (size_t k = 0; k < operands.size(); ++k) {
    text += fmt::format("  {} = {}{} parameter({})\n", "xyz"[k], name(operands[k]), dims, k);
    const Array line_of = stream(operands[k], 1 + k, 8);
    arguments.push_back({Array::adopt(
        operands[k], dims == "[]" ? std::vector<int64_t>{} : std::vector<int64_t>{8}, line_of.buffer())});
  }
  const auto module = parse_program(text + "  ROOT odd = " + line + "\n}\n");
  if (!module.ok()) return {false, false, module.error().text()};
  const auto out = run_on_devices(*module, arguments, Workers(1), {});
  return {true, out.ok(), out.ok() ? "" : out.error().text()};
}

std::string attributes_of(Opcode opcode) {
  if (opcode == Opcode::compare) return ", direction=LT";
  if (opcode == Opcode::reduce_precision) return ", exponent_bits=5, mantissa_bits=2";
  const std::string target(called_target(opcode));
  return target.empty() ? "" : ", custom_call_target=\"" + target + "\"";
}

std::string call_of(Opcode opcode) {
  return std::string(called_target(opcode).empty() ? opcode_text(opcode) : opcode_text(Opcode::custom_call));
}

// Results of the type itself, its part, its pair, and a truth; on arrays, and on scalars, which run by other
// ways.
TEST(AnyOperation, OnAnyTypeRunsOrIsRefused) {
  size_t ran = 0, refused = 0;
  for (const Operation& o : operations()) {
    if (o.kind != OpClass::elementwise) continue;
    const char* const names[] = {"(x)", "(x, y)", "(x, y, z)"};
    for (const ElementType type : array_types()) {
      for (const ElementType result :
           {type, real_type(type), ElementType::pred, ElementType::c64, ElementType::s4}) {
        for (const std::string dims : {"[8]", "[]"}) {
          std::vector<ElementType> operands(static_cast<size_t>(o.fewest_operands), type);
          if (o.opcode == Opcode::select) operands[0] = ElementType::pred;
          const std::string line = fmt::format("{}{} {}{}{}", name(result), dims, call_of(o.opcode),
                                               names[operands.size() - 1], attributes_of(o.opcode));
          const Outcome out = outcome_of(line, operands, dims);
          (out.ran ? ran : refused) += 1;
          EXPECT_TRUE(out.ran || out.error.find("odd") != std::string::npos) << line << ": " << out.error;
        }
      }
    }
  }
  EXPECT_GT(ran, 2500u);
  EXPECT_GT(refused, 5000u);
}

// Mixed types, shapes that do not fit, wrong numbers of operands: of all sorts, by chance.
TEST(AnyOperation, ThatIsMalformedIsRefused) {
  const std::vector<ElementType> types = array_types();
  const auto all = operations();
  size_t refused = 0;
  for (uint64_t n = 0; n < 20000; ++n) {
    const uint64_t dice = mixed_bits(n);
    const Operation& o = all[dice % all.size()];
    const auto pick = [&](int at) { return types[(dice >> at) % types.size()]; };
    const size_t count = 1 + (dice >> 10) % 3;
    std::vector<ElementType> operands;
    for (size_t k = 0; k < count; ++k)
      operands.push_back(((dice >> 13) & 1) != 0 ? pick(20) : pick(20 + 6 * static_cast<int>(k)));
    const char* const shapes[] = {"[8]", "[2,4]", "[]", "[9]", "[8,2]", "[0]"};
    const char* const names[] = {"(x)", "(x, y)", "(x, y, z)"};
    const char* const extras[] = {"", ", dimensions={0}", ", fft_type=FFT, fft_length={8}",
                                  ", k=3, largest=true", ", algorithm=rng_default"};
    const std::string line =
        fmt::format("{}{} {}{}{}{}", name(pick(40)), shapes[(dice >> 46) % 6], call_of(o.opcode),
                    names[count - 1], attributes_of(o.opcode), extras[(dice >> 50) % 5]);
    refused += outcome_of(line, operands, (dice >> 54) % 4 == 0 ? "[]" : "[8]").ran ? 0 : 1;
  }
  EXPECT_GT(refused, 10000u);
}

// What is a product of unlike types is carried out or refused, never cut off.
TEST(AnyOperation, ProductsOfAnyTwoTypesRunOrAreRefused) {
  size_t ran = 0;
  for (const ElementType left : array_types())
    for (const ElementType right : array_types())
      for (const ElementType result : {left, right, ElementType::f32, ElementType::c128, ElementType::s64}) {
        const std::string line = fmt::format(
            "{}[] dot(x, y), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}", name(result));
        const Outcome out = outcome_of(line, {left, right}, "[8]");
        ran += out.ran ? 1 : 0;
        EXPECT_FALSE(out.ran && is_complex(left) != is_complex(right)) << line;
        EXPECT_TRUE(out.ran || left != right || result != left) << line << out.error;
      }
  EXPECT_GT(ran, 3000u);
}

}  // namespace
}  // namespace shardscope::any_operation_test
