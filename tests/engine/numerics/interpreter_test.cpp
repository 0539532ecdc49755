// SPDX-License-Identifier: Apache-2.0
// Each opcode on four devices, as HLO text; device d holds x = {4d, 4d+1, 4d+2, 4d+3}.
#include "engine/numerics/rules/interpreter.h"

#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

#include "engine/numerics/check/numerics.h"
#include "engine/strategies/strategy.h"

namespace shardscope::interpreter_test {
namespace {

using Rows = std::vector<std::vector<double>>;  // by device

constexpr const char* kCalled = R"(
add_f32 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
max_f32 {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT t = f32[] maximum(c, d)
}
twice {
  e = f32[4] parameter(0)
  ROOT u = f32[4] add(e, e)
}
below {
  p1 = (s32[], f32[4]) parameter(0)
  i1 = s32[] get-tuple-element(p1), index=0
  n1 = s32[] constant(3)
  ROOT r1 = pred[] compare(i1, n1), direction=LT
}
grow {
  p2 = (s32[], f32[4]) parameter(0)
  i2 = s32[] get-tuple-element(p2), index=0
  one2 = s32[] constant(1)
  j2 = s32[] add(i2, one2)
  v2 = f32[4] get-tuple-element(p2), index=1
  w2 = f32[4] add(v2, v2)
  ROOT q2 = (s32[], f32[4]) tuple(j2, w2)
}
)";

Result<Rows> run(const std::string& body, bool trap = false) {
  const std::string text = "HloModule test, num_partitions=4\n" + std::string(kCalled) +
                           "\nENTRY main {\nx = f32[4] parameter(0)\n" + body + "\n}\n";
  TRY(const Program program, parse_program(text));
  TRY_VOID(verify(program));
  const Workers workers(2);
  std::vector<ViewPtr> x;
  for (int d = 0; d < 4; ++d) {
    Array array = Array::allocate(ElementType::f32, {4});
    for (int i = 0; i < 4; ++i)
      array.mutable_as<float>()[static_cast<size_t>(i)] = static_cast<float>(4 * d + i);
    x.push_back(std::make_shared<View>(View::of(array)));
  }
  Interpreter interpreter(program, workers, trap);
  TRY(const std::vector<DeviceValue> values, interpreter.run({x}, {}));
  Rows rows;
  for (const DeviceValue& value : values) {
    const Array array =
        copy_of(*interpreter.view_of(value, program.entry_computation().root_instruction().shape.type));
    rows.emplace_back();
    for (int64_t i = 0; i < array.element_count(); ++i) rows.back().push_back(array.at(i));
  }
  return rows;
}

void expect(const std::string& body, const Rows& expected) {
  const auto rows = run(body);
  ASSERT_TRUE(rows.ok()) << body << ": " << rows.error().text();
  for (size_t d = 0; d < expected.size(); ++d)
    EXPECT_EQ((*rows)[d], expected[d]) << body << " on device " << d;
}

constexpr const char* kGroups = "replica_groups={{0,1},{2,3}}, channel_id=1, use_global_device_ids=true";

TEST(Interpreter, MovesDataOnOneDevice) {
  expect("ROOT r = f32[2,2] reshape(x)", {{0, 1, 2, 3}, {4, 5, 6, 7}});
  expect("y = f32[2,2] reshape(x)\nROOT r = f32[2,2] transpose(y), dimensions={1,0}", {{0, 2, 1, 3}});
  expect("ROOT r = f32[4,2] broadcast(x), dimensions={0}", {{0, 0, 1, 1, 2, 2, 3, 3}});
  expect("ROOT r = f32[2] slice(x), slice={[0:4:2]}", {{0, 2}, {4, 6}});
  expect("ROOT r = f32[8] concatenate(x, x), dimensions={0}", {{0, 1, 2, 3, 0, 1, 2, 3}});
  expect("ROOT r = f32[4] copy(x)", {{0, 1, 2, 3}});
  expect("ROOT r = s32[2,3] iota(), iota_dimension=1", {{0, 1, 2, 0, 1, 2}});
  expect("ROOT r = f32[2,2] constant({{1, 2}, {3, -inf}})", {{1, 2, 3, -HUGE_VAL}});
}

TEST(Interpreter, DynamicSlicesClampOrTrap) {
  const std::string slice = "d = u32[] partition-id()\ni = s32[] convert(d)\n";
  expect(slice + "ROOT r = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}",
         {{0, 1}, {5, 6}, {10, 11}, {14, 15}});
  expect(slice + "u = f32[2] constant({-1, -2})\nROOT r = f32[4] dynamic-update-slice(x, u, i)",
         {{-1, -2, 2, 3}, {4, -1, -2, 7}, {8, 9, -1, -2}, {12, 13, -1, -2}});
  const auto trapped = run(slice + "ROOT r = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}", true);
  ASSERT_FALSE(trapped.ok());
  EXPECT_NE(trapped.error().text().find("device 3"), std::string::npos) << trapped.error().text();
}

TEST(Interpreter, ComputesElementwise) {
  expect("ROOT r = f32[4] multiply(x, x)", {{0, 1, 4, 9}});
  expect("ROOT r = f32[4] negate(x)", {{-0.0, -1, -2, -3}});
  expect("c = f32[4] constant({2, 2, 2, 2})\nROOT r = f32[4] maximum(x, c)", {{2, 2, 2, 3}});
  expect(
      "c = f32[4] constant({2, 2, 2, 2})\np = pred[4] compare(x, c), direction=LT\nROOT r = f32[4] select(p, "
      "x, c)",
      {{0, 1, 2, 2}, {2, 2, 2, 2}});
  expect("a = f32[] constant(1)\nb = f32[] constant(2)\nROOT r = f32[4] clamp(a, x, b)", {{1, 1, 2, 2}});
  expect("y = bf16[4] convert(x)\nz = bf16[4] constant({256, 256, 256, 256})\nROOT r = bf16[4] add(y, z)",
         {{256, 256, 258, 260}});
  expect("y = s32[4] convert(x)\nz = s32[4] constant({2147483647, 0, 0, 0})\nROOT r = s32[4] add(y, z)",
         {{2147483647, 1, 2, 3}, {-2147483645, 5, 6, 7}});
}

TEST(Interpreter, ReducesInOrder) {
  expect(
      "z = f32[] constant(10)\ny = f32[2,2] reshape(x)\nROOT r = f32[2] reduce(y, z), dimensions={0}, "
      "to_apply=add_f32",
      {{12, 14}});
  expect("z = f32[] constant(0)\nROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=max_f32", {{3}, {7}});
}

TEST(Interpreter, MultipliesWithFreeAndBatchDimensions) {
  expect(
      "y = f32[2,2] reshape(x)\nROOT r = f32[2,2] dot(y, y), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}",
      {{2, 3, 6, 11}});
  expect(
      "y = f32[1,2,2] reshape(x)\nw = f32[2,2] reshape(x)\n"
      "ROOT r = f32[2,1,2] dot(w, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
      {{2, 3, 6, 11}});
  expect(
      "y = f32[2,2] reshape(x)\nROOT r = f32[2] dot(y, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
      {{1, 13}, {41, 85}});
  expect(
      "y = f32[2,2] reshape(x)\nd = f32[2,2] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "e = f32[2,2] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
      "a = f32[2,2] add(y, d)\nROOT r = f32[2,2] add(a, e)",
      {{3, 7, 11, 27}});
}

TEST(Interpreter, TalksBetweenDevices) {
  const std::string groups = kGroups;
  expect("ROOT r = f32[8] all-gather(x), dimensions={0}, " + groups,
         {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}});
  expect("ROOT r = f32[4] all-reduce(x), to_apply=add_f32, " + groups,
         {{4, 6, 8, 10}, {4, 6, 8, 10}, {20, 22, 24, 26}});
  expect("ROOT r = f32[4] all-reduce(x), to_apply=max_f32, " + groups, {{4, 5, 6, 7}, {4, 5, 6, 7}});
  expect("ROOT r = f32[2] reduce-scatter(x), dimensions={0}, to_apply=add_f32, " + groups,
         {{4, 6}, {8, 10}, {20, 22}});
  expect(
      "m = f32[2,2,1] reshape(x)\nROOT r = f32[2,1,1] reduce-scatter(m), dimensions={1}, "
      "to_apply=add_f32, " +
          groups,
      {{4, 8}, {6, 10}, {20, 24}, {22, 26}});
  expect("ROOT r = f32[4] all-to-all(x), dimensions={0}, " + groups,
         {{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}});
  expect("ROOT r = f32[4] collective-permute(x), source_target_pairs={{0,1},{1,2}}, channel_id=1",
         {{0, 0, 0, 0}, {0, 1, 2, 3}, {4, 5, 6, 7}, {0, 0, 0, 0}});
}

