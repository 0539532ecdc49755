// SPDX-License-Identifier: Apache-2.0
#include "app/window/present/stage.h"

#include <QLabel>

#include "app/window/document/language.h"
#include "app/window/runs/make_run_canvas.h"

namespace shardscope::inline window {
namespace {

// Stands in a dock for what is lent, and takes that along when the dock goes.
class Placeholder : public QLabel {
 public:
  explicit Placeholder(QWidget* lent)
      : QLabel("This is being presented. Esc brings it back."_tr), lent_(lent) {
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    setProperty("role", "muted");
  }
  ~Placeholder() override {
    if (lent_ != nullptr && !returned) delete lent_;
  }
  bool returned = false;

 private:
  QPointer<QWidget> lent_;
};

const RunView* view_of(const QString& id) {
  for (const RunView& view : run_views()) {
    if (id == view.id) return &view;
  }
  return nullptr;
}

}  // namespace

LentWidget::LentWidget(const DockArea::Made& made, const Preferences& preferences)
    : made_(made), preferences_(preferences), lent_(made.dock->widget()) {
  auto* place = new Placeholder(lent_);
  place_ = place;
  made_.dock->setWidget(place);
}

LentWidget::~LentWidget() {
  if (lent_ == nullptr || place_ == nullptr) return;
  static_cast<Placeholder*>(place_.data())->returned = true;
  setTheme(preferences_.theme());
  made_.dock->setWidget(lent_);
  lent_->show();
  delete place_;
}

void LentWidget::setTheme(const Theme& theme) const {
  if (lent_ != nullptr && made_.row->set_theme) made_.row->set_theme(made_.widget, theme);
}

Stage::Stage(const Context& context, QWidget* parent)
    : QWidget(parent), context_(context), layout_(new QHBoxLayout(this)) {
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(1);
}

Stage::~Stage() = default;

QWidget* Stage::widgetOf(const QString& id) {
  if (const RunView* view = view_of(id)) {
    RunCanvas*& canvas = canvases_[id];
    if (canvas == nullptr) {
      canvas = make_run_canvas(*view, context_.bench.clock(), this);
      canvas->setFocusPolicy(Qt::NoFocus);  // the keys are the talk's
      // As the speaker has it; a plane fits its new room.
      if (view->moves == RunView::Moves::time) canvas->restore(context_.docks.widget<RunCanvas>(id)->state());
    }
    return canvas;
  }
  const DockArea::Made* made = context_.docks.make(id);
  if (made == nullptr) return nullptr;
  std::unique_ptr<LentWidget>& lent = lent_[id];
  if (lent == nullptr) lent = std::make_unique<LentWidget>(*made, context_.preferences);
  return lent->widget();
}

void Stage::show(const QStringList& docks) {
  if (docks == shown_) return;
  shown_ = docks;
  for (const auto& [id, canvas] : canvases_) canvas->setVisible(docks.contains(id));
  std::erase_if(lent_, [&](const auto& each) { return !docks.contains(each.first); });
  for (const QString& id : docks) {
    QWidget* widget = widgetOf(id);
    if (widget == nullptr) continue;
    layout_->removeWidget(widget);
    layout_->addWidget(widget, 1);
    widget->show();
  }
  setTheme(theme_);
  setSpotlight(spotlight_);
}

void Stage::setTheme(const Theme& theme) {
  theme_ = theme;
  for (const auto& [id, canvas] : canvases_) canvas->setTheme(theme);
  for (const auto& [id, lent] : lent_) lent->setTheme(theme);
  if (!lent_.empty()) setStyleSheet(style_sheet(theme));
}

void Stage::setSpotlight(bool on) {
  spotlight_ = on;
  for (const auto& [id, canvas] : canvases_) canvas->setSpotlight(on);
}

RunCanvas* Stage::canvas() const {
  for (const QString& id : shown_) {
    if (const auto found = canvases_.find(id); found != canvases_.end()) return found->second;
  }
  return nullptr;
}

}  // namespace shardscope::inline window
