// SPDX-License-Identifier: Apache-2.0
// Every built-in lesson: all its numbers, questions and answers have values; and mistakes in one are found.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>

#include "engine/lesson/check_lesson.h"
#include "engine/lesson/question.h"
#include "engine/session/lessons/lesson_changes.h"
#include "engine/session/lessons/lesson_module.h"
#include "engine/session/lessons/lesson_presets.h"
#include "engine/session/lessons/played_lesson.h"

namespace shardscope::lesson_check_test {
namespace {

const std::vector<std::string> kViews{"timeline", "grid",  "ring",     "product",  "memory", "hlo", "program",
                                      "compare",  "links", "roofline", "numerics", "kernel", "bits"};

LessonCheck check(const LessonFile& file) {
  LessonRuns runs({});
  return check_lesson(file, [&](const LessonExperiment& e) { return runs.of(e); }, kViews, {}).value();
}

constexpr const char* kRing = R"(title = "R"
[experiments.ring]
hardware = "tpu-v4"
collective = "ring"
[experiments.ring.mesh]
axes = [ { name = "x", size = 4, wrap = true } ]
[experiments.ring.problem]
m = 1024
k = 512
n = 1
[[experiments.ring.run]]
strategy = "collective.all_gather"
[[step]]
experiment = "ring"
)";

LessonFile lesson(const std::string& steps) {
  const auto file = parse_lesson(std::string(kRing) + steps, "r.toml");
  EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().text());
  return *file;
}
std::string first_error(const std::string& steps) {
  const LessonCheck checked = check(lesson(steps));
  return checked.errors.empty() ? "" : checked.errors.front().message;
}

TEST(BuiltInLessons, HaveNothingWithoutAValue) {
  for (const LessonPreset& preset : lesson_presets()) {
    for (const LessonError& error : check(*find_lesson(preset.name)).errors)
      ADD_FAILURE() << preset.name << " line " << error.line << ": " << error.message;
  }
}

// Under every change that a step offers and 20 others.
TEST(BuiltInLessons, AreTrueUnderEveryChange) {
  for (const LessonPreset& preset : lesson_presets()) {
    LessonRuns runs({});
    const auto errors = check_changes(*find_lesson(preset.name), runs, {});
    ASSERT_TRUE(errors.ok());
    for (const LessonError& error : *errors)
      ADD_FAILURE() << preset.name << " line " << error.line << ": " << error.message;
  }
}

TEST(LessonCheck, CatchesAnExerciseWhoseChangeChangesNothing) {
  const auto errors = [](const std::string& step) {
    LessonRuns runs({});
    return *check_changes(lesson(step), runs, {});
  };
  const std::string tries = "try = \"Change the mesh\"\nchange = [\"mesh\"]\n";
  const std::string run = "runs.collective.all_gather.";
  const std::string watching = tries + "watch = [\"steps = " + run + "steps\"]\n";
  EXPECT_TRUE(errors(watching).empty());
  const auto blind = errors(tries);
  ASSERT_EQ(blind.size(), 1U);
  EXPECT_NE(blind[0].message.find("nothing is watched"), std::string::npos);
  const auto same = errors(tries + "watch = [\"products = " + run + "products\"]\n");
  ASSERT_EQ(same.size(), 1U);
  EXPECT_NE(same[0].message.find("nothing that is watched changes with the mesh"), std::string::npos);
  const auto never = errors(watching + "expect = \"mesh.x == 1000\"\n");
  ASSERT_EQ(never.size(), 1U);
  EXPECT_NE(never[0].message.find("no change that the step offers reaches it"), std::string::npos);
  const auto falls = errors("say = \"{story.beat[3].transfers}\"\n[[step]]\n" + watching);
  ASSERT_FALSE(falls.empty());
  EXPECT_NE(falls[0].message.find("with x = 2: "), std::string::npos) << falls[0].message;
}

