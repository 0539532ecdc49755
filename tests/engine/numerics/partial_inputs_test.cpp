// SPDX-License-Identifier: Apache-2.0
// Inputs of which devices hold partial sums.
#include "engine/numerics/check/partial_inputs.h"

#include <gtest/gtest.h>

#include "engine/numerics/check/numerics.h"
#include "engine/program/build/builder.h"

namespace shardscope::partial_inputs_test {
namespace {

TEST(PartialInputs, AddUpToTheWholeAndEachOneCounts) {
  Array whole = Array::allocate(ElementType::f32, {6, 4});
  for (size_t i = 0; i < 24; ++i) whole.mutable_as<float>()[i] = static_cast<float>(i * i) - 50;
  for (const int64_t parts : {1, 2, 3, 7}) {
    const std::vector<ViewPtr> made = partial_sums_of(View::of(whole), parts);
    ASSERT_EQ(made.size(), static_cast<size_t>(parts));
    std::vector<float> sums(24, 0);
    for (const ViewPtr& part : made) {
      const auto* elements = reinterpret_cast<const float*>(part->data());
      bool counts = false;
      for (size_t i = 0; i < 24; ++i) {
        sums[i] += elements[i];
        counts = counts || elements[i] != 0;
      }
      EXPECT_TRUE(counts) << parts;
    }
    for (size_t i = 0; i < 24; ++i) EXPECT_EQ(sums[i], whole.as<float>()[i]) << parts;
  }
}

// Of partial sums of X over both axes the sum over `over` is called X.
Result<NumericsOutcome> summed(const SpmdBuilder::Roles& over, ElementType type = ElementType::f32,
                               Fill fill = Fill::integers) {
  const MatmulProblem problem{12, 10, 4, type, ElementType::f32};
  SpmdBuilder b("test", *Mesh::parse("row=2,col=3"), problem);
  const Value parts = b.lhs("mk", P("", ""), {"row", "col"});
  TRY(const Program program, b.finish(b.all_reduce(parts, over), ArrayRole::lhs, {12, 10}, P("", "")));
  const Workers workers(2);
  TRY(const auto data, make_problem_data({problem, fill, 5, {}, {}, true}, workers, {}));
  return run_numerics(program, *data, {}, workers, {});
}

TEST(PartialInputs, TheirSumOverAllAxesIsX) {
  for (const ElementType type : {ElementType::f32, ElementType::bf16}) {
    for (const Fill fill : {Fill::integers, Fill::normal}) {
      const auto outcome = summed({"row", "col"}, type, fill);
      ASSERT_TRUE(outcome.ok()) << outcome.error().text();
      EXPECT_TRUE(outcome->report.allclose) << outcome->report.max_abs;
    }
  }
}

TEST(PartialInputs, ASumThatLeavesAnAxisOutIsFoundWrong) {
  for (const char* axis : {"row", "col"}) {
    const auto outcome = summed({axis});
    ASSERT_TRUE(outcome.ok()) << outcome.error().text();
    EXPECT_FALSE(outcome->report.allclose) << axis;
  }
}

}  // namespace
}  // namespace shardscope::partial_inputs_test
