// SPDX-License-Identifier: Apache-2.0
#include "tests/app/use/session.h"

#include <QApplication>
#include <QDir>
#include <QTimer>
#include <filesystem>
#include <memory>

#include "app/window/shell/run_window.h"
#include "engine/session/hlo_presets.h"
#include "tests/app/use/burden.h"
#include "tests/app/use/user.h"
#include "tests/app/use/worker.h"

namespace shardscope {
namespace {

const SessionOptions* running_session = nullptr;
const SessionLog* session_log = nullptr;

// What can be opened and dropped, right and wrong.
void write_files(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
  };
  for (const char* preset : {"teaching", "cannon_4x4", "layers_4x4x2"})
    write(std::string(preset) + ".toml", std::string(experiment_preset_text(preset)));
  for (const HloPreset& preset : hlo_presets()) write(preset.name + ".hlo", preset.text);
  write("broken.toml", "title = \"\n[mesh");
  write("broken.hlo", "HloModule m\nENTRY e {\n  %a = f32[2,2] add(%b)\n}\n");
  write("empty.shardscope", "");
  write("no_database.shardscope", "this is not a database, whatever it is called");
  write("picture.png", std::string("\x89PNG\r\n\x1a\n\0\0", 10));
  write("table.csv", "a,b\n1,2\n");
}

// The window exists as soon as events are handled; before that nobody uses it.
void find_window() {
  for (QWidget* widget : QApplication::topLevelWidgets()) {
    auto* window = qobject_cast<MainWindow*>(widget);
    if (window == nullptr || !window->isVisible()) continue;
    switch (running_session->kind) {
      case SessionOptions::Kind::use:
      case SessionOptions::Kind::look:
        new User(*window, *running_session, *session_log);
        break;
      case SessionOptions::Kind::large:
        new Burden(*window, *running_session, *session_log);
        break;
      case SessionOptions::Kind::work:
      case SessionOptions::Kind::restore:
        new Worker(*window, *running_session, *session_log);
        break;
    }
    return;
  }
  QTimer::singleShot(10, qApp, find_window);
}

void begin_session() {
  if (running_session != nullptr) QTimer::singleShot(0, qApp, find_window);
}

struct Name {
  SessionOptions::Kind kind;
  const char* name;
};
constexpr Name kNames[] = {{SessionOptions::Kind::use, "use"},
                           {SessionOptions::Kind::look, "look"},
                           {SessionOptions::Kind::large, "large"},
                           {SessionOptions::Kind::work, "work"},
                           {SessionOptions::Kind::restore, "restore"}};

}  // namespace

const char* name(SessionOptions::Kind kind) {
  for (const Name& row : kNames)
    if (row.kind == kind) return row.name;
  return "";
}

SessionOptions::Kind kind_of_session(const std::string& name) {
  for (const Name& row : kNames)
    if (row.name == name) return row.kind;
  return SessionOptions::Kind::use;
}

int run_session(const SessionOptions& options) {
  const QString folder = QDir(QString::fromStdString(options.folder)).absolutePath();
  write_files((folder + "/files").toStdString());
  for (const char* variable : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
    qputenv(variable, folder.toUtf8());
  QDir::setCurrent(folder);
  const SessionLog log((folder + "/session.log").toStdString());
  write_stack_on_crash(log);
  SessionOptions absolute = options;
  absolute.folder = folder.toStdString();
  running_session = &absolute;
  session_log = &log;
  std::string program = "shardscope";
  char* arguments[] = {program.data(), nullptr};
  return run_window(1, arguments, {});
}

}  // namespace shardscope

using shardscope::begin_session;
Q_COREAPP_STARTUP_FUNCTION(begin_session)
