// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/profile_dock.h"

#include <QFileDialog>

#include "app/window/docks/dock_area.h"
#include "app/window/docks/file_kinds.h"
#include "app/window/document/language.h"
#include "app/window/runs/beside_panel.h"
#include "engine/measure/import/format.h"

namespace shardscope::inline window {

ProfilePanel* make_profile(const Context& c) {
  auto* panel = new ProfilePanel(c.bench, &c.window);
  QObject::connect(panel, &ProfilePanel::filesRequested, panel, [c, panel] {
    const QStringList files = QFileDialog::getOpenFileNames(
        &c.window, "Open a profile"_tr, folder_of(c.preferences.settings(), "pb"), open_filter("profile"));
    if (files.isEmpty()) return;
    remember_folder(c.preferences.settings(), files.front());
    panel->open(files);
  });
  QObject::connect(panel, &ProfilePanel::moduleRequested, panel, [c, panel] {
    const QString path =
        QFileDialog::getOpenFileName(&c.window, "The compiled module of the profile"_tr,
                                     folder_of(c.preferences.settings(), "hlo"), open_filter("module"));
    if (!path.isEmpty()) panel->setModule(path);
  });
  QObject::connect(panel, &ProfilePanel::htmlRequested, panel, [c, panel] {
    if (panel->shown() != nullptr)
      c.saveText("Save as HTML"_tr, "profile.html", "Pages (*.html)"_tr, panel->page());
  });
  QObject::connect(panel, &ProfilePanel::kept, panel, [c] {
    if (const auto* made = c.docks.find("beside"); made != nullptr && made->widget != nullptr)
      static_cast<BesidePanel*>(made->widget)->listTraces();
  });
  return panel;
}

Result<void> open_profile(const Context& c, const QString& path) {
  c.docks.go("profile");
  c.docks.widget<ProfilePanel>("profile")->open({path});
  return {};
}

// XLA's own modules are .pb too: a profile's planes are called after host and devices.
bool is_profile(const QByteArray& head) {
  if (head.startsWith("\x1f\x8b")) return true;  // unzipped when it is read
  const auto format = format_of_bytes(head.toStdString(), "");
  if (!format.ok()) return false;
  switch (*format) {
    case ProfileFormat::json:
      return head.contains("\"traceEvents\"") || head.contains("\"ph\"");
    case ProfileFormat::xplane:
      return head.contains("/host:") || head.contains("/device:");
    case ProfileFormat::nsys:
      return true;
    case ProfileFormat::nccl_tests:
    case ProfileFormat::nccl_json:
    case ProfileFormat::csv:
      break;
  }
  return false;
}

}  // namespace shardscope::inline window
