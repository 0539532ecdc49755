// SPDX-License-Identifier: Apache-2.0
// Modules run on the values that they are given, as far as they can be computed, on the mesh that is asked
// for.
#include "engine/session/module_values.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "engine/numerics/data/array_text.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_run.h"
#include "tests/engine/partition/seed_modules.h"

namespace shardscope::module_values_test {
namespace {

Result<ModuleRun> ran(const std::string& text, ModuleRunOptions options = {}) {
  const auto module = read_hlo(text);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (module->cut) options.cut = module->cut->what;
  return execute_module(module->program, options, {});
}

ModuleRunOptions given(const std::vector<std::string>& arguments) {
  ModuleRunOptions out;
  for (const std::string& text : arguments) out.arguments.push_back(*parse_typed_argument(text));
  return out;
}

std::string result_of(const std::string& text, const std::vector<std::string>& arguments) {
  const auto done = ran(text, given(arguments));
  if (!done.ok()) return done.error().text();
  EXPECT_TRUE(done->run->numerics.allclose || !done->run->numerics.checked);
  return numpy_text(done->results.front().arrays.front());
}

TEST(ModuleValues, TheNotebooksModulesGiveTheirNumbers) {
  EXPECT_EQ(result_of(testing::sharded_multiply("f32[8,1]{1,0}"), {"0=3", "1=4"}),
            "[[12.]\n [12.]\n [12.]\n [12.]\n [12.]\n [12.]\n [12.]\n [12.]]");
  EXPECT_EQ(result_of(testing::sharded_add(), {"p0.1=3", "p1.7=4"}), "[[7. 7.]\n [7. 7.]]");
  EXPECT_EQ(result_of(testing::sharded_add(), {"0=[[0,1],[2,3]]", "1=[[0,0],[2,6]]"}), "[[0. 1.]\n [4. 9.]]");
  // As many terms as the notebook's, so that every element is 8192 · 3 · 4.
  EXPECT_EQ(result_of("HloModule m\nENTRY e { a = f32[2,8192] parameter(0), sharding={devices=[1,4]<=[4]}\n"
                      " b = f32[8192,2] parameter(1), sharding={devices=[4,1]<=[4]}\n"
                      " ROOT c = f32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n",
                      {"a=3", "%b=4"}),
            "[[98304. 98304.]\n [98304. 98304.]]");
}

TEST(ModuleValues, WhatDoesNotFitIsRefusedWithWhatWasExpected) {
  const std::string add = testing::sharded_add();
  EXPECT_EQ(result_of(add, {"0=[1,2,3]"}), "expected f32[2,2], got f32[3]; --arg 0");
  EXPECT_EQ(result_of(add, {"p9=1"}),
            "the module has no parameter 'p9': expected p0.1, p1.7 or 0 to 1; --arg");
  EXPECT_EQ(result_of(add, {"0=1", "p0.1=2"}), "p0.1 is given twice; --arg");
  EXPECT_EQ(result_of(add, {"0=x"}), "expected f32[2,2], and 'x' is not a value of f32; --arg 0");
  EXPECT_FALSE(parse_typed_argument("p0").ok());
  EXPECT_FALSE(parse_typed_argument("=3").ok());
}

class ModuleFiles : public ::testing::Test {
 protected:
  ~ModuleFiles() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, ElementType type, const std::vector<int64_t>& dims,
                   const std::string& text) const {
    std::filesystem::create_directories(folder_);
    const std::string path = (folder_ / name).string();
    EXPECT_TRUE(write_npy(path, *parse_array(text, type, dims)).ok());
    return path;
  }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("module_values_" + std::to_string(std::rand()));
};

TEST_F(ModuleFiles, ArraysOfAnyRankAndTypeAreRead) {
  const std::string module =
      "HloModule m\nENTRY e { x = s64[2,1,3] parameter(0), sharding={devices=[2,1,1]<=[2]}\n"
      " p = pred[] parameter(1)\n q = pred[2,1,3] broadcast(p), dimensions={}\n"
      " n = s64[2,1,3] negate(x)\n ROOT s = s64[2,1,3] select(q, x, n) }\n";
  const std::string x = file("x.npy", ElementType::s64, {2, 1, 3}, "[[[1,2,3]],[[4,5,6]]]");
  EXPECT_EQ(result_of(module, {"x=" + x, "p=false"}), "[[[-1 -2 -3]]\n\n [[-4 -5 -6]]]");
  EXPECT_EQ(result_of(module, {"x=" + x, "p=" + file("p.npy", ElementType::pred, {}, "true")}),
            "[[[1 2 3]]\n\n [[4 5 6]]]");
  const std::string wrong = file("w.npy", ElementType::f64, {2, 3}, "1");
  EXPECT_EQ(result_of(module, {"x=" + wrong}), "expected s64[2,1,3], got f64[2,3]; --arg x, " + wrong);
  const auto missing = ran(module, given({"x=/no/such/file.npy"}));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::io);
}

