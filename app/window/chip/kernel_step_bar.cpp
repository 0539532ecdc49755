// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_step_bar.h"

#include <QHBoxLayout>

#include "app/window/document/language.h"
#include "app/window/widgets/icons.h"

namespace shardscope::inline window {

KernelStepBar::KernelStepBar(KernelMoments& moments, QWidget* parent)
    : QWidget(parent),
      moments_(moments),
      transport_(moments),
      first_(new QToolButton(this)),
      previous_(new QToolButton(this)),
      play_(new QToolButton(this)),
      next_(new QToolButton(this)),
      last_(new QToolButton(this)),
      bar_(new StepBar(transport_, this)),
      theme_(light_theme()) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 2, 8, 2);
  row->setSpacing(2);
  const auto button = [&](QToolButton* each, const QString& tip, auto act) {
    each->setToolTip(tip);
    each->setAccessibleName(tip);
    row->addWidget(each);
    connect(each, &QToolButton::clicked, this, act);
  };
  button(first_, "Before the first step (Home)"_tr, [this] { moments_.goTo(0); });
  button(previous_, "Step back (Left)"_tr, [this] { moments_.stepBy(-1); });
  button(play_, "Play (Space)"_tr, [this] { moments_.play(!moments_.playing()); });
  button(next_, "Step on (Right)"_tr, [this] { moments_.stepBy(1); });
  button(last_, "Last step (End)"_tr, [this] { moments_.goTo(moments_.last()); });
  row->addWidget(bar_, 1);
  connect(&moments_, &Moments::playingChanged, this, [this] { setTheme(theme_); });
}

void KernelStepBar::setTheme(const Theme& theme) {
  theme_ = theme;
  bar_->setTheme(theme);
  const QColor ink(theme.text.r, theme.text.g, theme.text.b);
  const int px = static_cast<int>(13 * theme.scale);
  const auto icon = [&](QToolButton* button, const char* name) {
    button->setIcon(make_icon(name, ink, px));
    button->setIconSize({px, px});
  };
  icon(first_, "first");
  icon(previous_, "previous");
  icon(play_, moments_.playing() ? "pause" : "play");
  icon(next_, "next");
  icon(last_, "last");
}

}  // namespace shardscope::inline window
