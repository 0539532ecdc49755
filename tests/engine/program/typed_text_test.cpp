// SPDX-License-Identifier: Apache-2.0
// Operations and constants of every type as text: HLO's and MLIR's, read and printed again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/program/mlir/module_text.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::typed_text_test {
namespace {

std::string in_module(const std::string& parameters, const std::string& line) {
  return "HloModule m\n\nENTRY %e {\n" + parameters + "  ROOT %r = " + line + "\n}\n";
}

// What is printed of an instruction that was read.
std::string printed(const std::string& parameters, const std::string& line) {
  const auto program = parse_program(in_module(parameters, line));
  if (!program.ok()) return program.error().text();
  EXPECT_EQ(*parse_program(print_program(*program)), *program) << line;
  if (const auto fine = verify(*program); !fine.ok()) return fine.error().text();
  return print_instruction(*program, program->entry_computation(), program->entry_computation().root);
}

// The root of an MLIR module of one result.
std::string lowered(const std::string& argument, const std::string& line, const std::string& result) {
  const auto program = read_stablehlo("func.func public @main(%x: " + argument + ") -> " + result +
                                      " {\n  %r = " + line + "\n  return %r : " + result + "\n}\n");
  if (!program.ok()) return program.error().text();
  return print_instruction(*program, program->entry_computation(), program->entry_computation().root);
}

TEST(TypedText, TransformsPicksAndRandomBitsPrintAsTheyWere) {
  const std::pair<const char*, const char*> cases[] = {
      {"%x = c64[2,8]{1,0}", "c64[2,8]{1,0} fft(c64[2,8]{1,0} %x), fft_type=IFFT, fft_length={2,8}"},
      {"%x = f32[2,8]{1,0}", "c64[2,5]{1,0} fft(f32[2,8]{1,0} %x), fft_type=RFFT, fft_length={8}"},
      {"%x = bf16[2,8]{1,0}", "(bf16[2,3]{1,0}, s32[2,3]{1,0}) topk(bf16[2,8]{1,0} %x), k=3, largest=false"},
      {"%x = u64[3]{0}", "(u64[3]{0}, u8[5]{0}) rng-bit-generator(u64[3]{0} %x), algorithm=rng_three_fry"},
      {"%x = f32[4]{0}", "f32[4]{0} custom-call(f32[4]{0} %x), custom_call_target=\"chlo.lgamma\""},
      {"%x = f32[4]{0}", "c64[4]{0} complex(f32[4]{0} %x, f32[4]{0} %x)"},
      {"%x = c64[4]{0}", "f32[4]{0} imag(c64[4]{0} %x)"}};
  for (const auto& [parameter, line] : cases)
    EXPECT_EQ(printed(std::string("  ") + parameter + " parameter(0)\n", line), std::string("%r = ") + line);
}

TEST(TypedText, AFunctionOfChloIsAnOperationHoweverItIsWritten) {
  const auto opcode_of = [](const std::string& text) {
    const auto program = text.starts_with("func") ? read_stablehlo(text) : parse_program(text);
    EXPECT_TRUE(program.ok()) << text;
    return program.ok() ? program->entry_computation().root_instruction().opcode : Opcode::unknown;
  };
  const std::string argument = "func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %r = ",
                    end = "\n  return %r : tensor<4xf32>\n}\n";
  for (const std::string line :
       {"chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>",
        "\"chlo.erf_inv\"(%x) : (tensor<4xf32>) -> tensor<4xf32>",
        "stablehlo.custom_call @mhlo.erf_inv(%x) : (tensor<4xf32>) -> tensor<4xf32>"})
    EXPECT_EQ(opcode_of(argument + line + end), Opcode::erf_inv) << line;
  EXPECT_EQ(opcode_of(in_module("  x = f32[4] parameter(0)\n",
                                "f32[4] custom-call(x), custom_call_target=\"chlo.erf_inv\", "
                                "api_version=API_VERSION_STATUS_RETURNING")),
            Opcode::erf_inv);
  EXPECT_EQ(opcode_of(in_module("  x = f32[4] parameter(0)\n",
                                "f32[4] custom-call(x), custom_call_target=\"chlo.mine\"")),
            Opcode::custom_call);
}

TEST(TypedText, ChlosCompositionsAreWrittenInHlo) {
  EXPECT_EQ(
      lowered("tensor<2xcomplex<f32>>", "chlo.conj %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>",
              "tensor<2xcomplex<f32>>"),
      "%complex.4 = c64[2] complex(f32[2] %real.1, f32[2] %negate.3)");
  EXPECT_EQ(lowered("tensor<2xf32>", "chlo.is_inf %x : tensor<2xf32> -> tensor<2xi1>", "tensor<2xi1>"),
            "%compare.4 = pred[2] compare(f32[2] %abs.1, f32[2] %broadcast.3), direction=EQ");
  EXPECT_EQ(lowered("tensor<2xf32>", "chlo.square %x : tensor<2xf32> -> tensor<2xf32>", "tensor<2xf32>"),
            "%multiply.1 = f32[2] multiply(f32[2] %x, f32[2] %x)");
  EXPECT_EQ(
      lowered("tensor<8xcomplex<f32>>",
              "stablehlo.fft %x, type = IRFFT, length = [14] : (tensor<8xcomplex<f32>>) -> tensor<14xf32>",
              "tensor<14xf32>"),
      "%fft.1 = f32[14] fft(c64[8] %x), fft_type=IRFFT, fft_length={14}");
}

// What MLIR says by bits and by numbers, as HLO says it.
TEST(TypedText, ConstantsOfMlirAreHlosLiterals) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"tensor<2xi4>", "dense<[-8, 7]>", "{-8, 7}"},
      {"tensor<4xi4>", "dense<\"0x0807F80F\">", "{-8, 7, -8, -1}"},
      {"tensor<2xui2>", "dense<[3, 0]>", "{3, 0}"},
      {"tensor<3xi1>", "dense<[true, false, true]>", "{true, false, true}"},
      {"tensor<10xi1>", "dense<\"0x0502\">",
       "{true, false, true, false, false, false, false, false, false, true}"},
      {"tensor<2xcomplex<f32>>", "dense<[(1.0, -2.5), (0.0, 0.0)]>", "{(1.0, -2.5), (0.0, 0.0)}"},
      {"tensor<2xcomplex<f32>>", "dense<\"0x0000803F000020C00000000000000080\">", "{(1, -2.5), (0, -0)}"},
      {"tensor<2xf4E2M1FN>", "dense<\"0x070B\">", "{6, -1.5}"},
      {"tensor<2xf8E8M0FNU>", "dense<\"0x7FFF\">", "{1, nan}"},
      {"tensor<2xf8E4M3FN>", "dense<\"0x7EFF\">", "{448, -nan}"},
      {"tensor<3xf32>", "dense<\"0x0000C07F0000C0FF0100C07F\">", "{nan, -nan, nan(0x400001)}"},
      {"tensor<2xbf16>", "dense<[0x7F80, 0xFFC1]>", "{inf, -nan(0x41)}"},
      {"tensor<1xi64>", "dense<-9223372036854775808>", "{-9223372036854775808}"},
      {"tensor<2xui64>", "dense<[18446744073709551615, 1]>", "{18446744073709551615, 1}"}};
  for (const auto& [type, value, literal] : cases) {
    const auto program = read_stablehlo(fmt::format(
        "func.func public @main() -> {0} {{\n  %r = stablehlo.constant {1} : {0}\n  return %r : {0}\n}}\n",
        type, value));
    ASSERT_TRUE(program.ok()) << value << ": " << program.error().text();
    const Instruction& root = program->entry_computation().root_instruction();
    const Instruction& constant =
        root.opcode == Opcode::constant ? root : program->entry_computation().instructions.front();
    const std::string text =
        root.opcode == Opcode::constant ? *constant.literal : "{" + *constant.literal + "}";
    EXPECT_EQ(text, literal) << value;
    const auto again = parse_program(print_program(*program));
    ASSERT_TRUE(again.ok()) << again.error().text();
    EXPECT_EQ(*again, *program);
  }
}

