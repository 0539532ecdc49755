// SPDX-License-Identifier: Apache-2.0
// The types of problems: their bits, their fills, their products, and HLO text of them executed.
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/numerics/check/numerics.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "engine/strategies/strategy.h"

namespace shardscope::dtypes_test {
namespace {

using Numbers = std::vector<double>;
const Workers kWorkers(2);

MatmulProblem problem_of(ElementType type, int64_t k = 48) {
  return {16, k, 24, type, default_accumulate(type)};
}

std::shared_ptr<const ProblemData> filled(const MatmulProblem& p, Fill fill = Fill::integers) {
  auto data = make_problem_data({p, fill, 5, {}, {}, true}, kWorkers, {});
  EXPECT_TRUE(data.ok()) << (data.ok() ? "" : data.error().text());
  return *data;
}

// The one result of a module on one device, x its first parameter.
Numbers run(const std::string& body) {
  const auto module = parse_program("HloModule t\nENTRY main {\n" + body + "\n}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  const auto leaves = run_on_devices(*module, {}, kWorkers, {});
  EXPECT_TRUE(leaves.ok()) << (leaves.ok() ? "" : leaves.error().text());
  const Array& result = leaves->front().front();
  Numbers out;
  for (int64_t i = 0; i < result.element_count(); ++i) out.push_back(result.at(i));
  return out;
}

TEST(Dtypes, IntegerFillsAreExactInEveryTypeThatAProblemUses) {
  for (const ElementType type : problem_types()) {
    const auto data = filled(problem_of(type, 1024));
    EXPECT_TRUE(data->exact);
    EXPECT_EQ(data->lhs.type(), type);
    EXPECT_EQ(data->reference.type(), result_type(type)) << name(type);
    double largest = 0;
    for (int64_t i = 0; i < data->lhs.element_count(); ++i) largest = std::max(largest, data->lhs.at(i));
    EXPECT_GE(largest, 1) << name(type);
    EXPECT_LE(largest, std::ldexp(1.0, element_type(type).digits)) << name(type);
    for (int64_t row = 0; row < 2; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < 1024; ++i) sum += data->lhs.at(row * 1024 + i) * data->rhs.at(i * 24);
      EXPECT_EQ(data->reference.at(row * 24), sum) << name(type);
    }
  }
}

TEST(Dtypes, ResultsHaveTheTypeThatHoldsThem) {
  EXPECT_EQ(result_type(ElementType::s8), ElementType::s32);
  EXPECT_EQ(result_type(ElementType::f8e4m3fn), ElementType::f32);
  EXPECT_EQ(result_type(ElementType::bf16), ElementType::bf16);
  for (const ElementType type : problem_types()) {
    for (const Fill fill : {Fill::integers, Fill::normal}) {
      const MatmulProblem p = problem_of(type);
      const auto data = filled(p, fill);
      for (const char* id : {"wang.os", "collective.ls", "cannon"}) {
        const auto program = (*find_strategy(id))->plan(*Mesh::parse("row=2,col=2"), p, {});
        ASSERT_TRUE(program.ok()) << program.error().text();
        const auto outcome = run_numerics(*program, *data, {}, kWorkers, {});
        ASSERT_TRUE(outcome.ok()) << outcome.error().text();
        EXPECT_EQ(outcome->result.type(), result_type(type)) << id;
        EXPECT_TRUE(outcome->report.allclose) << id << " " << name(type) << " " << name(fill);
      }
    }
  }
}

TEST(Dtypes, EightBitIntegersNeedTheirOwnSums) {
  MatmulProblem p = problem_of(ElementType::s8);
  EXPECT_EQ(p.accumulate, ElementType::s32);
  p.accumulate = ElementType::f32;
  EXPECT_EQ(validate(p).error().what, "accumulate is f32, expected s32");
  p = problem_of(ElementType::f8e4m3fn);
  EXPECT_EQ(p.accumulate, ElementType::f32);
  EXPECT_EQ(validate({8, 8, 8, ElementType::u8, ElementType::u8}).error().what,
            "dtype is u8, expected f32, bf16, f16, f64, s32, s8 or f8e4m3fn");
}

TEST(Dtypes, HloTextOfEightBitTypesIsExecuted) {
  const std::string s8 = "x = s8[1,3] constant({{100, 100, -128}})\n";
  const std::string dims = "lhs_contracting_dims={1}, rhs_contracting_dims={1}";
  EXPECT_EQ(run(s8 + "ROOT r = s32[1,1] dot(x, x), " + dims), (Numbers{36384}));
  EXPECT_EQ(run(s8 + "ROOT r = s8[1,1] dot(x, x), " + dims), (Numbers{32}));  // 36384 modulo 2^8
  EXPECT_EQ(run(s8 + "ROOT r = s8[1,3] add(x, x)"), (Numbers{-56, -56, 0}));
  const std::string f8 = "x = f8e4m3fn[1,3] constant({{17, 0.3, nan}})\n";  // 16, 0.3125, no number
  EXPECT_EQ(
      run(f8 + "y = f8e4m3fn[1,2] slice(x), slice={[0:1], [0:2]}\nROOT r = f32[1,1] dot(y, y), " + dims),
      (Numbers{256.09765625}));
  EXPECT_TRUE(std::isnan(run(f8 + "ROOT r = f32[1,3] convert(x)")[2]));
  EXPECT_EQ(run("x = f8e4m3fn[2] constant({16, 20})\nROOT r = f8e4m3fn[2] add(x, x)"), (Numbers{32, 40}));
}

TEST(Dtypes, FilesHoldWhatWasComputed) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("dtypes_" + std::to_string(getpid()) + ".npy");
  for (const ElementType type : problem_types()) {
    const Array array = filled(problem_of(type))->lhs;
    ASSERT_TRUE(write_npy(path, array).ok()) << name(type);
    const auto back = read_npy(path, type);
    ASSERT_TRUE(back.ok()) << back.error().text();
    EXPECT_EQ(*back, array) << name(type);
    const bool foreign = element_type(type).numpy.empty();
    EXPECT_EQ(read_npy(path)->type(), foreign ? ElementType::f32 : type);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace shardscope::dtypes_test