TEST(Interpreter, WalksCallsAndLoops) {
  expect("ROOT r = f32[4] call(x), to_apply=twice", {{0, 2, 4, 6}});
  expect("ROOT r = f32[4] fusion(x), kind=kLoop, calls=twice", {{0, 2, 4, 6}});
  expect(
      "z = s32[] constant(0)\nt = (s32[], f32[4]) tuple(z, x)\nw = (s32[], f32[4]) while(t), "
      "condition=below, body=grow\n"
      "ROOT r = f32[4] get-tuple-element(w), index=1",
      {{0, 8, 16, 24}});
}

TEST(Interpreter, NamesWhatItCannotRun) {
  const auto rows = run("ROOT strange = f32[4] custom-call(x), custom_call_target=\"f\"");
  ASSERT_FALSE(rows.ok());
  EXPECT_NE(rows.error().text().find("custom-call"), std::string::npos) << rows.error().text();
  EXPECT_NE(rows.error().text().find("strange"), std::string::npos) << rows.error().text();
}

// An operand that somebody reads later is not overwritten by the sum that is fused into the product.
TEST(Interpreter, AFusedSumLeavesItsBaseToOtherReaders) {
  expect(
      "y = f32[2,2] reshape(x)\nb = f32[2,2] multiply(y, y)\n"
      "d = f32[2,2] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "s = f32[2,2] add(b, d)\nROOT r = f32[2,2] subtract(s, b)",
      {{2, 3, 6, 11}});
}

