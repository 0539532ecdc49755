// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <cstdint>
#include <functional>
#include <string>

#include "views/scene/core/layouts.h"
#include "views/scene/core/scene.h"

namespace shardscope::inline views {

// A widget that shows a Scene, to screen readers too. Lays out only when told that something changed, draws
// only when the picture does: an idle view makes no frames.
class SceneView : public QWidget {
  Q_OBJECT
 public:
  explicit SceneView(QWidget* parent = nullptr);

  const Scene& scene() const;  // laid out again when needed
  void invalidate();           // what the view shows changed
  int64_t frames() const { return frames_; }
  int64_t layouts() const { return layouts_; }  // made for the widget so far
  void setTheme(const Theme& theme);
  const Theme& theme() const { return theme_; }
  // How its texts are read from now on, tooltips too: a question covers its answer. Empty: as they are.
  void setReading(std::function<std::string(const std::string&)> reading);
  const std::function<std::string(const std::string&)>& reading() const { return reading_; }
  Canvas canvas() const;  // size, theme and text measure as layouts want them
  // The picture at a size of its own, for exports.
  Scene sceneAt(const Canvas& canvas) const { return layout(canvas); }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  virtual Scene layout(const Canvas& canvas) const = 0;

  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* surface_ = nullptr;
  Theme theme_;
  std::function<std::string(const std::string&)> reading_;
  mutable Scene scene_;
  mutable bool dirty_ = true;
  mutable int64_t layouts_ = 0;
  int64_t frames_ = 0;
};

}  // namespace shardscope::inline views