const std::string kPartitioned =
    "HloModule m, num_partitions=2\nENTRY e { x = f32[2,2] parameter(0), sharding={devices=[2,1]<=[2]}\n"
    " g = f32[4,2] all-gather(x), replica_groups={{0,1}}, dimensions={0}\n"
    " ROOT t = (f32[4,2], f32[2,2]) tuple(g, x) }\n";

TEST(ModuleValues, AModuleThatCamePartitionedTakesWholeArraysOrOnePerDevice) {
  for (const char* value : {"x=[[1,2],[3,4],[5,6],[7,8]]", "0=[[[1,2],[3,4]],[[5,6],[7,8]]]"}) {
    const auto done = ran(kPartitioned, given({value}));
    ASSERT_TRUE(done.ok()) << done.error().text();
    ASSERT_EQ(done->results.size(), 2U);
    EXPECT_EQ(done->results[0].arrays.size(), 1U) << "the same on both";
    EXPECT_EQ(numpy_text(done->results[0].arrays[0]), "[[1. 2.]\n [3. 4.]\n [5. 6.]\n [7. 8.]]");
    ASSERT_EQ(done->results[1].arrays.size(), 2U);
    EXPECT_EQ(numpy_text(done->results[1].arrays[1]), "[[5. 6.]\n [7. 8.]]");
  }
  const auto same = ran(kPartitioned, given({"x=[[1,2],[3,4]]"}));
  EXPECT_EQ(numpy_text(same->results[0].arrays[0]), "[[1. 2.]\n [3. 4.]\n [1. 2.]\n [3. 4.]]");
  const auto wrong = ran(kPartitioned, given({"x=[1,2]"}));
  EXPECT_EQ(wrong.error().text().rfind("expected f32[2,2]", 0), 0U) << wrong.error().text();
}

const std::string kElided =
    "HloModule m\nENTRY e { x = f32[4] parameter(0), sharding={devices=[4]<=[4]}\n"
    " a = f32[4] constant({...})\n b = f32[4] constant({...})\n s = f32[4] subtract(a, b)\n"
    " ROOT t = f32[4] add(x, s) }\n";

TEST(ModuleValues, ElidedConstantsAreDrawnFromTheSeedEachForItselfAndSaid) {
  ModuleRunOptions options = given({"x=0"});
  const auto zero = ran(kElided, options);
  ASSERT_TRUE(zero.ok()) << zero.error().text();
  EXPECT_TRUE(zero->run->numerics.allclose);
  ASSERT_FALSE(zero->run->numerics.warnings.empty());
  EXPECT_EQ(zero->run->numerics.warnings.back(),
            "2 constants whose text is left out ({...}): drawn from seed 0: a, b");
  EXPECT_NE(numpy_text(zero->results[0].arrays[0]), "[0. 0. 0. 0.]") << "a and b are two";
  EXPECT_NE(print_program(zero->run->program).find("constant({...})"), std::string::npos);
  options.asked["seed"] = "5";
  const auto five = ran(kElided, options);
  EXPECT_FALSE(five->results[0].arrays[0] == zero->results[0].arrays[0]);
  EXPECT_EQ(ran(kElided, options)->results[0].arrays[0], five->results[0].arrays[0]);
}

