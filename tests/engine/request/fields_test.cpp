// SPDX-License-Identifier: Apache-2.0
// Every row of the table of fields through the doors of the engine: text, files, JSON.
#include "engine/request/fields.h"

#include <nlohmann/json.hpp>
#include <set>

#include "engine/request/experiment_file.h"
#include "engine/request/request_json.h"
#include "tests/engine/request/every_field.h"

namespace shardscope {
namespace {

// An experiment in which the field has another value than the default; in a run when it is a run's.
Experiment with_other(const Field& field) {
  Experiment e = plain_experiment();
  if (field.experiment) {
    EXPECT_TRUE(put(field, e, other_text(field)).ok()) << field.key;
  } else {
    EXPECT_TRUE(put(field, e.runs[1], other_text(field)).ok()) << field.key;
  }
  return e;
}

TEST(Fields, HaveAKeyAHelpAndAnOwnerEach) {
  std::set<std::string> keys, files;
  for (const Field& field : fields()) {
    EXPECT_TRUE(keys.insert(field.key).second) << field.key;
    EXPECT_TRUE(files.insert(field.file).second) << field.file;
    EXPECT_FALSE(field.help.empty()) << field.key;
    EXPECT_TRUE(field.experiment || field.run || field.execution) << field.key;
    EXPECT_EQ(field.scope == Scope::execution, field.execution.has_value()) << field.key;
    EXPECT_EQ(find_field(field.key), &field);
  }
}

TEST(Fields, ReadBackWhatTheyPrint) {
  for (const Field& field : fields()) {
    if (field.execution) {
      ExecutionSettings execution;
      ASSERT_TRUE(put(field, execution, other_text(field)).ok()) << field.key;
      EXPECT_EQ(field.execution->print(execution), other_text(field)) << field.key;
      continue;
    }
    const Experiment e = with_other(field);
    EXPECT_NE(e, plain_experiment()) << field.key << ": the value of the test is the default";
    const std::string text = field.experiment ? field.experiment->print(e) : field.run->print(e.runs[1]);
    EXPECT_EQ(text, other_text(field));
    Experiment again = plain_experiment();
    const auto fine = field.experiment ? put(field, again, text) : put(field, again.runs[1], text);
    ASSERT_TRUE(fine.ok()) << field.key;
    EXPECT_EQ(again, e) << field.key;
  }
}

TEST(Fields, OfARunsOwnAreLaidOverAndGivenUpWhenTheExperimentSaysThem) {
  for (const Field& field : fields()) {
    if (!field.experiment || !field.run) continue;
    Experiment e = plain_experiment();
    if (field.scope == Scope::mesh) e.runs[1].mesh = Mesh::parse("x=2,y=2").value();
    ASSERT_TRUE(put(field, e.runs[1], other_text(field)).ok()) << field.key;
    EXPECT_NE(e, plain_experiment()) << field.key;
    ASSERT_TRUE(put(field, e, field.experiment->print(plain_experiment())).ok()) << field.key;
    EXPECT_EQ(field.run->print(e.runs[1]), "") << field.key;
  }
}

TEST(Fields, GoThroughAFileUnchanged) {
  for (const Field& field : fields()) {
    if (field.execution) continue;
    const Experiment e = with_other(field);
    const std::string text = experiment_toml(e);
    const auto back = parse_experiment(text, "back.toml");
    ASSERT_TRUE(back.ok()) << field.key << ": " << back.error().text() << "\n" << text;
    EXPECT_EQ(*back, e) << field.key << "\n" << text;
  }
}

TEST(Fields, OfARunsOwnGoThroughAFileUnchanged) {
  for (const Field& field : fields()) {
    if (!field.experiment || !field.run) continue;
    Experiment e = plain_experiment();
    e.runs[1].problem = MatmulProblem{2, 4, 6, ElementType::f32, ElementType::f32};
    e.runs[1].mesh = Mesh::parse("x=4").value();
    e.runs[1].chip_wraps = true;
    ASSERT_TRUE(put(field, e.runs[1], field.key == "wrap" ? "x" : other_text(field)).ok()) << field.key;
    const auto back = parse_experiment(experiment_toml(e), "back.toml");
    ASSERT_TRUE(back.ok()) << field.key << ": " << back.error().text();
    EXPECT_EQ(*back, e) << field.key << "\n" << experiment_toml(e);
    EXPECT_EQ(parse_request_parts(request_parts_text(e, e.runs[1]))->run, e.runs[1]) << field.key;
  }
}

TEST(Fields, GoThroughTheRecordsJsonUnchanged) {
  for (const Field& field : fields()) {
    if (field.execution) continue;
    const Experiment e = with_other(field);
    const auto back = parse_request_parts(request_parts_text(e, e.runs[1]));
    ASSERT_TRUE(back.ok()) << field.key << ": " << back.error().text();
    EXPECT_EQ(back->experiment, e) << field.key;
    EXPECT_EQ(back->run, e.runs[1]) << field.key;
  }
}

TEST(Fields, AreToldByTheJsonOfARun) {
  for (const Field& field : fields()) {
    if (field.execution || field.key == "strategy") continue;
    // Only GPUs have nodes.
    const Hardware hardware = find_hardware(field.key == "place" ? "h100" : "tpu-v5e").value();
    const Experiment e = with_other(field);
    Request request = resolve(e, e.runs[1], hardware).value();
    const auto json = request_json(request);
    ASSERT_TRUE(json.contains(field.file)) << field.key;
    Experiment again = plain_experiment();
    const auto& value = json[field.file];
    const std::string text = value.is_boolean()  ? value.get<bool>() ? "on" : "off"
                             : value.is_string() ? value.get<std::string>()
                                                 : value.dump();
    const auto fine = field.experiment ? put(field, again, text) : put(field, again.runs[1], text);
    ASSERT_TRUE(fine.ok()) << field.key << " " << text;
    // Its mesh says of every axis whether it wraps.
    if (field.scope == Scope::mesh) continue;
    EXPECT_EQ(again, e) << field.key;
  }
}

TEST(Fields, RefuseWordsThatAreNoneAndNumbersOutOfRange) {
  for (const Field& field : fields()) {
    if (!field.experiment || field.values.empty()) continue;
    Experiment e = plain_experiment();
    EXPECT_FALSE(put(field, e, "no-such-word").ok()) << field.key;
    EXPECT_EQ(e, plain_experiment()) << field.key;
  }
  for (const Field& field : fields()) {
    if (!field.range) continue;
    EXPECT_FALSE(check_range(field, std::to_string(field.range->least - 1)).ok()) << field.key;
    EXPECT_TRUE(check_range(field, std::to_string(field.range->least)).ok()) << field.key;
  }
  EXPECT_EQ(check_range(*find_field("repeat"), "1000001").error().text(),
            "'repeat' must be at most 1000000, got 1000001");
}

TEST(Fields, AnswerTextsThatAreHardlyAny) {
  for (const Field& field : fields())
    for (const char* text : {"", " ", "x", "8x", "x8", "=", "a=", ",", ":", "(", "[", "-", "\xff"}) {
      Experiment e = plain_experiment();
      RunRequest run;
      ExecutionSettings execution;
      if (field.experiment) (void)put(field, e, text);
      if (field.run) (void)put(field, run, text);
      if (field.execution) (void)put(field, execution, text);
    }
  const Field* regions = find_field("regions");
  ASSERT_NE(regions, nullptr);
  Experiment e = plain_experiment();
  for (const char* text : {"", "x", "8x", "x8", "8x8x8"})
    EXPECT_EQ(put(*regions, e, text).error().kind, ErrorKind::invalid) << text;
}

TEST(Fields, AnotherDtypeBringsItsSumsAndAnExplicitOneStays) {
  Experiment e = plain_experiment();
  ASSERT_TRUE(put(*find_field("dtype"), e, "s32").ok());
  EXPECT_EQ(e.problem.accumulate, ElementType::s32);
  ASSERT_TRUE(put(*find_field("dtype"), e, "f16").ok());
  ASSERT_TRUE(put(*find_field("accumulate"), e, "bf16").ok());
  EXPECT_EQ(e.problem.accumulate, ElementType::bf16);
}

TEST(Fields, HelpNamesWhoReadsAnOptionAndEveryAlgorithm) {
  EXPECT_NE(help_text(*find_field("block")).find("summa.os"), std::string::npos);
  EXPECT_EQ(readers(*find_field("experts")), std::vector<std::string>{"moe.expert_parallel"});
  const Field& collective = *find_field("collective");
  for (const std::string& word : collective.values)
    EXPECT_NE(help_text(collective).find(word), std::string::npos) << word;
}

TEST(Fields, AStrategysIgnoredOptionsAreThoseItDoesNotRead) {
  RunRequest run{.strategy = "wang.os"};
  std::vector<std::string> set;
  for (const Field& field : fields()) {
    if (field.scope != Scope::run || !field.has(kOption)) continue;
    ASSERT_TRUE(put(field, run, other_text(field)).ok()) << field.key;
    set.push_back(field.key);
  }
  for (const Strategy& strategy : strategies()) {
    std::vector<std::string> expected;
    for (const std::string& key : set)
      if (!reads(strategy, *find_field(key))) expected.push_back(key);
    EXPECT_EQ(ignored_options(strategy, run), expected) << strategy.id;
  }
}

TEST(Record, DamagedTextIsAnErrorAndUnknownFieldsArePassedOver) {
  EXPECT_FALSE(parse_request_parts("").ok());
  EXPECT_FALSE(parse_request_parts("[]").ok());
  EXPECT_FALSE(parse_request_parts(R"({"experiment":[],"run":{}})").ok());
  EXPECT_FALSE(parse_request_parts(R"({"experiment":{"m":"x"},"run":{}})").ok());
  EXPECT_FALSE(parse_request_parts(R"({"experiment":{"runs":[1]},"run":{}})").ok());
  const auto newer = parse_request_parts(R"({"experiment":{"m":8,"of_tomorrow":1},"run":{}})");
  ASSERT_TRUE(newer.ok());
  EXPECT_EQ(newer->experiment.problem.m, 8);
}

}  // namespace
}  // namespace shardscope
