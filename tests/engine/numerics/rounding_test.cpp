// SPDX-License-Identifier: Apache-2.0
// The default tolerance knows where a program rounds: what is right passes, what is wrong does not.
#include <cmath>
#include <gtest/gtest.h>
#include <regex>

#include "engine/numerics/check/numerics.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/numerics/rules/rounding_bound.h"
#include "engine/strategies/strategy.h"

namespace shardscope::rounding_test {
namespace {

const Workers& workers() {
  static const Workers kWorkers(2);
  return kWorkers;
}

MatmulProblem problem(int64_t k, ElementType accumulate, ElementType dtype = ElementType::bf16) {
  MatmulProblem p{64, k, 64, dtype, accumulate};
  p.sum = SumType::result;
  return p;
}

std::shared_ptr<const ProblemData> normal_data(const MatmulProblem& p) {
  static std::map<std::pair<int64_t, int>, std::shared_ptr<const ProblemData>> made;
  auto& data = made[{p.k, static_cast<int>(p.dtype) * 1000 + static_cast<int>(p.accumulate)}];
  if (data == nullptr) data = *make_problem_data({p, Fill::normal, 1}, workers(), {});
  return data;
}

std::vector<Mesh> meshes(int devices) {
  std::vector<Mesh> out;
  for (const std::string& shape :
       {std::string("row=1,col="), std::string("row=2,col="), std::string("row=4,col=")}) {
    const int rows = shape[4] - '0';
    if (devices % rows == 0) out.push_back(*Mesh::parse(shape + std::to_string(devices / rows)));
  }
  out.push_back(*Mesh::parse("row=" + std::to_string(devices) + ",col=1"));
  return out;
}

// Nothing is multiplied or added: there is nothing to round.
bool only_moves_data(const Program& program) {
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (i.opcode == Opcode::dot || i.opcode == Opcode::add || i.opcode == Opcode::reduce) return false;
  return true;
}

class BothSums : public ::testing::TestWithParam<ElementType> {};

// Every strategy, whatever it rounds: products and sums in f32 or bf16, bf16 between devices.
TEST_P(BothSums, NoRightProgramIsCalledWrong) {
  int checked = 0, bounded = 0;
  for (const int devices : {2, 4, 8, 16}) {
    for (const Mesh& mesh : meshes(devices)) {
      for (const Strategy& s : strategies()) {
        if (s.kind == StrategyKind::broken) continue;
        const auto program = s.plan(mesh, problem(256, GetParam()), {});
        if (!program.ok()) continue;
        const auto outcome =
            run_numerics(*program, *normal_data(problem(256, GetParam())), {}, workers(), {});
        if (!outcome.ok()) continue;
        const NumericsReport& n = outcome->report;
        EXPECT_TRUE(n.allclose) << s.id << " on " << mesh.text() << ": max " << n.max_abs << ", "
                                << n.percent_bad << " % bad, tolerance " << n.tolerance_max.value_or(0);
        if (only_moves_data(*program)) continue;
        ++checked;
        bounded += n.tolerance_max.has_value();
      }
    }
  }
  EXPECT_GT(checked, 300);
  EXPECT_GT(bounded, checked * 9 / 10);  // the rest has f32 throughout
}

INSTANTIATE_TEST_SUITE_P(Accumulate, BothSums, ::testing::Values(ElementType::f32, ElementType::bf16),
                         [](const auto& each) { return std::string(name(each.param)); });

// The program whose device `guilty` gives `factor` times its own partial sum to the first sum between
// devices; empty when there is none.
std::string with_fault(const Program& program, int guilty, int factor) {
  const std::string text = print_program(program);
  static const std::regex kSum(
      R"(\n( *)((?:ROOT )?%?[\w.\-]+ = [^\n]*(?:all-reduce|reduce-scatter)\()([^\n%]*)%([\w.\-]+)\))");
  std::smatch found;
  if (!std::regex_search(text, found, kSum)) return "";
  const std::string operand = found[4];
  static const std::regex kShape(R"(= ([a-z0-9]+)\[([0-9,]*)\])");
  std::smatch shape;
  const size_t at = text.find("%" + operand + " = ");
  const std::string line = text.substr(at, text.find('\n', at) - at);
  if (!std::regex_search(line, shape, kShape)) return "";
  const std::string type = shape[1], dims = "[" + shape[2].str() + "]";
  const std::string fault =
      "\n  %f.id = u32[] partition-id()\n  %f.guilty = u32[] constant(" + std::to_string(guilty) +
      ")\n  %f.is = pred[] compare(%f.id, %f.guilty), direction=EQ\n  %f.all = pred" + dims +
      " broadcast(%f.is), dimensions={}\n  %f.factor = " + type + "[] constant(" + std::to_string(factor) +
      ")\n  %f.wide = " + type + dims + " broadcast(%f.factor), dimensions={}\n  %f.other = " + type + dims +
      " multiply(%f.wide, %" + operand + ")\n  %f.sent = " + type + dims + " select(%f.all, %f.other, %" +
      operand + ")";
  std::string sum = found[0];
  sum.replace(sum.rfind("%" + operand), operand.size() + 1, "%f.sent");
  return found.prefix().str() + fault + sum + found.suffix().str();
}

void expect_faults_seen(const Program& program, const ProblemData& data, const std::string& what) {
  for (const int factor : {0, 2}) {
    for (const int guilty : {0, static_cast<int>(program.mesh.device_count()) - 1}) {
      const auto faulty = parse_program(with_fault(program, guilty, factor));
      ASSERT_TRUE(faulty.ok()) << what << ": " << faulty.error().text();
      const auto outcome = run_numerics(*faulty, data, {}, workers(), {});
      ASSERT_TRUE(outcome.ok()) << what << ": " << outcome.error().text();
      EXPECT_FALSE(outcome->report.allclose) << what << ", device " << guilty << " times " << factor;
    }
  }
}

TEST_P(BothSums, APartialSumDroppedOrDoubledFails) {
  int faulty = 0;
  for (const int devices : {2, 4, 8, 16}) {
    for (const Mesh& mesh : meshes(devices)) {
      for (const char* id : {"psum", "megatron.row", "collective.ls", "collective.rs", "pjit.inner",
                             "pallas.ag_slice_psum", "fsdp.gradient"}) {
        const auto program = (*find_strategy(id))->plan(mesh, problem(256, GetParam()), {});
        if (!program.ok() || with_fault(*program, 0, 0).empty()) continue;
        const auto data = normal_data(problem(256, GetParam()));
        const auto right = run_numerics(*program, *data, {}, workers(), {});
        ASSERT_TRUE(right.ok() && right->report.allclose) << id << " on " << mesh.text();
        expect_faults_seen(*program, *data, std::string(id) + " on " + mesh.text());
        ++faulty;
      }
    }
  }
  EXPECT_GT(faulty, 50);
}

TEST_P(BothSums, ALongDotSplitSixteenWays) {
  const MatmulProblem p = problem(4096, GetParam());
  for (const char* id : {"psum", "megatron.row"}) {
    const Mesh mesh = *Mesh::parse(std::string(id) == "psum" ? "row=1,col=16" : "row=16");
    const auto program = (*find_strategy(id))->plan(mesh, p, {});
    ASSERT_TRUE(program.ok()) << program.error().text();
    const auto right = run_numerics(*program, *normal_data(p), {}, workers(), {});
    ASSERT_TRUE(right.ok()) << right.error().text();
    EXPECT_TRUE(right->report.allclose) << id;
    EXPECT_GT(*right->report.tolerance_max, right->report.max_abs);
    expect_faults_seen(*program, *normal_data(p), id);
  }
}

// Two bf16 partial sums s0 and s1 and their bf16 sum: half a spacing each.
TEST(RoundingBound, ABoundIsHalfASpacingOfEachSum) {
  const Result<Program> program = parse_program(R"(HloModule test, num_partitions=2
add_bf16 {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}
ENTRY main {
  x = f32[2] parameter(0)
  p = bf16[2] convert(x)
  s = bf16[2] all-reduce(p), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add_bf16
  ROOT y = f32[2] convert(s)
}
)");
  ASSERT_TRUE(program.ok()) << program.error().text();
  std::vector<ViewPtr> x;
  for (const float first : {3.0F, 100.0F}) {
    Array array = Array::allocate(ElementType::f32, {2});
    array.mutable_as<float>()[0] = first;
    array.mutable_as<float>()[1] = 0;
    x.push_back(std::make_shared<const View>(View::of(array)));
  }
  Interpreter interpreter(*program, workers(), false);
  interpreter.bound_roundings();
  ASSERT_TRUE(interpreter.run({x}, {}).ok());
  ASSERT_TRUE(interpreter.roundings()->known());
  const Array bound = copy_of(*interpreter.roundings()->root()[0].view);
  // 3 lies among multiples of 2^-6, 100 and 103 of 2^-1.
  EXPECT_EQ(bound.at(0), 0x1p-7 + 0x1p-2 + 0x1p-2);
  EXPECT_LT(bound.at(1), 1e-38);
}

TEST(RoundingBound, AskedTolerancesAreUsedAsTheyAre) {
  const MatmulProblem p = problem(256, ElementType::f32);
  const auto program = (*find_strategy("megatron.row"))->plan(*Mesh::parse("row=8"), p, {});
  ASSERT_TRUE(program.ok());
  NumericsOptions options;
  options.rtol = 1e-6;
  const auto strict = run_numerics(*program, *normal_data(p), options, workers(), {});
  ASSERT_TRUE(strict.ok());
  EXPECT_FALSE(strict->report.tolerance_max.has_value());
  EXPECT_EQ(strict->report.rtol, 1e-6);
}

// The bound is of the numbers, not of them as they are carried out: they do not change by it.
TEST(RoundingBound, FollowingRoundingsChangesNoBit) {
  for (const char* id : {"wang.os", "collective.ls", "cannon.os", "meshslice.ls"}) {
    const MatmulProblem p = problem(256, ElementType::bf16);
    const auto program = (*find_strategy(id))->plan(*Mesh::parse("row=4,col=4"), p, {});
    ASSERT_TRUE(program.ok()) << id;
    NumericsOptions asked;
    asked.atol = 1;
    const auto with = run_numerics(*program, *normal_data(p), {}, workers(), {});
    const auto without = run_numerics(*program, *normal_data(p), asked, Workers(4), {});
    ASSERT_TRUE(with.ok() && without.ok());
    EXPECT_EQ(with->result, without->result) << id;
    EXPECT_EQ(with->rounding.dims(), with->result.dims());
  }
}

}  // namespace
}  // namespace shardscope::rounding_test
