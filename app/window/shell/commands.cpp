// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/commands.h"

#include <algorithm>

#include "app/window/docks/dock_area.h"
#include "app/window/document/language.h"
#include "app/window/experiment/experiment_form.h"
#include "app/window/settings/view_keys.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/command_palette.h"
#include "app/window/shell/help.h"
#include "engine/base/units.h"

namespace shardscope::inline window {
namespace {

void add_commands(const Context& c, std::vector<PaletteEntry>& entries) {
  for (QAction* each : window_actions(c.window)) {
    if (!each->isEnabled()) continue;
    const QString id = each->objectName(), name = id.section('.', -1);
    const QString beside = id.startsWith("preset.") ? "preset %1"_tr.arg(name)
                                                    : each->shortcut().toString(QKeySequence::NativeText);
    entries.push_back({QString(each->text()).remove('&'), beside, [each] { each->trigger(); }, id, {name}});
  }
}

// Chosen, it is selected in the experiment's list.
void add_strategies(const Context& c, std::vector<PaletteEntry>& entries) {
  for (const Strategy& strategy : strategies()) {
    const auto text = [](std::string_view view) { return QString::fromStdString(std::string(view)); };
    const QString id = text(strategy.id);
    QStringList aliases;
    for (const auto alias : strategy.aliases) aliases << text(alias);
    entries.push_back({"Strategy %1: %2"_tr.arg(id, text(strategy.title)), aliases.join(", "),
                       [c, id] {
                         c.docks.go("experiment");
                         StrategyList* list = c.docks.widget<ExperimentForm>("experiment")->strategies();
                         list->select(id);
                         list->setFocus(Qt::ShortcutFocusReason);
                       },
                       "strategy." + id, QStringList{id, text(strategy.title)} + aliases});
  }
}

void add_runs(const Context& c, std::vector<PaletteEntry>& entries) {
  for (const RunSummary& run : c.bench.runs().rows())
    entries.push_back({"Show run %1: %2"_tr.arg(run.id).arg(QString::fromStdString(run.strategy)),
                       QString::fromStdString(format_picoseconds(run.total)),
                       [c, id = run.id] { c.bench.presenter().show(id); }, ""});
}

void add_help(const Context& c, std::vector<PaletteEntry>& entries) {
  for (const HelpEntry& entry : help_entries(c.preferences.keys()))
    entries.push_back({"Help: %1"_tr.arg(entry.title),
                       entry.group,
                       [c, id = entry.id] { show_help(c, id); },
                       "",
                       {entry.title}});
}

}  // namespace

// Those chosen last come first. Everything goes to somewhere: nothing is put away from here.
void show_palette(const Context& c) {
  std::vector<PaletteEntry> entries;
  add_commands(c, entries);
  add_runs(c, entries);
  add_strategies(c, entries);
  add_help(c, entries);
  const QStringList recent = c.preferences.settings().value("recent_commands").toStringList();
  const auto place = [&](const PaletteEntry& entry) {
    const qsizetype at = entry.id.isEmpty() ? -1 : recent.indexOf(entry.id);
    return at < 0 ? recent.size() : at;
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const PaletteEntry& a, const PaletteEntry& b) { return place(a) < place(b); });
  for (PaletteEntry& entry : entries) {
    if (entry.id.isEmpty()) continue;
    entry.choose = [choose = entry.choose, id = entry.id, &preferences = c.preferences] {
      preferences.addRecent("recent_commands", id);
      choose();
    };
  }
  (new CommandPalette("Type a command, a run, a strategy, a preset or a view"_tr, std::move(entries),
                      &c.window))
      ->show();
}

std::vector<Command> commands() {
  std::vector<Command> rows;
  for (const auto& menu : {file_commands(), edit_commands(), run_commands(), view_commands(),
                           compare_commands(), kernel_commands(), lesson_commands(), help_commands()})
    rows.insert(rows.end(), menu.begin(), menu.end());
  return rows;
}

std::vector<KeyRow> key_rows() {
  std::vector<KeyRow> rows;
  for (const Command& command : commands()) {
    if (command.fill) continue;
    QList<QKeySequence> keys = command.keys;
    keys.removeAll(QKeySequence());  // a standard key that this platform does not have
    rows.push_back(
        {.id = command.id, .title = QString(command.title).remove('&'), .focus = kEverywhere, .first = keys});
  }
  for (KeyRow row : view_keys()) {
    row.title = spoken(row.title);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace shardscope::inline window