// The class edits a PartitionSpec: what the lesson says of the module follows.
TEST(LessonModules, FollowTheShardingsThatAClassGivesTheParameters) {
  const PlayedLesson played{find_lesson("9_from_jax")->lesson, {}, {}};
  const LessonExperiment& module = played.lesson.experiments.front();
  ASSERT_EQ(parameter_specs(module)->size(), 3U);
  EXPECT_EQ((*parameter_specs(module))[2], (ParameterSpec{"w2", "P('y', None)", 2}));
  EXPECT_EQ(spec_choices(module, 2)->size(), 9U);
  const auto tries = static_cast<size_t>(
      std::ranges::find_if(played.lesson.steps, [](const LessonStep& s) { return !s.change.empty(); }) -
      played.lesson.steps.begin());
  LessonRuns runs({});
  const auto offered = *offered_changes(played, tries, runs);
  EXPECT_EQ(offered.size(), 12U) << "each parameter over one axis more or less";
  const auto whole = std::ranges::find(offered, "w2 = P(None, None)", &OfferedChange::words);
  ASSERT_NE(whole, offered.end());
  const ShownStep shown = *play_step(with_change(played, tries, *whole), tries, runs);
  ASSERT_FALSE(shown.watched.empty());
  EXPECT_EQ(shown.watched[0].name, "collectives");
  EXPECT_EQ(shown.watched[0].before, "1");
  EXPECT_TRUE(std::ranges::any_of(shown.watched, [](const WatchedValue& w) { return w.before != w.now; }));
  LessonExperiment wrong = module;
  wrong.shardings = {"w2 = P('z', None)"};
  EXPECT_NE(lesson_module_text(wrong).error().text().find("the mesh has no axis 'z'"), std::string::npos);
  wrong.shardings = {"w3 = P('x', None)"};
  EXPECT_NE(lesson_module_text(wrong).error().text().find("use x, w1, w2"), std::string::npos);
}

TEST(LessonCheck, NothingSaysTheAnswerBeforeItIsGiven) {
  const std::string ask = "\"\nanswer = \"runs.collective.all_gather.steps\"\ntolerance = 0\n";
  EXPECT_NE(first_error("ask = \"How many steps are there? {runs.collective.all_gather.steps} steps?" + ask)
                .find("stands in the text before it is given"),
            std::string::npos);
  EXPECT_NE(first_error("ask = \"How many steps are there?" + ask + "note = \"{story.beats} steps\"\n")
                .find("step 1, note"),
            std::string::npos);
  EXPECT_EQ(first_error("ask = \"How many steps are there on {mesh.x} chips?" + ask), "");
}

TEST(LessonCheck, AWrongAnswerIsToldWhy) {
  EXPECT_NE(first_error("ask = \"Is it so?\"\nanswer = \"no\"\nchoices = \"yes/no\"\n")
                .find("nothing is said to who answers 'yes'"),
            std::string::npos);
}

TEST(LessonCheck, FindsWhatHasNoValueWithItsLine) {
  const LessonCheck checked = check(lesson("say = \"{runs.collective.all_gather.totl}\"\n"));
  ASSERT_EQ(checked.errors.size(), 1U);
  EXPECT_EQ(checked.errors[0].line, 15);
  EXPECT_NE(checked.errors[0].message.find("did you mean total?"), std::string::npos);
  EXPECT_FALSE(checked.steps[0].ok);
}

TEST(LessonCheck, RefusesNumbersThatNobodyComputes) {
  EXPECT_NE(first_error("say = \"In 3 steps\"\n").find("'3' is typed"), std::string::npos);
  EXPECT_EQ(first_error("say = \"In {mesh.x} steps, a0 in bf16, `3`\"\n"), "");
}

TEST(LessonCheck, RefusesViewsAndThingsThatAreNotThere) {
  EXPECT_NE(first_error("say = \"x\"\nshow = [\"rnig\"]\n").find("did you mean ring?"), std::string::npos);
  EXPECT_NE(first_error("say = \"x\"\npoint_at = [\"device (7)\"]\n").find("no 'device (7)'"),
            std::string::npos);
  EXPECT_EQ(first_error("say = \"x\"\npoint_at = [\"device (3)\", \"a3\"]\n"), "");
  EXPECT_NE(first_error("say = \"x\"\nbeat = 9\n").find("no beat 9"), std::string::npos);
}

