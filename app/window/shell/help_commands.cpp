// SPDX-License-Identifier: Apache-2.0
// Commands that explain the window.
#include <QMessageBox>

#include "app/report/made_now.h"
#include "app/window/dialogs/key_overview.h"
#include "app/window/dialogs/preferences_dialog.h"
#include "app/window/docks/dock_area.h"
#include "app/window/document/language.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/help.h"
#include "app/window/shell/tour.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kHelp = to_say("&Help");

void show_keys(const Context& c) {
  auto* overview = new KeyOverview(c.preferences.keys(), &c.window);
  QObject::connect(
      overview, &KeyOverview::changeRequested, &c.window,
      [&preferences = c.preferences, &window = c.window] { show_preferences(preferences, &window, "keys"); });
  overview->show();
}

void show_about(const Context& c) {
  QMessageBox::about(
      &c.window, "Shardscope",
      "Shardscope %1\n\nSharded matrix multiplication on device meshes: every strategy run, "
      "timed, compared and seen.\n\nApache License 2.0"_tr.arg(QString::fromStdString(built_version())));
}

}  // namespace

std::vector<Command> help_commands() {
  return {
      {.id = "help.commands",
       .menu = kHelp,
       .title = "&Commands…"_tr,
       .keys = {QKeySequence("Ctrl+K")},
       .run = show_palette},
      {.id = "help.this",
       .menu = kHelp,
       .title = "&Explain this"_tr,
       .keys = {QKeySequence("F1")},
       .run = [](const Context& c) { show_help(c, help_topic_of(c, c.window.focusWidget())); },
       .tip = "What has the focus, and how to read it"_tr},
      {.id = "help.topics",
       .menu = kHelp,
       .title = "&Help…"_tr,
       .run = [](const Context& c) { show_help(c, "window"); }},
      {.id = "help.tour",
       .menu = kHelp,
       .title = "A short &tour"_tr,
       .run = [](const Context& c) { start_tour(c); },
       .tip = "Five things in the window; Esc leaves"_tr},
      // Some platforms report the Shift that the character needs.
      {.id = "help.keys",
       .menu = kHelp,
       .title = "&Keys…"_tr,
       .keys = {QKeySequence("?"), QKeySequence("Shift+?")},
       .run = show_keys,
       .line = true},
      {.id = "help.change_keys",
       .menu = kHelp,
       .title = "C&hange keys…"_tr,
       .run = [](const Context& c) { show_preferences(c.preferences, &c.window, "keys"); }},
      {.id = "help.about", .menu = kHelp, .title = "&About Shardscope"_tr, .run = show_about, .line = true},
  };
}

}  // namespace shardscope::inline window
