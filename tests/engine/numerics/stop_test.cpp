// SPDX-License-Identifier: Apache-2.0
// Long instructions end when they are asked to, not when they are done.
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include "engine/numerics/rules/run_on_devices.h"

namespace shardscope::stop_test {
namespace {

// Runs a module on ones and asks it to stop a moment later: it must not go on to its end.
void expect_stopped(const std::string& body, const std::vector<Shape>& shapes) {
  const Result<Program> module = parse_program("HloModule test\n" + body);
  ASSERT_TRUE(module.ok()) << module.error().text();
  std::vector<std::vector<Array>> arguments;
  for (const Shape& shape : shapes) {
    Array array = Array::allocate(shape.type, shape.dims);
    for (float& e : array.mutable_as<float>()) e = 1;
    arguments.push_back({array});
  }
  std::stop_source source;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    source.request_stop();
  });
  const auto result = run_on_devices(*module, arguments, Workers(2), source.get_token());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::cancelled) << result.error().text();
}

// 10^13 multiplications, all of them in the windows of one feature: hours.
TEST(Stop, EndsAConvolutionInTheMiddle) {
  const Shape x = Shape::array(ElementType::f32, {1, 2048, 2048, 1}),
              w = Shape::array(ElementType::f32, {1025, 1025, 1, 1});
  expect_stopped(
      "ENTRY main {\n x = f32[1,2048,2048,1] parameter(0)\n w = f32[1025,1025,1,1] parameter(1)\n"
      " ROOT y = f32[1,2048,2048,1] convolution(x, w), window={size=1025x1025 "
      "pad=512_512x512_512}, dim_labels=b01f_01io->b01f\n}\n",
      {x, w});
}

// 10^12 comparisons.
TEST(Stop, EndsASortInTheMiddle) {
  expect_stopped(
      "less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT l = pred[] compare(a, b), direction=LT\n}\n"
      "ENTRY main {\n x = f32[1000000] parameter(0)\n"
      " ROOT y = f32[1000000] sort(x), dimensions={0}, to_apply=less\n}\n",
      {Shape::array(ElementType::f32, {1000000})});
}

}  // namespace
}  // namespace shardscope::stop_test