// 3 × (512 KiB / 45 GB/s + 1 µs): what is written comes to the time.
TEST(RunFacts, SayHowATimeComesAbout) {
  const LessonCheck checked =
      check(lesson("say = \"{runs.collective.all_gather.total}{runs.collective.all_gather.derivation}\"\n"));
  ASSERT_TRUE(checked.errors.empty()) << checked.errors.front().message;
  EXPECT_EQ(checked.steps[0].say, "38.0 µs = 3 steps × (512.0 KiB / 45.0 GB/s + 1.00 µs)");
}

Question question(const std::string& step, FactRuns& runs, int32_t beat = 0) {
  const LessonFile file = lesson(step);
  return make_question(file.lesson.steps[0], runs, {"collective.all_gather", beat}).value();
}

TEST(Questions, KnowWhichMistakeAWrongBlockIs) {
  const LessonFile file = lesson("say = \"x\"\n");
  LessonRuns all({});
  FactRuns& runs = **all.of(file.lesson.experiments[0]);
  const Question asked = question(
      "ask = \"Which block does chip `2` get next?\"\nanswer = \"story.beat[1].arrives(device=2)\"\n"
      "choices = \"blocks\"\nbecause = \"its neighbour has it\"\n",
      runs);
  ASSERT_EQ(asked.choices.size(), 4U);
  EXPECT_EQ(asked.right_words(), "a1");
  EXPECT_TRUE(judge(asked, "a1")->right);
  EXPECT_EQ(judge(asked, "a1")->reason, "its neighbour has it");
  EXPECT_EQ(judge(asked, "a2")->reason, "a2 is what (2) sends in this step, not what it gets");
  EXPECT_EQ(judge(asked, "a0")->reason, "a0 reaches (2) later, in step 2");
  EXPECT_FALSE(judge(asked, "a9").ok());
}

TEST(Questions, OfNumbersTakeUnitsAndATolerance) {
  const LessonFile file = lesson("say = \"x\"\n");
  LessonRuns all({});
  FactRuns& runs = **all.of(file.lesson.experiments[0]);
  const Question asked = question(
      "ask = \"How many bytes does a chip send?\"\nanswer = \"runs.collective.all_gather.bytes_sent\"\n"
      "[[step.wrong]]\nanswer = \"runs.collective.all_gather.bytes_sent * mesh.x / (mesh.x - 1)\"\n"
      "because = \"it has one of the blocks already\"\n",
      runs);
  const double bytes = 3.0 / 4 * 1024 * 512 * 4;
  EXPECT_EQ(asked.answer.number, bytes);
  EXPECT_TRUE(judge(asked, "1.5 MiB")->right);
  EXPECT_TRUE(judge(asked, "1.45 MiB")->right);
  EXPECT_EQ(judge(asked, "2 MiB")->reason, "it has one of the blocks already");
  EXPECT_FALSE(judge(asked, "3 MiB")->right);
  EXPECT_FALSE(judge(asked, "3").ok());
  EXPECT_FALSE(judge(asked, "3 us").ok());
}

TEST(Questions, ChangeTheirAnswerWithTheMesh) {
  LessonFile file = lesson("ask = \"steps?\"\nanswer = \"runs.collective.all_gather.steps\"\n");
  EXPECT_EQ(check(file).steps[0].answer, "3");
  file.lesson.experiments[0].own->mesh = Mesh::parse("x=8").value();
  EXPECT_EQ(check(file).steps[0].answer, "7");
}

constexpr const char* kRace = R"(title = "Race"
minutes = 20

[experiments.ring]
try_kernels = ["race = ag.ring.one_semaphore", "ag.ring"]
ring = 3

[[step]]
)";