// x·x + x, where the product's operand is what it is added to.
TEST(Interpreter, AFusedSumDoesNotOverwriteItsOwnOperands) {
  expect(
      "y = f32[2,2] reshape(x)\nb = f32[2,2] add(y, y)\n"
      "d = f32[2,2] dot(b, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "ROOT r = f32[2,2] add(b, d)",
      {{8, 14, 28, 50}});
}

// Products of as many elements that are other matrices: two of a batch, one of two rows, one of one row.
TEST(Interpreter, ASumOfProductsOfOtherMatricesIsTheSumOfEach) {
  const std::string products =
      "y = f32[2,2] reshape(x)\nv = f32[2] slice(x), slice={[1:3]}\nc = f32[1] slice(x), slice={[3:4]}\n"
      "g = f32[1,2,2] reshape(x)\n"
      "batch = f32[2,2] dot(y, v), lhs_batch_dims={0}, rhs_batch_dims={0}\n"
      "two = f32[2,2] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "one = f32[2,2] dot(c, g), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n";
  expect(products + "ROOT r = f32[2,2] add(batch, two)", {{2, 4, 10, 17}});
  expect(products + "ROOT r = f32[2,2] add(two, one)", {{2, 6, 12, 20}});
  expect(products + "a = f32[2,2] add(one, batch)\nROOT r = f32[2,2] add(a, two)", {{2, 7, 16, 26}});
}