// Devices that hold the same part of an array draw the same numbers: those of the whole one.
TEST(ModuleValues, DrawnArgumentsFollowTheirShardings) {
  const auto module = parse_program(
      "HloModule m, num_partitions=4\nENTRY e { a = f32[2,3] parameter(0), sharding={replicated}\n"
      " b = f32[2,3] parameter(1), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}\n"
      " c = f32[2,3] parameter(2)\n ROOT t = (f32[2,3], f32[2,3], f32[2,3]) tuple(a, b, c) }\n");
  ASSERT_TRUE(module.ok()) << module.error().text();
  ArgumentRequest request;
  request.devices = 4;
  const Workers workers(2);
  const auto made = make_module_arguments(*module, request, workers);
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ((*made)[0].arrays.size(), 1U) << "one for all";
  const std::vector<Array>& parts = (*made)[1].arrays;
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_TRUE(parts[0] == parts[1]);
  EXPECT_TRUE(parts[2] == parts[3]);
  EXPECT_FALSE(parts[0] == parts[2]);
  EXPECT_FALSE((*made)[2].arrays[0] == (*made)[2].arrays[1]) << "nobody says what its parts are";
}

TEST(ModuleParts, AProofGoesAsFarAsTheModuleCanBeComputedAndSaysSo) {
  const auto done =
      ran("HloModule m\nENTRY e { x = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}\n"
          " n = f32[8,4] negate(x)\n y = f32[8,4] abs(x)\n"
          " c = f32[8,4] custom-call(n), custom_call_target=\"foo\"\n f = f32[8,4] stochastic-convert(y, y)\n"
          " s = f32[8,4] add(c, f)\n ROOT r = f32[8,4] add(s, y) }\n",
          given({"x=2"}));
  ASSERT_TRUE(done.ok()) << done.error().text();
  ASSERT_TRUE(done->part);
  EXPECT_EQ(done->part->instructions, 3);
  EXPECT_EQ(done->part->of, 7);
  EXPECT_EQ(done->part->ends, (std::vector<std::string>{"n", "y"}));
  EXPECT_NE(done->part->why.find("%f: stochastic-convert"), std::string::npos) << done->part->why;
  EXPECT_NE(done->part->why.find("%c: custom-call of target \"foo\""), std::string::npos) << done->part->why;
  EXPECT_TRUE(done->run->numerics.checked && done->run->numerics.allclose);
  EXPECT_NE(done->run->numerics.reference.find("as far as n, y (3 of 7 instructions"), std::string::npos)
      << done->run->numerics.reference;
  // What was judged is no result: of that nothing is known.
  ASSERT_EQ(done->results.size(), 1U);
  EXPECT_EQ(done->results[0].name, "result");
  EXPECT_TRUE(done->results[0].arrays.empty());
  EXPECT_NE(done->results[0].unknown.find("it depends on %c: custom-call"), std::string::npos);
  // All of it is timed, what is not known by its bytes.
  EXPECT_FALSE(done->run->untimed);
  for (const std::string what : {"stochastic-convert", "custom-call \"foo\""})
    EXPECT_TRUE(std::ranges::any_of(done->run->timeline.assumptions, [&](const std::string& a) {
      return a.starts_with(what + " is not known, nor how long it takes: ");
    })) << what;
}

