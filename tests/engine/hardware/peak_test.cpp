// SPDX-License-Identifier: Apache-2.0
// What a product is timed with: the peak of its type, or of what XLA's compilers multiply it in.
#include <gtest/gtest.h>

#include "engine/hardware/hardware.h"

namespace shardscope::peak_test {
namespace {

TEST(PeakFor, a_dtype_without_a_peak_uses_the_next_and_says_so) {
  const Hardware v5e = *find_hardware("tpu-v5e");
  EXPECT_EQ(peak_for(v5e, ElementType::bf16)->assumption, "");
  EXPECT_EQ(peak_for(v5e, ElementType::bf16)->flops_per_s, 197e12);
  for (const ElementType type :
       {ElementType::f64, ElementType::f32, ElementType::s32, ElementType::f16, ElementType::f8e4m3fn}) {
    const auto peak = peak_for(v5e, type);
    EXPECT_EQ(peak->type, ElementType::bf16);
    EXPECT_EQ(peak->assumption.substr(0, 16), "tpu-v5e publishe");
  }
  EXPECT_EQ(peak_for(*find_hardware("h100"), ElementType::f64)->type, ElementType::f32);
  EXPECT_EQ(peak_for(v5e, ElementType::s8)->flops_per_s, 393e12);
  EXPECT_EQ(peak_for(*find_hardware("tpu-v3"), ElementType::s8)->assumption,
            "tpu-v3 publishes no s8 peak: timed with its bf16 peak");
  EXPECT_EQ(peak_for(*find_hardware("tpu-v7x"), ElementType::f8e4m3fn)->flops_per_s, 4614e12);
  EXPECT_EQ(peak_for(*find_hardware("h200"), ElementType::f8e5m2)->flops_per_s, 1979e12);
  Hardware none;
  none.name = "none";
  EXPECT_EQ(peak_for(none, ElementType::s32).error().text(),
            "no peak for s32 or f32 or bf16 is published for hardware 'none'; compute.peak_flops_per_s; "
            "choose another "
            "dtype, or a hardware file that gives it");
}

// XLA:TPU's own estimate of a product of 4096³ in f32 for v5e: 1.11, 3.34 and 6.39 million cycles, one in
// bf16 1.08.
TEST(PeakFor, f32_takes_as_many_passes_of_bf16_as_its_precision_says) {
  using enum ProductPrecision;
  const Hardware v5e = *find_hardware("tpu-v5e");
  const auto passes = [&](ElementType type, std::optional<ProductPrecision> precision) {
    const auto peak = peak_for(v5e, Multiplied{type, 1, precision});
    EXPECT_EQ(peak->type, ElementType::bf16);
    return peak->passes;
  };
  EXPECT_EQ(passes(ElementType::f32, {}), 1);
  EXPECT_EQ(passes(ElementType::f32, standard), 1);
  EXPECT_EQ(passes(ElementType::f32, high), 3);
  EXPECT_EQ(passes(ElementType::f32, highest), 6);
  EXPECT_EQ(passes(ElementType::bf16, highest), 1);
  EXPECT_EQ(passes(ElementType::c64, highest), 24);
  EXPECT_EQ(peak_for(v5e, Multiplied{ElementType::bf16, 3})->passes, 3);
}

// XLA:GPU asks cuBLAS for TF32 up to the precision high; it does not on AMD's cards.
TEST(PeakFor, f32_is_tf32_on_nvidias_chips_unless_its_precision_is_the_highest) {
  using enum ProductPrecision;
  for (const char* name : {"a100", "h100", "h200", "b200", "gb200"}) {
    const Hardware chip = *find_hardware(name);
    for (const ProductPrecision precision : {standard, high}) {
      const auto peak = peak_for(chip, Multiplied{ElementType::f32, 1, precision});
      EXPECT_EQ(peak->type, ElementType::bf16) << name;
      EXPECT_EQ(peak->flops_per_s / peak->passes, *chip.compute.tf32_flops_per_s) << name;
      EXPECT_NE(peak->assumption.find("TF32"), std::string::npos) << name;
    }
    for (const auto precision : {std::optional<ProductPrecision>(), std::optional(highest)})
      EXPECT_EQ(peak_for(chip, Multiplied{ElementType::f32, 1, precision})->type, ElementType::f32) << name;
    EXPECT_EQ(peak_for(chip, Multiplied{ElementType::bf16, 1, standard})->passes, 1) << name;
  }
  EXPECT_EQ(peak_for(*find_hardware("mi210"), Multiplied{ElementType::f32, 1, standard})->type,
            ElementType::f32);
}

}  // namespace
}  // namespace shardscope::peak_test
