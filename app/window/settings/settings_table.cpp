// SPDX-License-Identifier: Apache-2.0
#include "app/window/settings/new_experiment.h"
#include "app/window/settings/settings.h"
#include "engine/base/say.h"
#include "engine/session/session.h"
#include "engine/story/sentences.h"

namespace shardscope::inline window {
namespace {

QList<SettingChoice> language_choices() {
  QList<SettingChoice> out;
  for (const Language& each : languages())
    out << SettingChoice{QString::fromStdString(each.id), QString::fromStdString(each.title)};
  return out;
}

std::vector<Setting> look_settings() {
  return {
      {.id = "dark",
       .section = "look",
       .title = to_say("Dark theme"),
       .tip = to_say("Light on dark"),
       .first = false},
      {.id = "scale",
       .section = "look",
       .title = to_say("Size of the interface"),
       .tip = to_say("From 100 % to 300 %, for projectors and for tired eyes"),
       .first = 1.0,
       .least = 1,
       .most = 3,
       .step = 0.25},
      {.id = "reduce_motion",
       .section = "look",
       .title = to_say("Reduce motion"),
       .tip = to_say("Blocks jump from step to step instead of moving"),
       .first = false},
      {.id = "language",
       .section = "look",
       .title = to_say("Language"),
       .tip = to_say("A change is seen from the next start"),
       .first = QString("en"),
       .choices = language_choices},
  };
}

QList<SettingChoice> levels() {
  const auto words = [](SentenceLevel level) {
    switch (level) {
      case SentenceLevel::idea:
        return to_say("The idea");
      case SentenceLevel::moves:
        return to_say("Who sends what");
      case SentenceLevel::program:
        return to_say("The program's line");
    }
    return "";
  };
  QList<SettingChoice> out;
  for (const SentenceLevel level : sentence_levels()) out << SettingChoice{name(level), words(level)};
  return out;
}

std::vector<Setting> telling_settings() {
  return {
      {.id = "sentences",
       .section = "telling",
       .title = to_say("Sentences"),
       .tip = to_say("What the status bar and a presentation say about each step"),
       .first = QString("idea"),
       .choices = levels},
      {.id = "plays_in_time",
       .section = "telling",
       .title = to_say("Play in proportion to time"),
       .tip = to_say("Off: a step a second"),
       .first = false},
  };
}

// A field of an experiment as the setting that new ones begin with.
Setting of_field(const NewField& row) {
  const Field& field = *find_field(row.key);
  Setting out{.id = QString("new.%1").arg(row.key),
              .section = "new",
              .title = row.title,
              .tip = QString::fromStdString(field.help),
              .first = QString(row.first)};
  const std::vector<std::string> values = row.hardware ? hardware_preset_names() : field.values;
  if (!values.empty()) {
    out.choices = [values] {
      QList<SettingChoice> all;
      for (const std::string& each : values)
        all << SettingChoice{QString::fromStdString(each), QString::fromStdString(each)};
      return all;
    };
  } else {
    out.refusal = [&field](const QString& text) {
      Experiment probe;
      const auto refused = put(field, probe, text.toStdString());
      return refused.ok() ? QString() : QString::fromStdString(refused.error().text());
    };
  }
  return out;
}

QList<SettingChoice> preset_choices() {
  QList<SettingChoice> out;
  for (const ExperimentPreset& preset : experiment_presets())
    out << SettingChoice{QString::fromStdString(preset.name), QString::fromStdString(preset.title)};
  return out;
}

std::vector<Setting> new_settings() {
  std::vector<Setting> out;
  out.push_back({.id = "start.preset",
                 .section = "new",
                 .title = to_say("The window starts with"),
                 .tip = to_say("The preset that a window opens when it is started without a file"),
                 .first = QString("teaching"),
                 .choices = preset_choices});
  for (const NewField& field : new_fields()) out.push_back(of_field(field));
  out.push_back(
      {.id = "new.numerics",
       .section = "new",
       .title = to_say("Check numerics"),
       .tip = to_say("Compute every run's result and hold it against the reference; Run > Check numerics "
                     "changes it for one window"),
       .first = true});
  return out;
}

std::vector<Setting> memory_settings() {
  return {
      {.id = "memory.earlier_mib",
       .section = "memory",
       .title = to_say("Runs of earlier experiments in memory"),
       .tip = to_say(
           "The newest stay in memory up to this size; others are read from the workspace when asked for"),
       .first = 64,
       .least = 0,
       .most = 16384,
       .step = 16,
       .unit = "MiB"},
      {.id = "memory.events",
       .section = "memory",
       .title = to_say("Events kept of a run"),
       .tip = to_say("Above this many events only totals are kept; applies from the next run"),
       .first = 20,
       .least = 1,
       .most = 1000,
       .step = 1,
       .unit = to_say("million")},
      {.id = "journal.most_mib",
       .section = "memory",
       .title = to_say("Largest journal"),
       .tip = to_say("The journal keeps unsaved edits and runs; above this size the oldest runs of earlier "
                     "experiments are removed"),
       .first = 1024,
       .least = 16,
       .most = 65536,
       .step = 64,
       .unit = "MiB"},
  };
}

std::vector<Setting> remembered_settings() {
  const auto row = [](const char* id, const char* title, const char* tip, QVariant first) {
    return Setting{.id = id,
                   .section = "remembered",
                   .title = title,
                   .tip = tip,
                   .first = std::move(first),
                   .remembered = true};
  };
  return {
      row("lesson_steps", to_say("Lessons begun"), to_say("The step that was reached in each lesson"),
          QStringList()),
      row("recent_files", to_say("Recent files"), to_say("The list in File > Recent files"), QStringList()),
      row("recent_commands", to_say("Recent commands"), to_say("Those that the command palette lists first"),
          QStringList()),
      row("folders", to_say("Folders of files"),
          to_say("Where the last file of each kind was opened or written"), QVariantMap()),
      row("kernel", to_say("The kernel that was shown"), to_say("What the Kernel view opens with"),
          QString()),
      row("pages", to_say("Arrangements of the pages"),
          to_say("Where views stand on each page, and which page is in front"), QByteArray()),
      row("runs_columns", to_say("Columns of the runs"),
          to_say("Which columns the table of runs has, in which order, how wide and sorted by which"),
          QByteArray()),
      row("sql", to_say("Queries"), to_say("The history and the saved queries of the SQL view"),
          QByteArray()),
      row("tour", to_say("The tour"),
          to_say("That it was shown: forgotten, it is shown again at the next start"), false),
      row("journal/declined", to_say("Work that you did not restore"),
          to_say("Earlier windows whose work you did not restore"), QString()),
  };
}

std::vector<Setting> make_table() {
  std::vector<Setting> out;
  for (const auto& part :
       {look_settings(), telling_settings(), new_settings(), memory_settings(), remembered_settings()})
    out.insert(out.end(), part.begin(), part.end());
  out.push_back({.id = "keys", .section = "keys", .first = QString("{}")});  // what a KeyMap writes
  return out;
}

}  // namespace

const std::vector<SettingSection>& setting_sections() {
  static const std::vector<SettingSection> kSections = {
      {"look", to_say("Look"), to_say("How the window looks")},
      {"telling", to_say("Playing"), to_say("How the window plays and tells a run")},
      {"new", to_say("New experiments"), to_say("What a window and a new experiment begin with")},
      {"memory", to_say("Memory and journal"), to_say("How much is held in memory and in the journal")},
      {"keys", to_say("Keys"), to_say("The key of every command")},
      {"remembered", to_say("Remembered"), to_say("What the window remembers by itself between starts")},
  };
  return kSections;
}

const std::vector<Setting>& settings_table() {
  static const std::vector<Setting> kRows = make_table();
  return kRows;
}

}  // namespace shardscope::inline window