TEST(ModuleParts, AnOperationInsideALoopStopsTheLoop) {
  const auto done =
      ran("HloModule m\nbody { s = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
          " o = s32[] constant(1)\n k = s32[] add(i, o)\n x = f32[4] get-tuple-element(s), index=1\n"
          " c = f32[4] custom-call(x), custom_call_target=\"foo\"\n ROOT t = (s32[], f32[4]) tuple(k, c) }\n"
          "cond { s.1 = (s32[], f32[4]) parameter(0)\n i.1 = s32[] get-tuple-element(s.1), index=0\n"
          " e = s32[] constant(3)\n ROOT p = pred[] compare(i.1, e), direction=LT }\n"
          "ENTRY m { x.2 = f32[4] parameter(0)\n z = s32[] constant(0)\n a = f32[4] add(x.2, x.2)\n"
          " w = (s32[], f32[4]) tuple(z, a)\n l = (s32[], f32[4]) while(w), condition=cond, body=body\n"
          " ROOT r = f32[4] get-tuple-element(l), index=1 }\n",
          given({"0=1"}));
  ASSERT_TRUE(done.ok()) << done.error().text();
  ASSERT_TRUE(done->part);
  EXPECT_EQ(done->part->why.find("%l"), std::string::npos) << done->part->why;
  EXPECT_NE(done->part->why.find("%c: "), std::string::npos) << done->part->why;
  EXPECT_NE(done->results[0].unknown.find("%c: "), std::string::npos) << done->results[0].unknown;
}

TEST(ModuleParts, OfNothingKnownItIsSaidThatNothingIs) {
  const auto done =
      ran("HloModule m\nENTRY e { x = f32[4] parameter(0)\n ROOT c = f32[4] custom-call(x), "
          "custom_call_target=\"foo\" }\n");
  ASSERT_TRUE(done.ok()) << done.error().text();
  EXPECT_FALSE(done->run->numerics.checked);
  ASSERT_EQ(done->results.size(), 1U);
  EXPECT_TRUE(done->results[0].arrays.empty());
  EXPECT_NE(done->results[0].unknown.find("custom-call of target \"foo\""), std::string::npos);
  ASSERT_FALSE(done->run->numerics.warnings.empty());
  EXPECT_EQ(done->run->numerics.warnings.front().rfind("result is not known: it depends on %c", 0), 0U);
}

TEST(ModuleParts, ResultsThatDoNotDependOnWhatHasNoMeaningAreComputedAndJudged) {
  const auto done =
      ran("HloModule m\nENTRY e { x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
          " c = f32[8] custom-call(x), custom_call_target=\"foo\"\n d = f32[8] add(c, x)\n"
          " y = f32[8] negate(x)\n p = (f32[8], f32[8]) tuple(d, y)\n"
          " b = (f32[8], f32[8]) opt-barrier(p)\n z = f32[8] get-tuple-element(b), index=1\n"
          " ROOT r = (f32[8], (f32[8], f32[8])) tuple(z, b) }\n",
          given({"x=2"}));
  ASSERT_TRUE(done.ok()) << done.error().text();
  ASSERT_EQ(done->results.size(), 3U);
  for (const size_t known : {0, 2}) {
    EXPECT_EQ(done->results[known].unknown, "");
    ASSERT_EQ(done->results[known].arrays.size(), 1U);
    EXPECT_EQ(done->results[known].arrays[0].at(0), -2);
  }
  EXPECT_TRUE(done->results[1].arrays.empty());
  EXPECT_NE(done->results[1].unknown.find("%c"), std::string::npos);
  EXPECT_TRUE(done->run->numerics.checked && done->run->numerics.allclose);
  ASSERT_TRUE(done->part);
  EXPECT_EQ(done->part->ends, (std::vector<std::string>{"result{0}", "result{2}"}));
}

