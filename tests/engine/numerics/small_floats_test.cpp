// SPDX-License-Identifier: Apache-2.0
// Floats of eight bits and four against their definition: sign · digits · 2^exponent, and the nearest by
// looking at all.
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "engine/base/float_format.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/convert.h"
#include "engine/numerics/rules/run_on_devices.h"

namespace shardscope::small_floats_test {
namespace {

using enum ElementType;

// As their papers and the OCP and IEEE P3109 drafts tell them.
struct Definition {
  ElementType type;
  int exponent_bits, fraction_bits, bias;
  int first_special;  // magnitudes from here on are no numbers
  bool infinity;      // the first special one is infinite
  int nan;            // what is no number becomes
  bool minus_zero;    // 0x80 is -0
};
constexpr Definition kDefinitions[] = {
    {f8e3m4, 3, 4, 3, 0x70, true, 0x78, true},           {f8e4m3, 4, 3, 7, 0x78, true, 0x7c, true},
    {f8e4m3b11fnuz, 4, 3, 11, 0x80, false, 0x80, false}, {f8e4m3fn, 4, 3, 7, 0x7f, false, 0x7f, true},
    {f8e4m3fnuz, 4, 3, 8, 0x80, false, 0x80, false},     {f8e5m2, 5, 2, 15, 0x7c, true, 0x7e, true},
    {f8e5m2fnuz, 5, 2, 16, 0x80, false, 0x80, false},
};

// Of a magnitude below first_special, and of the one at it as if numbers went on.
double magnitude_of(const Definition& d, int code) {
  const int exponent = code >> d.fraction_bits;
  const int digits = (code & ((1 << d.fraction_bits) - 1)) + (exponent > 0 ? 1 << d.fraction_bits : 0);
  return digits * std::pow(2.0, std::max(exponent, 1) - d.bias - d.fraction_bits);
}

double value_of(const Definition& d, int code) {
  const int magnitude = code & 0x7f;
  if (code == 0x80 && !d.minus_zero) return NAN;
  const double sign = code >= 0x80 ? -1 : 1;
  if (magnitude == d.first_special && d.infinity) return sign * INFINITY;
  return magnitude >= d.first_special ? NAN : sign * magnitude_of(d, magnitude);
}

// Among all magnitudes and the one beyond; of two as near the even one.
int nearest(const Definition& d, float value) {
  const int sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return d.minus_zero ? d.nan | sign : d.nan;
  // Beyond twice the largest all are equally far, as far as f64 sees.
  const double wanted = std::min(std::fabs(static_cast<double>(value)), 2 * magnitude_of(d, d.first_special));
  int best = d.first_special;
  for (int code = d.first_special; code >= 0; --code) {
    const double own = std::fabs(magnitude_of(d, code) - wanted);
    const double other = std::fabs(magnitude_of(d, best) - wanted);
    if (own < other || (own == other && code % 2 == 0)) best = code;
  }
  if (best < d.first_special) return best == 0 && !d.minus_zero ? 0 : best | sign;
  if (d.infinity) return d.first_special | sign;
  return d.minus_zero ? d.nan | sign : d.nan;
}

int converted(ElementType type, double value, ElementType from = f32) {
  uint8_t code = 0;
  const auto narrow = static_cast<float>(value);
  const void* bytes = from == f32 ? static_cast<const void*>(&narrow) : &value;
  convert_elements(from, static_cast<const std::byte*>(bytes), type, reinterpret_cast<std::byte*>(&code), 1);
  return code;
}

double read_back(ElementType type, int code) {
  const auto bits = static_cast<uint8_t>(code);
  float value = 0;
  convert_elements(type, reinterpret_cast<const std::byte*>(&bits), f32, reinterpret_cast<std::byte*>(&value),
                   1);
  return static_cast<double>(value);
}

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST(SmallFloats, AllCodesAreTheNumbersOfTheirDefinition) {
  for (const Definition& d : kDefinitions) {
    for (int code = 0; code < 256; ++code) {
      const double value = value_of(d, code);
      ASSERT_TRUE(same(read_back(d.type, code), value)) << name(d.type) << " " << code << " is " << value;
      ASSERT_TRUE(same(float_value(d.type, static_cast<uint64_t>(code)), value))
          << name(d.type) << " " << code;
      if (!std::isnan(value)) {
        ASSERT_EQ(converted(d.type, value), code) << name(d.type) << " " << value;
      }
    }
  }
}

TEST(SmallFloats, BetweenNeighboursTheNearestIsTakenAndHalfwayTheEvenOne) {
  for (const Definition& d : kDefinitions) {
    for (int code = 0; code < d.first_special; ++code) {
      const auto half = static_cast<float>((magnitude_of(d, code) + magnitude_of(d, code + 1)) / 2);
      for (const float at : {half, std::nextafterf(half, 0), std::nextafterf(half, HUGE_VALF)})
        for (const float value : {at, -at})
          ASSERT_EQ(converted(d.type, static_cast<double>(value)), nearest(d, value))
              << name(d.type) << " " << value;
      // Once from f64: a little more than half is more, though f32 does not see it.
      const double above = static_cast<double>(half) * (1 + 0x1p-45);
      ASSERT_EQ(converted(d.type, above, f64), nearest(d, std::nextafterf(half, HUGE_VALF))) << above;
    }
  }
}

TEST(SmallFloats, NumbersOfAllSizesRoundToTheNearest) {
  for (const Definition& d : kDefinitions) {
    for (uint32_t high = 0; high < 0x10000; high += 7) {  // also infinities, subnormals and no numbers
      const auto value = std::bit_cast<float>(high << 16 | (high * 2654435761u >> 16));
      ASSERT_EQ(converted(d.type, static_cast<double>(value)), nearest(d, value))
          << name(d.type) << " " << value;
    }
  }
}

TEST(SmallFloats, OfFourBitsAreNumbersOnly) {
  const double numbers[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (int code = 0; code < 16; ++code) {
    const double value = (code < 8 ? 1 : -1) * numbers[code % 8];
    EXPECT_EQ(read_back(f4e2m1fn, code), value);
    EXPECT_EQ(converted(f4e2m1fn, std::copysign(value, code < 8 ? 1 : -1)), code);
  }
  const std::pair<double, int> cases[] = {{0.25, 0}, {0.75, 2}, {1.25, 2}, {1.75, 4}, {2.5, 4},
                                          {3.5, 6},  {5, 6},    {5.1, 7},  {100, 7},  {-HUGE_VAL, 15}};
  for (const auto& [value, code] : cases) EXPECT_EQ(converted(f4e2m1fn, value), code) << value;
  EXPECT_EQ(converted(f4e2m1fn, NAN), 8) << "as XLA: -0";
}

TEST(SmallFloats, PowersOfTwoHaveNeitherZeroNorSign) {
  for (int code = 0; code < 255; ++code) {
    const double value = std::pow(2.0, code - 127);
    ASSERT_EQ(read_back(f8e8m0fnu, code), value);
    ASSERT_EQ(converted(f8e8m0fnu, value), code);
    // 1.5 · 2^e is as near to 2^e as to 2^(e+1), and the one digit that there is is odd.
    ASSERT_EQ(converted(f8e8m0fnu, 1.5 * value), code + 1) << code;
    ASSERT_EQ(converted(f8e8m0fnu, 1.4375 * value), code);
    ASSERT_EQ(converted(f8e8m0fnu, 1.5625 * value), code + 1);
  }
  EXPECT_TRUE(std::isnan(read_back(f8e8m0fnu, 255)));
  EXPECT_EQ(converted(f8e8m0fnu, 0x1p-149), 0);  // the nearest there is
  for (const double none : {0.0, -0.0, -1.0, -0x1p-149, HUGE_VAL, -HUGE_VAL, static_cast<double>(NAN)})
    EXPECT_EQ(converted(f8e8m0fnu, none), 255) << none;
}

TEST(SmallFloats, LargestNumbersAreWhatPapersSay) {
  const std::pair<ElementType, double> largest[] = {
      {f4e2m1fn, 6},       {f8e3m4, 15.5},  {f8e4m3, 240},       {f8e4m3fn, 448}, {f8e4m3fnuz, 240},
      {f8e4m3b11fnuz, 30}, {f8e5m2, 57344}, {f8e5m2fnuz, 57344}, {f16, 65504},    {f8e8m0fnu, 0x1p127}};
  for (const auto& [type, value] : largest) EXPECT_EQ(largest_float(type), value) << name(type);
  EXPECT_EQ(largest_float(f32), static_cast<double>(std::numeric_limits<float>::max()));
  EXPECT_EQ(largest_float(f64), std::numeric_limits<double>::max());
}

// The one result of a module on one device.
std::vector<double> run(const std::string& body) {
  const auto module = parse_program("HloModule t\nENTRY main {\n" + body + "\n}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  const auto leaves = run_on_devices(*module, {}, Workers(1), {});
  EXPECT_TRUE(leaves.ok()) << (leaves.ok() ? "" : leaves.error().text());
  std::vector<double> out;
  for (int64_t i = 0; leaves.ok() && i < leaves->front().front().element_count(); ++i)
    out.push_back(leaves->front().front().at(i));
  return out;
}

TEST(SmallFloats, HloTextOfThemIsExecuted) {
  for (const Definition& d : kDefinitions) {
    const std::string type = name(d.type);
    // All bits as numbers, and numbers as bits.
    const std::string all =
        "i = u8[256] iota(), iota_dimension=0\nx = " + type + "[256] bitcast-convert(i)\n";
    const std::vector<double> numbers = run(all + "ROOT r = f32[256] convert(x)");
    ASSERT_EQ(numbers.size(), 256u) << type;
    for (int code = 0; code < 256; ++code)
      ASSERT_TRUE(same(numbers[static_cast<size_t>(code)], value_of(d, code))) << type << " " << code;
    // Sums of each number with itself are rounded once.
    const std::vector<double> sums =
        run(all + "y = " + type + "[256] add(x, x)\nROOT r = u8[256] bitcast-convert(y)");
    for (int code = 0; code < 256; ++code) {
      const auto twice = static_cast<float>(2 * value_of(d, code));
      const auto got = static_cast<int>(sums[static_cast<size_t>(code)]);
      ASSERT_TRUE(std::isnan(twice) ? std::isnan(value_of(d, got)) : got == nearest(d, twice))
          << type << " " << code;
    }
  }
}

TEST(SmallFloats, ProductsAreSummedInF32AndRoundedOnce) {
  std::mt19937 random(3);
  for (const Definition& d : kDefinitions) {
    const std::string type = name(d.type);
    std::string lhs, rhs;
    double sum = 0;
    for (int k = 0; k < 40; ++k) {  // small numbers of few digits: their sums are exact in f32
      const double a = static_cast<int>(random() % 9) - 4, b = (static_cast<int>(random() % 9) - 4) / 8.0;
      lhs += (k > 0 ? ", " : "") + std::to_string(a);
      rhs += (k > 0 ? ", " : "") + std::to_string(b);
      sum += read_back(d.type, converted(d.type, a)) * read_back(d.type, converted(d.type, b));
    }
    const std::string body = "a = " + type + "[1,40] constant({{" + lhs + "}})\nb = " + type +
                             "[40] constant({" + rhs + "})\nROOT r = ";
    const std::string dims = "[1] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
    EXPECT_EQ(run(body + "f32" + dims), (std::vector<double>{sum})) << type;
    const int code = nearest(d, static_cast<float>(sum));
    const std::vector<double> rounded = run(body + type + dims);
    ASSERT_EQ(rounded.size(), 1u);
    EXPECT_TRUE(same(rounded[0], value_of(d, code))) << type << " " << sum;
  }
  // Two types in one product, as gradients are multiplied.
  EXPECT_EQ(run("a = f8e4m3fn[2] constant({1.125, 3})\nb = f8e5m2[2] constant({8, 20480})\n"
                "ROOT r = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
            (std::vector<double>{61449}));
}

}  // namespace
}  // namespace shardscope::small_floats_test
