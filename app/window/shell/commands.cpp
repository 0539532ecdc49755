// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/commands.h"

#include <QMessageBox>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/command_palette.h"
#include "app/window/shell/key_overview.h"

namespace shardscope {
namespace {

constexpr const char* kHelp = to_say("&Help");

// Those chosen last come first.
void show_palette(const Context& c) {
  QList<QAction*> actions = window_actions(c.window);
  const QStringList recent = c.preferences.recentCommands();
  const auto place = [&](const QAction* action) {
    const qsizetype at = recent.indexOf(action->objectName());
    return at < 0 ? recent.size() : at;
  };
  std::stable_sort(actions.begin(), actions.end(),
                   [&](const QAction* a, const QAction* b) { return place(a) < place(b); });
  std::vector<PaletteEntry> entries;
  for (QAction* each : actions) {
    if (!each->isEnabled()) continue;
    entries.push_back({QString(each->text()).remove('&'), each->shortcut().toString(QKeySequence::NativeText),
                       [each, &preferences = c.preferences] {
                         preferences.addRecentCommand(each->objectName());
                         each->trigger();
                       }});
  }
  (new CommandPalette("Type a command"_tr, std::move(entries), &c.window))->show();
}

void show_about(const Context& c) {
  QMessageBox::about(&c.window, "Shardscope",
                     "Shardscope %1\n\nSharded matrix multiplication on device meshes: every strategy run, "
                     "timed, compared and seen.\n\nApache License 2.0"_tr.arg(SHARDSCOPE_VERSION));
}

std::vector<Command> help_commands() {
  return {
      {.id = "help.commands",
       .menu = kHelp,
       .title = "&Commands…"_tr,
       .keys = {QKeySequence("Ctrl+K")},
       .run = show_palette},
      // Some platforms report the Shift that the character needs.
      {.id = "help.keys",
       .menu = kHelp,
       .title = "&Keys…"_tr,
       .keys = {QKeySequence("?"), QKeySequence("Shift+?")},
       .run = [](const Context& c) { (new KeyOverview(window_actions(c.window), &c.window))->show(); }},
      {.id = "help.about", .menu = kHelp, .title = "&About Shardscope"_tr, .run = show_about, .line = true},
  };
}

}  // namespace

std::vector<Command> commands() {
  std::vector<Command> rows;
  for (const auto& menu : {file_commands(), edit_commands(), run_commands(), view_commands(),
                           compare_commands(), kernel_commands(), help_commands()})
    rows.insert(rows.end(), menu.begin(), menu.end());
  return rows;
}

}  // namespace shardscope
