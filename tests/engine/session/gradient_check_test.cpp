// SPDX-License-Identifier: Apache-2.0
// A notebook's registered operation, line by line, and backwards that are wrong.
#include "engine/session/gradient_check.h"

#include <gtest/gtest.h>

#include "engine/base/read_file.h"
#include "engine/partition/entry/partition.h"
#include "engine/program/module_form.h"
#include "engine/program/registered.h"
#include "engine/session/hlo_proof.h"

namespace shardscope::gradient_check_test {
namespace {

Program read(std::string text) {
  auto out = read_module_bytes(std::move(text), "operation.hlo");
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? std::move(out->program) : Program();
}

Program seed() {
  auto text = read_file(std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/operations/add_forward.hlo");
  EXPECT_TRUE(text.ok());
  return read(*std::move(text));
}

Array number(float value) {
  Array out = Array::allocate(ElementType::f32, {1, 1});
  out.mutable_as<float>()[0] = value;
  return out;
}

// x = ones(1, 1), y = 0.1028: output = 1.1028, x.grad = y.grad = 1, as autograd gives for x + y.
TEST(RegisteredOperation, IsComputedAndDifferentiatedAsTheNotebookPrints) {
  const Program module = seed();
  const Workers workers;
  const std::vector<Array> x = {number(1.0F), number(0.1028F)};
  EXPECT_NEAR(run_module(module, x, workers, {}).value()[0].at(0), 1.1028, 1e-6);
  const GradRequest request{"loss", {"p0", "p1"}};
  const Program made = gradient(module, request).value();
  EXPECT_NE(computation_named(made, "AddForward.backward"), nullptr);
  const std::vector<Array> gradients = run_module(made, x, workers, {}).value();
  EXPECT_EQ(gradients[0].at(0), 1);
  EXPECT_EQ(gradients[1].at(0), 1);
  const auto checks = check_backwards(module, request, 0, workers).value();
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0].text(), "by p0: its element is that of automatic differentiation");
  EXPECT_TRUE(partition(made, {}).ok());
}

const char* const kScaled =
    "scale { x = f32[2,2] parameter(0)\n k = f32[] constant(3)\n b = f32[2,2] broadcast(k), dimensions={}\n"
    " ROOT y = f32[2,2] multiply(x, b) }\n";

std::string module_with(const std::string& backward) {
  return std::string("HloModule m\n") + kScaled + backward +
         "ENTRY main {\n a = f32[2,2] parameter(0)\n s = f32[2,2] custom-call(a), "
         "custom_call_target=\"scale\"\n"
         " t = f32[2,2] multiply(s, s)\n z = f32[] constant(0)\n"
         " ROOT l = f32[] reduce(t, z), dimensions={0,1}, to_apply=sum\n}\n";
}
const std::string kSum =
    "sum { q = f32[] parameter(0)\n r = f32[] parameter(1)\n ROOT u = f32[] add(q, r) }\n";

TEST(RegisteredOperation, WithoutABackwardIsDifferentiatedItself) {
  const Program module = read(module_with(kSum));
  const Workers workers;
  EXPECT_TRUE(check_backwards(module, {"l", {"a"}}, 0, workers).value().empty());
  Array a = Array::allocate(ElementType::f32, {2, 2});
  for (size_t k = 0; k < 4; ++k) a.mutable_as<float>()[k] = static_cast<float>(k);
  const auto made = gradient(module, {"l", {"a"}}).value();
  EXPECT_EQ(run_module(made, {a}, workers, {}).value()[0].at(3), 2 * 9 * 3);
}

TEST(RegisteredOperation, AWrongBackwardIsToldWithWhereAndByHowMuch) {
  const Program module =
      read(module_with(
          kSum + "scale.backward { x1 = f32[2,2] parameter(0)\n g1 = f32[2,2] parameter(1)\n"
                 " k1 = f32[2,2] constant({{3, 3}, {3, 2}})\n ROOT y1 = f32[2,2] multiply(g1, k1) }\n"));
  const auto checks = check_backwards(module, {"l", {"a"}}, 1, Workers()).value();
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].other, 1);
  EXPECT_EQ(checks[0].place, (std::vector<int64_t>{1, 1}));
  EXPECT_FLOAT_EQ(static_cast<float>(checks[0].given * 3), static_cast<float>(checks[0].automatic * 2));
  const NumericsReport& numbers = checks[0].numbers;
  EXPECT_FALSE(numbers.allclose);
  EXPECT_EQ(numbers.percent_bad, 25);
  EXPECT_EQ(numbers.worst_index, (std::vector<int64_t>{1, 1}));
  ASSERT_EQ(numbers.regions.size(), 4U) << "the picture has a cell an element";
  EXPECT_EQ(numbers.regions[3].percent_bad, 100);
  EXPECT_EQ(numbers.regions[0].percent_bad, 0);
}

TEST(RegisteredOperation, ABackwardOfAnotherSignatureIsRefused) {
  const auto read = read_module_bytes(
      module_with(kSum + "scale.backward { x1 = f32[2,2] parameter(0)\n ROOT y1 = f32[2,2] negate(x1) }\n"),
      "operation.hlo");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(
      read.error().text(),
      "scale.backward takes (f32[2,2]), expected (f32[2,2], f32[2,2]): the operands, then the cotangents; "
      "computation scale.backward");
}

TEST(RegisteredOperation, OfAnotherFileIsCalledLikeOneOfTheModule) {
  const Program module = read(
      "HloModule m\nENTRY main {\n a = f32[2,2] parameter(0)\n"
      " ROOT s = f32[2,2] custom-call(a), custom_call_target=\"scale\"\n}\n");
  const Program library = read(std::string("HloModule o\n") + kScaled);
  const Program joined = with_operations(module, library).value();
  EXPECT_EQ(joined.entry_computation().root_instruction().opcode, Opcode::call);
  EXPECT_TRUE(verify(joined).ok());
  const auto other =
      with_operations(read("HloModule m\nENTRY main {\n a = f32[3] parameter(0)\n"
                           " ROOT s = f32[3] custom-call(a), custom_call_target=\"scale\"\n}\n"),
                      library);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().text().find("operand 0 is f32[3], scale expects f32[2,2]"), std::string::npos)
      << other.error().text();
}

}  // namespace
}  // namespace shardscope::gradient_check_test
