// SPDX-License-Identifier: Apache-2.0
// Calls of cuBLAS and cuDNN, as XLA:GPU makes them, against HLO's own operations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/numerics/data/array_text.h"
#include "engine/numerics/rules/run_on_devices.h"

namespace shardscope::library_calls_test {
namespace {

// The first leaf of the result.
std::string run(const std::string& body, const std::vector<Array>& arguments) {
  const auto module = parse_program("HloModule m\nENTRY e {\n" + body + "}\n");
  if (!module.ok()) return module.error().text();
  std::vector<std::vector<Array>> by_device;
  for (const Array& argument : arguments) by_device.push_back({argument});
  const Workers workers(2);
  const auto leaves = run_on_devices(*module, by_device, workers, {});
  return leaves.ok() ? numpy_text(leaves->front().front()) : leaves.error().text();
}

Array array_of(const std::string& text, std::vector<int64_t> dims, ElementType type = ElementType::f32) {
  return *parse_array(text, type, std::move(dims));
}

// x[2,3] · y[3,2], z[2,2] beside it, a bias for each column.
const std::vector<Array>& factors() {
  static const std::vector<Array> all = {array_of("[[1,2,3],[-4,-5,-6]]", {2, 3}),
                                         array_of("[[1,0],[0,1],[1,1]]", {3, 2}),
                                         array_of("[[10,20],[30,40]]", {2, 2}), array_of("[-3,0.5]", {2})};
  return all;
}

std::string matmul(const std::string& operands, const std::string& config,
                   const std::string& target = "__cublas$lt$matmul") {
  return " x = f32[2,3] parameter(0)\n y = f32[3,2] parameter(1)\n z = f32[2,2] parameter(2)\n"
         " b = f32[2] parameter(3)\n ROOT r = (f32[2,2], s8[1024]) custom-call(" +
         operands + "), custom_call_target=\"" + target +
         "\", backend_config={\"operation_queue_id\":\"0\",\"gemm_backend_config\":{" + config +
         ",\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
         "\"rhs_contracting_dimensions\":[\"0\"],\"lhs_batch_dimensions\":[],\"rhs_batch_dimensions\":[]}}}"
         "\n";
}

// x · y is [[4,5],[-10,-11]].
TEST(LibraryCalls, AProductOfCublasIsScaledAndAddedTo) {
  EXPECT_EQ(run(matmul("x, y", "\"alpha_real\":1,\"alpha_imag\":0,\"beta\":0,\"epilogue\":\"DEFAULT\"",
                       "__cublas$gemm"),
                factors()),
            "[[  4.   5.]\n [-10. -11.]]");
  EXPECT_EQ(run(matmul("x, y, z", "\"alpha_real\":-2,\"beta\":0.5,\"epilogue\":\"DEFAULT\""), factors()),
            "[[-3.  0.]\n [35. 42.]]");
}

TEST(LibraryCalls, WhatFollowsAProductIsComputedWithIt) {
  const auto with = [](const char* operands, const char* epilogue) {
    return run(matmul(operands, fmt::format("\"alpha_real\":1,\"beta\":0,\"epilogue\":\"{}\"", epilogue)),
               factors());
  };
  EXPECT_EQ(with("x, y, b", "BIAS"), "[[  1.    5.5]\n [-13.  -10.5]]");
  EXPECT_EQ(with("x, y", "RELU"), "[[4. 5.]\n [0. 0.]]");
  EXPECT_EQ(with("x, y, b", "BIAS_RELU"), "[[1.  5.5]\n [0.  0. ]]");
  // As jax.nn.gelu and jax.nn.silu give it.
  EXPECT_EQ(with("x, y", "GELU").substr(0, 10), "[[ 3.99993");
  EXPECT_EQ(with("x, y", "SILU").substr(0, 15), "[[ 3.9280550e+0");
}

TEST(LibraryCalls, AProductThatSaysMoreThanIsUnderstoodIsNotComputed) {
  for (const char* config :
       {"\"alpha_real\":1,\"beta\":0,\"epilogue\":\"GELU_AUX\"",
        "\"alpha_real\":1,\"alpha_imag\":1,\"beta\":0,\"epilogue\":\"DEFAULT\"",
        "\"alpha_real\":1,\"beta\":1,\"epilogue\":\"DEFAULT\"",  // adds what it is not given
        "\"alpha_real\":1,\"beta\":0,\"epilogue\":\"BIAS\"",     // the same
        "\"alpha_real\":1,\"beta\":0,\"epilogue\":\"DEFAULT\",\"damax_output\":true"})
    EXPECT_NE(run(matmul("x, y", config), factors()).find("cannot run custom-call"), std::string::npos)
        << config;
  EXPECT_NE(run(matmul("x, y, z", "\"alpha_real\":1,\"beta\":0,\"epilogue\":\"DEFAULT\""), factors())
                .find("cannot run custom-call"),
            std::string::npos);
}

TEST(LibraryCalls, AProductWhoseFactorsDoNotFitIsNotComputed) {
  const std::string good = matmul("x, y", "\"alpha_real\":1,\"beta\":0");
  EXPECT_EQ(run(good, factors()), "[[  4.   5.]\n [-10. -11.]]");
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string text = good;
    text.replace(text.find(what), what.size(), by);
    return run(text, factors());
  };
  for (const auto& [what, by] :
       {std::pair("lhs_contracting_dimensions\":[\"1", "lhs_contracting_dimensions\":[\"0"),
        std::pair("lhs_contracting_dimensions\":[\"1", "lhs_contracting_dimensions\":[\"9"),
        std::pair("lhs_contracting_dimensions\":[\"1", "lhs_contracting_dimensions\":[\"1\",\"1"),
        std::pair("lhs_batch_dimensions\":[", "lhs_batch_dimensions\":[\"0\""),
        std::pair("(f32[2,2]", "(f32[7,2]")})
    EXPECT_NE(with(what, by).find("cannot run custom-call"), std::string::npos) << with(what, by);
}

TEST(LibraryCalls, AProductOfEightBitFloatsIsMultipliedByItsScales) {
  const std::string body =
      " x = f8e4m3fn[1,2] parameter(0)\n y = f8e4m3fn[2,1] parameter(1)\n s = f32[] constant(0.5)\n"
      " t = f32[] constant(8)\n ROOT r = (f32[1,1], s8[64]) custom-call(x, y, s, t), "
      "custom_call_target=\"__cublas$lt$matmul$f8\", backend_config={\"gemm_backend_config\":{"
      "\"alpha_real\":1,\"beta\":0,\"epilogue\":\"DEFAULT\",\"dot_dimension_numbers\":{"
      "\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"0\"]}}}\n";
  EXPECT_EQ(run(body, {array_of("[[1,2]]", {1, 2}, ElementType::f8e4m3fn),
                       array_of("[[3],[4]]", {2, 1}, ElementType::f8e4m3fn)}),
            "[[44.]]");
}

// ---- convolutions

std::string convolution(const std::string& operands, const std::string& target, const std::string& config) {
  return " x = f32[1,1,3,3] parameter(0)\n w = f32[1,1,2,2] parameter(1)\n b = f32[1] parameter(2)\n"
         " s = f32[1,1,2,2] parameter(3)\n ROOT r = (f32[1,1,2,2], u8[0]) custom-call(" +
         operands + "), window={size=2x2}, dim_labels=bf01_oi01->bf01, custom_call_target=\"" + target +
         "\", backend_config={\"cudnn_conv_backend_config\":{" + config + "}}\n";
}

TEST(LibraryCalls, AConvolutionOfCudnnIsOneWithItsBiasAndItsActivation) {
  const std::vector<Array> arguments = {array_of("[[[[1,2,3],[4,5,6],[7,8,9]]]]", {1, 1, 3, 3}),
                                        array_of("[[[[1,0],[0,-2]]]]", {1, 1, 2, 2}), array_of("[8]", {1}),
                                        array_of("[[[[1,2],[3,4]]]]", {1, 1, 2, 2})};
  // x[r,c] − 2 x[r+1,c+1]
  EXPECT_EQ(
      run(convolution("x, w", "__cudnn$convForward", "\"activation_mode\":\"kNone\",\"conv_result_scale\":1"),
          arguments),
      "[[[[ -9. -10.]\n   [-12. -13.]]]]");
  EXPECT_EQ(run(convolution("x, w, b, s", "__cudnn$convBiasActivationForward",
                            "\"activation_mode\":\"kRelu\",\"conv_result_scale\":0.5,\"side_input_scale\":2"),
                arguments),
            "[[[[5.5 7. ]\n   [8.  9.5]]]]");
  EXPECT_NE(run(convolution("x, w, b", "__cudnn$convBiasActivationForward",
                            "\"activation_mode\":\"kElu\",\"conv_result_scale\":1"),
                arguments)
                .find("cannot run custom-call"),
            std::string::npos);
}

}  // namespace
}  // namespace shardscope::library_calls_test
