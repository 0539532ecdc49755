// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/base/units.h"

namespace shardscope::base_test {
namespace {

TEST(Units, a_duration_rounds_up_to_a_picosecond) {
  EXPECT_EQ(to_picoseconds(0), 0);
  EXPECT_EQ(to_picoseconds(46.6e-6), 46'600'000);
  EXPECT_EQ(to_picoseconds(1.2e-12), 2);
  EXPECT_EQ(to_picoseconds(1e-13), 1);
  EXPECT_EQ(to_picoseconds(3600), 3'600'000'000'000'000);
}

TEST(Units, numbers_read_as_people_write_them) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(46.6e-6), "46.6 µs");
  EXPECT_EQ(format_seconds(0.9999e-3), "1.00 ms");
  EXPECT_EQ(format_picoseconds(1), "1.00 ps");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(2 * 1024 * 1024), "2.0 MiB");
  EXPECT_EQ(format_rate(197e12, "FLOP/s"), "197 TFLOP/s");
  EXPECT_EQ(format_percent(0.82), "82 %");
  EXPECT_EQ(format_percent(0.004), "0.4 %");
  EXPECT_EQ(format_ratio(1.306), "1.31×");
  EXPECT_EQ(group_digits(1177905), "1,177,905");
  EXPECT_EQ(group_digits(-1000), "-1,000");
  EXPECT_EQ(group_digits(999), "999");
}

TEST(Units, products_and_sums_that_do_not_fit_are_nothing) {
  EXPECT_EQ(checked_multiply(1 << 20, 1 << 20), int64_t{1} << 40);
  EXPECT_EQ(checked_multiply(INT64_MAX, 2), std::nullopt);
  EXPECT_EQ(checked_add(INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(ceil_div(7, 3), 3);
}

TEST(Text, numbers_are_the_whole_text_or_nothing) {
  EXPECT_EQ(parse_int("42"), 42);
  EXPECT_EQ(parse_int("-1"), -1);
  for (const char* text : {"", " 1", "1 ", "1.0", "0x1", "99999999999999999999", "+1"}) {
    EXPECT_EQ(parse_int(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_double("1e-6"), 1e-6);
  EXPECT_EQ(parse_double("1e-6s"), std::nullopt);
}

TEST(Text, split_keeps_empty_parts_and_join_puts_them_back) {
  EXPECT_EQ(split("", ','), std::vector<std::string>{});
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string>{"a", "", "b", ""}));
  EXPECT_EQ(join(split("a,,b,", ','), ","), "a,,b,");
  EXPECT_EQ(trim(" \t a b\n"), "a b");
  EXPECT_EQ(trim("  "), "");
}

TEST(Text, nearest_finds_a_slip_of_the_finger_and_nothing_else) {
  const std::vector<std::string> known = {"wang.os", "collective.os", "psum"};
  EXPECT_EQ(nearest("wang.so", known), "wang.os");
  EXPECT_EQ(nearest("colective.os", known), "collective.os");
  EXPECT_EQ(nearest("something else", known), std::nullopt);
  EXPECT_EQ(nearest("H100", {"a100", "h100"}), "h100");
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(Result, an_error_goes_up_through_try) {
  const auto half = [](int x) -> Result<int> {
    if (x % 2 != 0) return invalid("odd", "here", "double it");
    return x / 2;
  };
  const auto quarter = [&](int x) -> Result<int> {
    TRY(const int h, half(x));
    return half(h);
  };
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().text(), "odd; here; double it");
  EXPECT_EQ(invalid("what").text(), "what");
  EXPECT_EQ(invalid("what", "", "fix").text(), "what; fix");
}

TEST(ResultDeathTest, reading_the_value_of_a_failure_is_our_bug) {
  const Result<int> failed = invalid("odd");
  EXPECT_DEATH((void)failed.value(), "odd");
}

TEST(ElementType, names_are_hlos_and_read_back) {
  for (int i = 0; i <= static_cast<int>(ElementType::token); ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_EQ(parse_element_type(name(type)), type);
  }
  EXPECT_EQ(parse_element_type("float32"), std::nullopt);
  EXPECT_EQ(bits(ElementType::bf16), 16);
  EXPECT_EQ(byte_size(ElementType::s4, 3), 2);
  EXPECT_EQ(byte_size(ElementType::f64, 3), 24);
  EXPECT_TRUE(is_floating(ElementType::bf16));
  EXPECT_FALSE(is_integer(ElementType::pred));
  EXPECT_TRUE(is_integer(ElementType::s32));
}

TEST(ElementType, types_of_problems_have_all_that_problems_need) {
  for (const ElementType type : problem_types()) {
    const ElementTypeRow& row = element_type(type);
    ASSERT_TRUE(product_type(type).has_value()) << row.name;
    const ElementType sums = *product_type(type), result = result_type(type);
    EXPECT_GE(element_type(sums).digits, row.digits) << row.name;
    EXPECT_GE(element_type(result).digits, row.digits) << row.name;
    EXPECT_EQ(is_floating(sums), is_floating(type)) << row.name;
    EXPECT_GE(row.digits, 4) << row.name << " must hold the integers that fills have";
    EXPECT_TRUE(row.peak == ElementType::token || is_floating(row.peak)) << row.name;
    EXPECT_EQ(&element_type(type), &element_type(*parse_element_type(row.name)));
  }
  EXPECT_EQ(problem_types().front(), ElementType::f32);
  EXPECT_EQ(problem_type_list(), "f32, bf16, f16, f64, s32, s8 or f8e4m3fn");
}

TEST(Workers, every_index_runs_once_and_results_do_not_depend_on_threads) {
  std::vector<std::vector<double>> results;
  for (const int threads : {1, 2, 8}) {
    const Workers workers(threads);
    EXPECT_EQ(workers.threads(), threads);
    std::vector<double> out(10007);
    std::vector<std::atomic<int>> calls(out.size());
    workers.parallel_for(
        static_cast<int64_t>(out.size()),
        [&](int64_t i) {
          const auto at = static_cast<size_t>(i);
          calls[at].fetch_add(1);
          out[at] = std::sin(static_cast<double>(i)) / 3;
        },
        16);
    for (const auto& count : calls) ASSERT_EQ(count.load(), 1);
    results.push_back(std::move(out));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  int calls = 0;
  Workers(2).parallel_for(0, [&](int64_t) { ++calls; });
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace shardscope::base_test
