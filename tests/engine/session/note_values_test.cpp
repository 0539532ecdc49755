// SPDX-License-Identifier: Apache-2.0
#include "engine/session/note_values.h"

#include <gtest/gtest.h>
#include <regex>

#include "engine/base/units.h"
#include "engine/session/session.h"

namespace shardscope::note_values_test {
namespace {

Experiment with_notes(const std::string& notes) {
  Experiment e = find_experiment("teaching").value();
  e.notes = notes;
  return e;
}

TEST(NoteValues, AreThoseOfTheRuns) {
  ExecutionOptions options;
  options.numerics = false;
  const Comparison runs = sweep(find_experiment("teaching").value(), options, {}).value();
  const Timeline& wang = runs.runs[1]->timeline;
  const EvaluatedNotes notes = evaluated_notes(with_notes(
      "a {runs.wang.os.total} b {runs.wang.os.bytes_sent}, {runs.wang.os.total / runs.wang.os.total}× {x}"));
  EXPECT_TRUE(notes.unknown.empty());
  EXPECT_EQ(notes.text, "a " + format_picoseconds(wang.total) + " b " +
                            format_bytes(mean_per_device(wang).bytes_sent) + ", 1.00× {x}");
}

TEST(NoteValues, WhatIsUnknownIsSaidAndMarked) {
  const auto error = [](const std::string& notes) {
    const EvaluatedNotes told = evaluated_notes(with_notes(notes));
    EXPECT_EQ(told.text, "?") << notes;
    return told.unknown.size() == 1 ? told.unknown.front().text() : "";
  };
  EXPECT_EQ(error("{runs.wang.so.total}"),
            "{runs.wang.so.total}: no run of 'wang.so'; did you mean wang.os?");
  EXPECT_EQ(error("{runs.wang.os.totl}"),
            "{runs.wang.os.totl}: no value 'totl' of a run; did you mean total?");
  EXPECT_EQ(error("{runs.wang.os#2.total}"),
            "{runs.wang.os#2.total}: 'wang.os' has 1 run; there is no 'wang.os#2'; name a run of the "
            "experiment");
  EXPECT_NE(error("{runs.wang.os}").find("no value 'os'"), std::string::npos);
  EXPECT_NE(error("{runs.wang.os.idle / runs.wang.os.idle}").find("divides by 0"), std::string::npos);
}

TEST(NoteValues, AFileIsRefusedWithTheLineOfItsNotes) {
  std::string text(experiment_preset_text("teaching"));
  const size_t notes = text.find("notes = \"") + 9;
  text.insert(notes, "{runs.wang.os.totals} ");
  const auto checked = check_notes(text, "teaching.toml");
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().where.substr(0, 16), "teaching.toml:3:") << checked.error().text();
}

// The numbers in them are references: none of them is unknown, and none stands there by itself with a unit.
TEST(PresetNotes, HaveNoNumberThatCanBeStale) {
  static const std::regex bare(
      "[0-9][0-9.,·/]* ?(?:elements|times as|µs|ms|ns|B|KiB|MiB|GiB|%|×)(?![A-Za-z0-9])");
  for (const ExperimentPreset& preset : experiment_presets()) {
    const std::string_view text = experiment_preset_text(preset.name);
    const auto checked = check_notes(text, preset.name + ".toml");
    EXPECT_TRUE(checked.ok()) << checked.error().text();
    std::smatch match;
    static const std::regex reference("\\{runs[^}]*\\}");
    const std::string notes = std::regex_replace(find_experiment(preset.name)->notes, reference, "");
    EXPECT_FALSE(std::regex_search(notes, match, bare)) << preset.name << ": " << match.str();
  }
}

}  // namespace
}  // namespace shardscope::note_values_test
