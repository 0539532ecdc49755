// SPDX-License-Identifier: Apache-2.0
// Modules of every element type, partitioned and proved; rules of transforms, bitcasts and functions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/program/ir/op_table.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/hlo_run.h"

namespace shardscope::typed_rules_test {
namespace {

constexpr const char* kRows = ", sharding={devices=[4,1]<=[4]}";
constexpr const char* kColumns = ", sharding={devices=[1,4]<=[4]}";

struct Proved {
  Partitioned made;
  bool equal = false;
  int64_t collectives = 0;
};

Result<Proved> proved(const std::string& text) {
  TRY(const Program module, parse_program(text));
  PartitionOptions options;
  options.devices = 4;
  options.propagate = true;
  TRY(Partitioned made, partition(module, options));
  const Workers workers(2);
  TRY(const auto arguments, module_arguments(module, 3, workers));
  TRY(const auto proof, prove(made, arguments, workers, {}));
  if (!proof.report.checked) return invalid("an operation has no meaning", module.name);
  int64_t count = 0;
  for (const Computation& c : made.program->computations)
    for (const Instruction& i : c.instructions) count += is_collective(i.opcode) ? 1 : 0;
  return Proved{std::move(made), proof.bit_equal && proof.report.allclose, count};
}

std::vector<ElementType> array_types() {
  std::vector<ElementType> out;
  for (size_t k = 0; k < static_cast<size_t>(ElementType::token); ++k)
    out.push_back(static_cast<ElementType>(k));
  return out;
}

// 10 rows on 4 devices: the last tile is not full. What is padding shows if it is read.
TEST(TypedRules, EveryTypeIsCutMovedAndAddedUp) {
  for (const ElementType type : array_types()) {
    if (is_floating(type) && std::string(name(type)) == "f8e8m0fnu") continue;  // it has no 0 to add to
    const std::string t = name(type);
    const auto got = proved(
        "HloModule m\nadd { a = " + t + "[] parameter(0)\nb = " + t + "[] parameter(1)\nROOT s = " + t +
        "[] add(a, b) }\n" + "ENTRY e {\n x = " + t + "[10,8] parameter(0)" + kRows + "\n y = " + t +
        "[10,8] parameter(1)" + kColumns + "\n z = " + t + "[] parameter(2)\n u = " + t +
        "[8,10] transpose(x), dimensions={1,0}\n" + " v = " + t + "[20,8] concatenate(x, y), dimensions={0}" +
        kRows + "\n" + " w = " + t + "[8] reduce(x, z), dimensions={0}, to_apply=add\n" +
        " i = s32[] constant(3)\n j = s32[] constant(0)\n" + " p = " + t +
        "[4,8] slice(y), slice={[2:6], [0:8]}\n q = " + t + "[10,8] dynamic-update-slice(x, p, i, j)" +
        kRows + "\n" + " r = " + t + "[10,8] reverse(x), dimensions={0}\n" + " ROOT t = (" + t + "[8,10], " +
        t + "[20,8], " + t + "[8], " + t + "[10,8], " + t + "[10,8]) tuple(u, v, w, q, r)\n}\n");
    ASSERT_TRUE(got.ok()) << t << ": " << got.error().text();
    // Sums of f4 end at 6, so their order counts.
    EXPECT_TRUE(got->equal || type == ElementType::f4e2m1fn) << t;
    EXPECT_GT(got->collectives, 0) << t;
  }
}

// Whatever an operation is asked to compute, cut over devices: as on one, or refused.
TEST(TypedRules, EveryElementwiseOperationIsCutWithItsArrays) {
  size_t ran = 0;
  for (const Operation& o : operations()) {
    if (o.kind != OpClass::elementwise) continue;
    const std::string target(called_target(o.opcode));
    const std::string attributes = o.opcode == Opcode::compare ? ", direction=EQ"
                                   : o.opcode == Opcode::reduce_precision
                                       ? ", exponent_bits=5, mantissa_bits=2"
                                   : target.empty() ? ""
                                                    : ", custom_call_target=\"" + target + "\"";
    const char* const operands[] = {"x", "x, y", "p, x, y"};
    for (const ElementType type : {ElementType::f32, ElementType::bf16, ElementType::c64, ElementType::s4,
                                   ElementType::u8, ElementType::pred}) {
      for (const ElementType result : {type, real_type(type), ElementType::pred, ElementType::c64}) {
        const std::string t = name(type);
        const auto got = proved(fmt::format(
            "HloModule m\nENTRY e {{\n x = {0}[10,4] parameter(0){1}\n y = {0}[10,4] parameter(1){1}\n"
            " p = pred[10,4] parameter(2){1}\n ROOT r = {2}[10,4] {3}({4}){5}{1}\n}}\n",
            t, kRows, name(result), target.empty() ? opcode_text(o.opcode) : "custom-call",
            operands[o.fewest_operands - 1], attributes));
        if (!got.ok()) continue;
        ++ran;
        EXPECT_TRUE(got->equal) << opcode_text(o.opcode) << " of " << t;
        EXPECT_EQ(got->collectives, 0) << opcode_text(o.opcode) << " of " << t;
      }
    }
  }
  EXPECT_GT(ran, 250u);
}

// XLA's partitioner gathers their batches too.
TEST(TypedRules, TransformsAreOfWholeArrays) {
  const auto text = [](const char* sharding, const char* shapes) {
    return fmt::format("HloModule m\nENTRY e {{\n x = c128[8,8] parameter(0){}\n ROOT r = {}\n}}\n", sharding,
                       shapes);
  };
  const auto batched =
      proved(text(kRows, "c128[8,8] fft(x), fft_type=FFT, fft_length={8}, sharding={devices=[4,1]<=[4]}"));
  ASSERT_TRUE(batched.ok()) << batched.error().text();
  EXPECT_TRUE(batched->equal);
  EXPECT_EQ(batched->collectives, 1);
  const auto along = proved(text(kColumns, "c128[8,8] fft(x), fft_type=IFFT, fft_length={8}"));
  ASSERT_TRUE(along.ok()) << along.error().text();
  EXPECT_TRUE(along->equal);
  EXPECT_GT(along->collectives, 0);
  const auto both = proved(text(kRows, "c128[8,8] fft(x), fft_type=FFT, fft_length={8,8}"));
  ASSERT_TRUE(both.ok()) << both.error().text();
  EXPECT_TRUE(both->equal);
}

TEST(TypedRules, ReadingBitsMovesNothing) {
  for (const char* line : {"s32[8,4] bitcast-convert(x)", "u8[8,4,4] bitcast-convert(x)",
                           "s32[8,4] bitcast(x)", "c64[8,4] complex(x, x)"}) {
    const auto got =
        proved(fmt::format("HloModule m\nENTRY e {{\n x = f32[8,4] parameter(0){}\n ROOT r = {}, "
                           "sharding={{devices={}<=[4]}}\n}}\n",
                           kRows, line, std::string(line).starts_with("u8") ? "[4,1,1]" : "[4,1]"));
    ASSERT_TRUE(got.ok()) << line << ": " << got.error().text();
    EXPECT_TRUE(got->equal && got->collectives == 0) << line;
  }
  const auto wide = proved(fmt::format(
      "HloModule m\nENTRY e {{\n x = u8[8,4] parameter(0){}\n ROOT r = f32[8] bitcast-convert(x)\n}}\n",
      kColumns));
  ASSERT_TRUE(wide.ok()) << wide.error().text();
  EXPECT_TRUE(wide->equal);
}

// A bitcast keeps memory: between layouts it moves elements, on each device as on one.
TEST(TypedRules, BitcastsBetweenLayoutsMoveElements) {
  const std::string text = std::string("HloModule m\nENTRY e {\n x = f32[4,6]{0,1} parameter(0)") + kRows +
                           "\n ROOT r = f32[6,4]{1,0} bitcast(x)" + kColumns + "\n}\n";
  const auto got = proved(text);
  ASSERT_TRUE(got.ok()) << got.error().text();
  EXPECT_TRUE(got->equal);
  EXPECT_EQ(got->collectives, 0) << "the rows are columns now";
  const auto module = parse_program(text);
  const Workers workers(1);
  const auto arguments = module_arguments(*module, 3, workers);
  const auto whole = run_module(*module, *arguments, workers, {});
  ASSERT_TRUE(whole.ok());
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < 6; ++c) EXPECT_EQ((*whole)[0].at(c * 4 + r), (*arguments)[0].at(r * 6 + c));
}

TEST(TypedRules, ProductsOfComplexNumbersAreTimedAsFourRealOnes) {
  const auto time_of = [](const char* type, int64_t size) {
    const auto module = parse_program(
        fmt::format("HloModule m\nENTRY e {{ x = {0}[{1},{1}] parameter(0)\n ROOT r = {0}[{1},{1}] "
                    "dot(x, x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}\n",
                    type, size));
    ModuleRunOptions options;
    options.check = CheckMode::off;
    const auto ran = execute_module(*module, options, {});
    EXPECT_TRUE(ran.ok() && !ran->run->untimed) << type;
    return static_cast<double>(ran->run->timeline.total);
  };
  const double ratio = time_of("c64", 16384) / time_of("f32", 16384);
  EXPECT_GT(ratio, 3.6);  // what a launch costs beside the arithmetic does not grow with it
  EXPECT_LT(ratio, 4.1);
  for (const ElementType type : array_types()) EXPECT_GT(time_of(name(type), 64), 0) << name(type);
}

}  // namespace
}  // namespace shardscope::typed_rules_test