TEST(LessonKernels, AreReadAsTheyAreWritten) {
  const std::string text =
      std::string(kRace) + "say = \"{kernels.race.devices} chips, {kernels.ag.ring.wrong} wrong\"\n";
  const auto file = parse_lesson(text, "race.toml");
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(lesson_toml(file->lesson), text);
  const LessonCheck checked = check(*file);
  EXPECT_TRUE(checked.errors.empty());
  EXPECT_EQ(checked.steps.front().say, "3 chips, 0 wrong");
}

// A step in which the class chooses who moves next.
constexpr const char* kTheatre = R"(try = "Break it."
run = "race"
change = ["schedule"]
expect = "kernels.race.broken"
watch = ["broken = kernels.race.broken", "steps = kernels.race.steps"]
)";

TEST(LessonSchedules, AClassThatChoosesBreaksTheKernelOrDoesNot) {
  const auto file = parse_lesson(std::string(kRace) + kTheatre, "race.toml");
  ASSERT_TRUE(file.ok()) << file.error().text();
  const PlayedLesson played{file->lesson, {}, {}};
  LessonRuns runs({});
  const ShownStep begun = *play_step(played, 0, runs);
  ASSERT_TRUE(begun.faults.empty()) << begun.faults.front().error.text();
  EXPECT_TRUE(begun.chooses);
  EXPECT_EQ(begun.kernel->replay->steps(), 0) << "nobody has moved";
  EXPECT_EQ(begun.expected, false);
  const auto offered = *offered_changes(played, 0, runs);
  int broke = 0;
  for (const OfferedChange& each : offered) {
    const ShownStep shown = *play_step(with_change(played, 0, each), 0, runs);
    EXPECT_EQ(shown.watched[1].now, std::to_string(each.schedule->choices.size())) << "what was chosen";
    EXPECT_EQ(shown.watched[0].before, "no");
    broke += shown.expected.value() ? 1 : 0;
  }
  EXPECT_GT(broke, 0);
  EXPECT_LT(broke, static_cast<int>(offered.size())) << "not every order harms";
  EXPECT_TRUE(check_changes(*file, runs, {})->empty());
}

TEST(LessonSchedules, ATheatreWhoseGoalNobodyReachesIsCaught) {
  const auto errors = [](std::string step) {
    const auto file = parse_lesson(std::string(kRace) + step, "race.toml");
    EXPECT_TRUE(file.ok());
    LessonRuns runs({});
    auto out = check(*file).errors;
    const auto more = *check_changes(*file, runs, {});
    out.insert(out.end(), more.begin(), more.end());
    return out.empty() ? std::string() : out.front().message;
  };
  const auto with = [](const std::string& from, const std::string& to) {
    std::string out = kTheatre;
    for (size_t at = out.find(from); at != std::string::npos; at = out.find(from, at + to.size()))
      out.replace(at, from.size(), to);
    return out;
  };
  EXPECT_EQ(errors(kTheatre), "");
  EXPECT_NE(errors(with("race", "ag.ring")).find("no change that the step offers reaches it"),
            std::string::npos)
      << "a sound kernel";
  EXPECT_NE(errors(with("expect = \"kernels", "expect = \"not kernels")).find("before anything was changed"),
            std::string::npos);
  EXPECT_NE(errors(std::string(kTheatre) + "beat = \"kernels.race.steps\"\n").find("before anything"),
            std::string::npos)
      << "it is broken already";
}

TEST(LessonKernels, AWrongNameSaysWhichThereAre) {
  const auto error_of = [](const std::string& expression) {
    const auto file = parse_lesson(std::string(kRace) + "say = \"{" + expression + "}\"\n", "race.toml");
    const LessonCheck checked = check(file.value());
    return checked.errors.empty() ? "" : checked.errors.front().message;
  };
  EXPECT_NE(error_of("kernels.race.wrongs").find("did you mean wrong?"), std::string::npos);
  EXPECT_NE(error_of("kernels.rase.wrong").find("use race, ag.ring"), std::string::npos);
  EXPECT_NE(error_of("kernels.race.action(-1)").find("no step -1"), std::string::npos);
  EXPECT_NE(error_of("runs.wang.os.total").find("this experiment has kernels"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::lesson_check_test
