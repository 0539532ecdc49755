// SPDX-License-Identifier: Apache-2.0
// Texts that claim more than anybody has: refused, or read in memory that follows from their length.
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>

#include "engine/program/mlir/module_text.h"

namespace shardscope::limits_test {
namespace {

std::string times(size_t count, const std::string& text) {
  std::string out;
  out.reserve(count * text.size());
  for (size_t k = 0; k < count; ++k) out += text;
  return out;
}

std::string entry(const std::string& body) {
  return "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  " + body + "\n}\n";
}

std::string function(const std::string& body) {
  return "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n" + body +
         "\n return %x : tensor<2xf32>\n}\n";
}

std::string error_of(const std::string& text) {
  const auto program = is_mlir(text) ? read_stablehlo(text, "f") : parse_program(text, "f");
  return program.ok() ? "" : program.error().text();
}

// Kilobytes that the process has held at most.
int64_t most_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

class Limits : public testing::Test {
 protected:
  void TearDown() override { EXPECT_LT(most_memory() - before_, int64_t{4} << 20) << "kB"; }
  int64_t before_ = most_memory();
};

TEST_F(Limits, SizesBeyondAllNumbersAreRefused) {
  for (const char* size :
       {"9223372036854775808", "9223372036854775807", "18446744073709551616", "2251799813685248"}) {
    EXPECT_NE(error_of(entry(std::string("ROOT y = f32[") + size + "] broadcast(x), dimensions={0}")), "")
        << size;
    EXPECT_NE(
        error_of(function(std::string(" %y = stablehlo.constant dense<0.0> : tensor<") + size + "xf32>")), "")
        << size;
  }
  EXPECT_NE(error_of(entry("ROOT y = f32[1048576,1048576,1048576] broadcast(x), dimensions={0}")), "");
  EXPECT_NE(error_of(entry("y = f32[2] parameter(9223372036854775807)")), "");
  EXPECT_NE(error_of(entry("y = f32[2] parameter(16777215)")), "");
  EXPECT_NE(
      error_of("HloModule m, num_partitions=9223372036854775807\nENTRY e {\n  x = f32[2] parameter(0)\n}\n"),
      "");
  EXPECT_NE(
      error_of(entry("y = f32[2] copy(x), sharding={devices=[9223372036854775807]<=[9223372036854775807]}")),
      "");
  EXPECT_NE(error_of("sdy.mesh @m = <[\"x\"=9223372036854775807]>\n" + function("")), "");
  EXPECT_NE(error_of(function(
                " %y = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : "
                "tensor<1048576x1048576xi64>}> : (tensor<2xf32>) -> tensor<2xf32>")),
            "");
}

TEST_F(Limits, ConstantsOfAGigabyteAreReadWhereTheirTextIsShort) {
  EXPECT_EQ(error_of(entry("ROOT c = f32[268435456] constant({...})")), "");
  EXPECT_EQ(error_of(function(" %c = stablehlo.constant dense<0.0> : tensor<268435456xf32>")), "");
  EXPECT_NE(error_of(entry("ROOT c = f32[268435456] constant({1, 2})")), "");
  EXPECT_NE(error_of(entry("ROOT c = f32[268435456] constant(1)")), "");
  EXPECT_NE(error_of(function(" %c = stablehlo.constant dense<[0.0]> : tensor<268435456xf32>")), "");
  EXPECT_NE(error_of(function(" %c = stablehlo.constant dense<\"0x0000803F00\"> : tensor<268435456xf32>")),
            "");
}

TEST_F(Limits, NestingWithoutEnd) {
  constexpr size_t kDeep = 200000;
  for (const auto& [open, close] : {std::pair("(", ")"), std::pair("{", "}"), std::pair("[", "]")}) {
    const std::string deep = times(kDeep, open) + times(kDeep, close);
    EXPECT_NE(error_of(entry("ROOT y = " + deep + " copy(x)")), "");
    EXPECT_NE(error_of(entry("ROOT y = f32[2] constant(" + deep + ")")), "");
    for (const char* key : {"sharding", "replica_groups", "dimensions", "window", "to_apply", "metadata"})
      (void)error_of(entry(std::string("ROOT y = f32[2] custom-call(x), custom_call_target=\"t\", ") + key +
                           "=" + deep));
    (void)error_of(entry("ROOT y = f32[2] copy(x), backend_config=" + deep));
    EXPECT_NE(error_of(function(" %y = stablehlo.negate %x {a = " + deep + "} : tensor<2xf32>")), "");
    EXPECT_NE(error_of(deep), "");
  }
  EXPECT_NE(error_of(function(times(kDeep, "\"stablehlo.case\"(%x) ({\n") + times(kDeep, "})"))), "");
  EXPECT_NE(error_of("func.func @main(%x: " + times(kDeep, "tuple<") + "tensor<f32>" + times(kDeep, ">") +
                     ") {\n}"),
            "");
  (void)error_of(
      function(" %y = stablehlo.negate %x : tensor<2xf32> " + times(kDeep, "loc(callsite(unknown at ")));
}

TEST_F(Limits, CallsThatComeBackToTheirCallers) {
  EXPECT_NE(
      error_of(
          "HloModule m\na {\n  ROOT x = f32[] call(), to_apply=a\n}\nENTRY e {\n  ROOT y = f32[] call(), "
          "to_apply=a\n}\n"),
      "");
  EXPECT_NE(
      error_of("HloModule m\na {\n  ROOT x = f32[] call(), to_apply=b\n}\nb {\n  ROOT x = f32[] call(), "
               "to_apply=a\n}\n"),
      "");
  const auto calls = [](const std::string& name, const std::string& callee) {
    return "func.func @" + name + "() -> tensor<f32> {\n %0 = call @" + callee +
           "() : () -> tensor<f32>\n return %0 : tensor<f32>\n}\n";
  };
  EXPECT_NE(error_of(calls("main", "main")), "");
  EXPECT_NE(error_of(calls("main", "a") + calls("a", "b") + calls("b", "main")), "");
  std::string chain;
  for (int k = 0; k < 20000; ++k)
    chain += calls(k == 0 ? "main" : "f" + std::to_string(k), "f" + std::to_string(k + 1));
  EXPECT_NE(error_of(chain), "");
}

TEST_F(Limits, ComputationsThatCallTheOneBeforeTwice) {
  std::string text = "HloModule m\nf0 {\n  ROOT x = f32[] constant(1)\n}\n";
  for (int k = 1; k < 64; ++k) {
    const std::string call = "f32[] call(), to_apply=f" + std::to_string(k - 1) + "\n";
    text += (k == 63 ? "ENTRY f" : "f") + std::to_string(k) + " {\n  a = " + call + "  b = " + call +
            "  ROOT c = f32[] add(a, b)\n}\n";
  }
  const auto program = parse_program(text);
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_TRUE(verify(*program).ok());
}

TEST_F(Limits, AMillionParameters) {
  constexpr int64_t kCount = 1000000;
  std::string hlo = "HloModule m\nENTRY e {\n", mlir = "func.func @main(";
  for (int64_t k = 0; k < kCount; ++k) {
    const std::string number = std::to_string(k);
    hlo += "  p" + number + " = f32[] parameter(" + number + ")\n";
    mlir += (k > 0 ? ", %p" : "%p") + number + ": tensor<f32>";
  }
  hlo += "}\n";
  mlir += ") -> tensor<f32> {\n return %p0 : tensor<f32>\n}\n";
  for (const std::string& text : {hlo, mlir}) {
    const auto program = is_mlir(text) ? read_stablehlo(text) : parse_program(text);
    ASSERT_TRUE(program.ok()) << program.error().text();
    EXPECT_EQ(program->instruction_count(), kCount);
  }
}

}  // namespace
}  // namespace shardscope::limits_test
