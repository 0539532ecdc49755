// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_twin.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"

namespace shardscope::inline window {
KernelTwin::KernelTwin(KernelPlayer& broken, QWidget* parent)
    : QWidget(parent),
      broken_(broken),
      canvas_(new KernelCanvas(player_, this)),
      texts_(new KernelFixCanvas(broken, this)),
      beside_(new QPushButton("Run the mended twin beside it"_tr, this)),
      instead_(new QPushButton("Load the twin"_tr, this)) {
  layOut();
  connect(beside_, &QPushButton::toggled, this, [this] { load(); });
  connect(instead_, &QPushButton::clicked, this, &KernelTwin::wanted);
  connect(&broken_, &KernelPlayer::changed, this, [this] { player_.setStep(broken_.step()); });
  connect(&broken_, &KernelPlayer::kernelChanged, this, &KernelTwin::load);
}

void KernelTwin::layOut() {
  canvas_->setAccessibleName("The mended twin on the same schedule"_tr);
  canvas_->hide();
  beside_->setCheckable(true);
  beside_->setToolTip("The mended kernel below this one, on the same schedule and at the same step"_tr);
  instead_->setToolTip("The mended kernel instead of this one, on the same schedule"_tr);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 6, 8, 6);
  line->addWidget(beside_);
  line->addWidget(instead_);
  line->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(line);
  column->addWidget(texts_, 1);
}

void KernelTwin::load() {
  const ShownKernelPtr& shown = broken_.shown();
  const bool can = shown && shown->entry.broken && shown->twin;
  beside_->setEnabled(can);
  instead_->setEnabled(can);
  canvas_->setVisible(can && beside_->isChecked());
  if (!can || !beside_->isChecked()) return work_.cancel();
  KernelChoice choice = shown->choice;
  choice.kernel = shown->entry.mended;
  work_.start([choice](std::stop_token) { return show_kernel(choice); },
              [this](const Result<ShownKernelPtr>& made) {
                if (!made.ok()) return canvas_->setMessage(in_window(made.error()), true);
                player_.show(*made);
                player_.setStep(broken_.step());
              });
}

}  // namespace shardscope::inline window