// Of a loop's state what does not meet the operation goes on; where the end of the loop depends on it,
// nothing does.
TEST(ModuleParts, WhatGoesRoundALoopIsKnownUnlessItMeetsTheOperation) {
  const std::string rounds =
      "HloModule m\nbody { s = (s32[], f32[4], f32[4]) parameter(0)\n i = s32[] get-tuple-element(s), "
      "index=0\n"
      " o = s32[] constant(1)\n k = s32[] add(i, o)\n x = f32[4] get-tuple-element(s), index=1\n"
      " y = f32[4] get-tuple-element(s), index=2\n c = f32[4] custom-call(y), custom_call_target=\"foo\"\n"
      " d = f32[4] add(x, x)\n ROOT t = (s32[], f32[4], f32[4]) tuple(k, d, c) }\n"
      "cond { s.1 = (s32[], f32[4], f32[4]) parameter(0)\n i.1 = s32[] get-tuple-element(s.1), index=0\n"
      " e = s32[] constant(3)\n";
  const std::string entry =
      "ENTRY m { x.2 = f32[4] parameter(0)\n z = s32[] constant(0)\n"
      " w = (s32[], f32[4], f32[4]) tuple(z, x.2, x.2)\n"
      " ROOT l = (s32[], f32[4], f32[4]) while(w), condition=cond, body=body }\n";
  const auto counted =
      ran(rounds + " ROOT p = pred[] compare(i.1, e), direction=LT }\n" + entry, given({"0=1"}));
  ASSERT_TRUE(counted.ok()) << counted.error().text();
  ASSERT_EQ(counted->results.size(), 3U);
  EXPECT_EQ(counted->results[0].arrays.at(0).at(0), 3);
  EXPECT_EQ(counted->results[1].arrays.at(0).at(0), 8);
  EXPECT_NE(counted->results[2].unknown, "");
  const auto endless =
      ran(rounds +
              " y.1 = f32[4] get-tuple-element(s.1), index=2\n q = f32[1] slice(y.1), slice={[0:1]}\n"
              " q.1 = f32[] reshape(q)\n f = f32[] constant(9)\n"
              " ROOT p = pred[] compare(q.1, f), direction=LT }\n" +
              entry,
          given({"0=1"}));
  ASSERT_TRUE(endless.ok()) << endless.error().text();
  for (const ModuleResult& r : endless->results) EXPECT_NE(r.unknown, "") << r.name;
}