TEST(TypedText, NumbersThatATypeDoesNotHaveAreRefused) {
  for (const auto& [shape, literal] : {std::pair("s4[]", "8"),
                                       {"u2[]", "4"},
                                       {"s1[]", "1"},
                                       {"pred[]", "2"},
                                       {"c64[]", "(1, 2, 3)"},
                                       {"c64[]", "(1e39, 0)"},
                                       {"s64[]", "9223372036854775808"}})
    EXPECT_FALSE(parse_program(in_module("", fmt::format("{} constant({})", shape, literal))).ok())
        << shape << literal;
}

struct Malformed {
  const char *parameter, *line, *error;
};

TEST(TypedText, TheVerifierKnowsWhatIsReal) {
  const Malformed cases[] = {
      {"f32[4]", "c64[4] abs(x)", "shape c64[4], expected f32[4]"},
      {"c64[4]", "c64[4] abs(x)", "shape c64[4], expected f32[4]"},
      {"c128[4]", "f32[4] real(x)", "shape f32[4], expected f64[4]"},
      {"bf16[4]", "c64[4] complex(x, x)", "expected elements f32 or f64"},
      {"c64[4]", "f32[4] convert(x)", "take real or imag first"},
      {"c64[4]", "f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       "expected all of them complex or none"},
      {"c64[4]", "f32[4,2] bitcast-convert(x)", "expected no elements of another kind"},
      {"f32[4]", "u8[16] bitcast-convert(x)", "expected u8[4,4]"},
      {"s4[4,2]", "s8[8] bitcast-convert(x)", "has 8 bytes, expected 4"},
      {"f32[4]", "(f32[5], s32[5]) topk(x), k=5, largest=true", "expected at most the last dimension"},
      {"c64[4]", "(c64[2], s32[2]) topk(x), k=2, largest=true", "expected numbers with an order"},
      {"u32[4]", "(u32[4], u32[2]) rng-bit-generator(x), algorithm=rng_default",
       "expected u64[2] or u64[3]"}};
  for (const auto& [parameter, line, error] : cases) {
    const std::string got = printed(fmt::format("  x = {} parameter(0)\n", parameter), line);
    EXPECT_NE(got.find(error), std::string::npos) << line << ": " << got;
  }
}

}  // namespace
}  // namespace shardscope::typed_text_test