// The array behind the root, by device.
std::vector<const std::byte*> memory_of_root(const std::string& body) {
  const std::string text =
      "HloModule test, num_partitions=4\n\nENTRY main {\nx = f32[4] parameter(0)\n" + body + "\n}\n";
  const Program program = parse_program(text).value();
  EXPECT_TRUE(verify(program).ok());
  const Workers workers(2);
  std::vector<ViewPtr> x;
  for (int d = 0; d < 2; ++d) {
    Array array = Array::allocate(ElementType::f32, {4});
    for (int i = 0; i < 4; ++i) array.mutable_as<float>()[static_cast<size_t>(i)] = static_cast<float>(d + i);
    x.insert(x.end(), 2, std::make_shared<View>(View::of(array)));
  }
  Interpreter interpreter(program, workers, false);
  std::vector<const std::byte*> out;
  const auto root = interpreter.run({x}, {});
  for (const DeviceValue& value : *root) out.push_back(value.view->data());
  return out;
}

// Devices 0 and 1 hold one array, 2 and 3 another.
TEST(Interpreter, DevicesThatHoldTheSameMakeItOnce) {
  const std::string square =
      "y = f32[4,1] reshape(x)\nz = f32[4,4] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n";
  for (const std::string body :
       {"ROOT r = f32[4] multiply(x, x)", "ROOT r = f32[4] negate(x)",
        "y = f32[4,1] reshape(x)\nROOT z = f32[4,4] dot(y, y), lhs_contracting_dims={1}, "
        "rhs_contracting_dims={1}"}) {
    const auto memory = memory_of_root(body);
    EXPECT_EQ(memory[0], memory[1]) << body;
    EXPECT_EQ(memory[2], memory[3]) << body;
    EXPECT_NE(memory[0], memory[2]) << body;
  }
  // What is added to differs: so does the sum.
  const std::string id =
      "d = u32[] partition-id()\nf = f32[] convert(d)\nb = f32[4,4] broadcast(f), dimensions={}\n";
  const auto memory = memory_of_root(square + id + "ROOT r = f32[4,4] add(b, z)");
  EXPECT_NE(memory[0], memory[1]);
}

TEST(RunNumerics, IsCancelledAndSaysSo) {
  const Workers workers(2);
  const MatmulProblem problem{1024, 1024, 1024, ElementType::f32, ElementType::f32};
  const auto data = make_problem_data({problem, Fill::integers, 0, {}, {}, false}, workers, {});
  const auto program = (*find_strategy("collective.os"))->plan(*Mesh::parse("row=2,col=2"), problem, {});
  NumericsOptions options;
  options.repeat = 1000000;
  std::stop_source source;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.request_stop();
  });
  const auto outcome = run_numerics(*program, **data, options, workers, source.get_token());
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().kind, ErrorKind::cancelled);
}

TEST(RunNumerics, MeasuresAndFindsAWrongProgram) {
  const Workers workers(2);
  const MatmulProblem problem{8, 16, 8, ElementType::f32, ElementType::f32};
  const auto data = make_problem_data({problem, Fill::integers, 0, {}, {}, true}, workers, {});
  auto program = (*find_strategy("wang.os"))->plan(*Mesh::parse("row=2,col=2"), problem, {});
  ASSERT_TRUE(program.ok());
  NumericsOptions options;
  options.repeat = 5;
  const auto outcome = run_numerics(*program, **data, options, workers, {});
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(outcome->report.allclose);
  EXPECT_EQ(outcome->measured->repeat, 5);
  EXPECT_LE(outcome->measured->min_s, outcome->measured->wall_s);
  EXPECT_EQ(outcome->measured->kernel, kernel_name(exact_isa()));
  // Nobody sends: the permutes give zeros.
  Program broken = *program;
  for (Computation& c : broken.computations) {
    for (Instruction& i : c.instructions) {
      if (i.permutation) i.permutation = std::make_shared<const Permutation>(*Permutation::make({}, 4));
    }
  }
  const auto wrong = run_numerics(broken, **data, {}, workers, {});
  ASSERT_TRUE(wrong.ok());
  EXPECT_FALSE(wrong->report.allclose);
  EXPECT_GT(wrong->report.percent_bad, 50);
}

}  // namespace
}  // namespace shardscope::interpreter_test