// One computation, called with what is known and with what is not: each call is followed by itself.
TEST(ModuleParts, ACallIsKnownAsItsArgumentsAre) {
  const auto done =
      ran("HloModule m\nf { a = f32[4] parameter(0)\n b = f32[4] parameter(1)\n n = f32[4] negate(a)\n"
          " ROOT t = (f32[4], f32[4]) tuple(n, b) }\n"
          "ENTRY e { x = f32[4] parameter(0)\n c = f32[4] custom-call(x), custom_call_target=\"foo\"\n"
          " u = (f32[4], f32[4]) call(x, c), to_apply=f\n v = (f32[4], f32[4]) call(c, x), to_apply=f\n"
          " ROOT r = ((f32[4], f32[4]), (f32[4], f32[4])) tuple(u, v) }\n",
          given({"x=3"}));
  ASSERT_TRUE(done.ok()) << done.error().text();
  std::vector<bool> known;
  for (const ModuleResult& r : done->results) known.push_back(r.unknown.empty());
  EXPECT_EQ(known, (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ(done->results[0].arrays.at(0).at(0), -3);
  EXPECT_EQ(done->results[3].arrays.at(0).at(0), 3);
}

TEST(ModuleParts, AModuleThatCamePartitionedGivesWhatIsKnown) {
  const auto done =
      ran("HloModule m, num_partitions=2\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
          " ROOT s = f32[] add(a, b) }\n"
          "ENTRY e { x = f32[4] parameter(0)\n c = f32[4] custom-call(x), custom_call_target=\"foo\"\n"
          " ar = (f32[4], f32[4]) all-reduce(x, c), replica_groups={{0,1}}, to_apply=add\n"
          " ROOT r = (f32[4], f32[4]) copy(ar) }\n",
          given({"x=3"}));
  ASSERT_TRUE(done.ok()) << done.error().text();
  ASSERT_EQ(done->results.size(), 2U);
  EXPECT_EQ(done->results[0].arrays.at(0).at(0), 6);
  EXPECT_TRUE(done->results[1].arrays.empty());
  EXPECT_NE(done->results[1].unknown.find("%c"), std::string::npos);
}

TEST(ModuleParts, ATextThatIsCutIsProvedOverAllThatStandsThere) {
  const auto done =
      ran("HloModule m\nENTRY e { x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n a = f32[8] abs(x)\n"
          " b = f32[8] negate(x)\n c = f32[8] add(a, b)\n d = f32[8] exponential(b)\n q = f32[8] multip");
  ASSERT_TRUE(done.ok()) << done.error().text();
  ASSERT_TRUE(done->part);
  EXPECT_EQ(done->part->ends, (std::vector<std::string>{"c", "d"}));
  EXPECT_NE(done->run->numerics.reference.find("text ends inside"), std::string::npos);
  EXPECT_TRUE(done->run->numerics.allclose);
}

const std::string kGather =
    "HloModule m, num_partitions=8\nENTRY e { x = f32[2097152] parameter(0)\n"
    " ROOT g = f32[16777216] all-gather(x), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0} }\n";

Picoseconds time_of(std::map<std::string, std::string, std::less<>> asked) {
  ModuleRunOptions options;
  options.check = CheckMode::off;
  options.asked = std::move(asked);
  const auto done = ran(kGather, options);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().text());
  const std::vector<std::string>& said = done->run->timeline.assumptions;
  const bool as_asked = std::ranges::any_of(
      said, [](const std::string& a) { return a.find("because its wrap is on") != std::string::npos; });
  EXPECT_EQ(as_asked, options.asked.contains("wrap") && options.asked.at("wrap") != "none");
  EXPECT_EQ(done->run->experiment.chip_wraps, !options.asked.contains("wrap"));
  return done->run->timeline.total;
}

// Eight chips of a v5e are a line: seven shards of 8 MiB one way, as on a ring both ways the half.
TEST(ModuleMesh, TheChipsWrapRuleHoldsUnlessWrapsAreAsked) {
  const double hop = 8.0 * 1024 * 1024 / 45e9 + 1e-6;
  EXPECT_NEAR(to_seconds(time_of({})), 7 * hop, 1e-9);
  EXPECT_EQ(time_of({{"wrap", "none"}}), time_of({}));
  EXPECT_LT(time_of({{"wrap", "all"}}), time_of({}) * 6 / 10);
  EXPECT_LT(time_of({{"mesh", "x=2,y=4"}}), time_of({}));
  EXPECT_EQ(time_of({{"hardware", "tpu-v5e"}, {"mesh", "8"}}), time_of({}));
  EXPECT_GT(time_of({{"slow-link", "0-1=0.5"}}), time_of({}));
}

TEST(ModuleMesh, AMeshOfOtherDevicesAndAnAxisThatIsNotThereAreRefused) {
  ModuleRunOptions options;
  options.check = CheckMode::off;
  options.asked = {{"mesh", "x=2,y=2"}};
  EXPECT_EQ(ran(kGather, options).error().text(),
            "the module runs on 8 devices, the mesh has 4; --mesh; give a mesh of as many, or leave it out");
  options.asked = {{"wrap", "q"}};
  EXPECT_EQ(ran(kGather, options).error().where, "--wrap");
  options.asked = {{"collective", "halving-doubling"}};
  EXPECT_TRUE(ran(kGather, options).ok());
}

TEST(ModuleMesh, AModuleWithoutDevicesOfItsOwnRunsOnTheMeshThatIsAsked) {
  ModuleRunOptions options;
  options.asked = {{"mesh", "a=2,b=2"}};
  const auto done =
      ran("HloModule m\nENTRY e { x = f32[8] parameter(0)\n ROOT n = f32[8] negate(x) }\n", options);
  ASSERT_TRUE(done.ok()) << done.error().text();
  EXPECT_EQ(done->run->mesh.text(), "a=2,b=2");
  EXPECT_TRUE(done->run->numerics.allclose);
}

}  // namespace
}  // namespace shardscope::module_values_test
