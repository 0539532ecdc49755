// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QBoxLayout>
#include <QPointer>
#include <map>
#include <memory>
#include <vector>

#include "app/window/docks/dock_area.h"
#include "app/window/runs/run_canvas.h"

namespace shardscope::inline window {

// A dock's widget shown elsewhere for a while. In its place stands a word on where it is; the widget goes
// back when this ends, and with its dock when that ends first.
class LentWidget {
 public:
  LentWidget(const DockArea::Made& made, const Preferences& preferences);
  ~LentWidget();
  LentWidget(const LentWidget&) = delete;
  LentWidget& operator=(const LentWidget&) = delete;

  QWidget* widget() const { return lent_; }  // null: its dock is gone
  void setTheme(const Theme& theme) const;

 private:
  const DockArea::Made& made_;
  const Preferences& preferences_;
  QPointer<QWidget> lent_, place_;
};

// The pictures that a class sees: views of the run drawn anew for their distance, other docks as they are.
class Stage : public QWidget {
 public:
  explicit Stage(const Context& context, QWidget* parent = nullptr);
  ~Stage() override;

  void show(const QStringList& docks);  // side by side; of others than the table's nothing
  const QStringList& shown() const { return shown_; }
  void setTheme(const Theme& theme);
  void setSpotlight(bool on);
  RunCanvas* canvas() const;  // the first one shown; null: none is

 private:
  QWidget* widgetOf(const QString& id);

  const Context context_;
  QHBoxLayout* layout_;
  QStringList shown_;
  Theme theme_;
  bool spotlight_ = false;
  std::map<QString, RunCanvas*> canvases_;
  std::map<QString, std::unique_ptr<LentWidget>> lent_;
};

}  // namespace shardscope::inline window
