// SPDX-License-Identifier: Apache-2.0
#include "views/host/canvas_accessible.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <map>

#include "views/host/scene_view.h"

namespace shardscope::inline views {
namespace {

// One item of a scene, by its place in Scene::accessible(). It reads the scene each time it is asked, so it
// is never out of date; a place that is gone is invalid.
class ItemAccessible : public QAccessibleInterface {
 public:
  ItemAccessible(const SceneView* canvas, int place) : canvas_(canvas), place_(place) {}
  bool isValid() const override { return item() != nullptr; }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* childAt(int /*x*/, int /*y*/) const override { return nullptr; }
  QAccessibleInterface* parent() const override {
    return QAccessible::queryAccessibleInterface(const_cast<SceneView*>(canvas_));
  }
  QAccessibleInterface* child(int /*index*/) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface* /*child*/) const override { return -1; }
  QString text(QAccessible::Text kind) const override {
    return kind == QAccessible::Name && isValid() ? QString::fromStdString(item()->name) : QString();
  }
  void setText(QAccessible::Text /*kind*/, const QString& /*text*/) override {}
  QRect rect() const override {
    if (!isValid()) return {};
    const Rect r = item()->rect;
    const QRect local(static_cast<int>(r.x), static_cast<int>(r.y), static_cast<int>(r.w),
                      static_cast<int>(r.h));
    return {canvas_->mapToGlobal(local.topLeft()), local.size()};
  }
  QAccessible::Role role() const override { return QAccessible::Graphic; }
  QAccessible::State state() const override { return {}; }

 private:
  const AccessibleItem* item() const {
    const auto& items = canvas_->scene().accessible();
    return static_cast<size_t>(place_) < items.size() ? &items[static_cast<size_t>(place_)] : nullptr;
  }
  const SceneView* canvas_;
  int place_;
};

class CanvasAccessible : public QAccessibleWidget {
 public:
  explicit CanvasAccessible(SceneView* canvas)
      : QAccessibleWidget(canvas, QAccessible::Canvas, canvas->objectName()), canvas_(canvas) {}
  ~CanvasAccessible() override {
    for (const auto& [place, id] : children_) QAccessible::deleteAccessibleInterface(id);
  }
  int childCount() const override { return static_cast<int>(canvas_->scene().accessible().size()); }
  QAccessibleInterface* child(int index) const override {
    if (index < 0 || index >= childCount()) return nullptr;
    const auto known = children_.find(index);
    if (known != children_.end()) return QAccessible::accessibleInterface(known->second);
    auto* made = new ItemAccessible(canvas_, index);
    children_[index] = QAccessible::registerAccessibleInterface(made);
    return made;
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    for (const auto& [place, id] : children_) {
      if (QAccessible::accessibleInterface(id) == child) return place;
    }
    return -1;
  }

 private:
  SceneView* canvas_;
  mutable std::map<int, QAccessible::Id> children_;
};

QAccessibleInterface* make_accessible(const QString& /*class_name*/, QObject* object) {
  auto* canvas = qobject_cast<SceneView*>(object);
  return canvas != nullptr ? new CanvasAccessible(canvas) : nullptr;
}

}  // namespace

void install_canvas_accessibility() {
  static const bool installed = [] {
    QAccessible::installFactory(make_accessible);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace shardscope::inline views
