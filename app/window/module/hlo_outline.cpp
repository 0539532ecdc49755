// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_outline.h"

namespace shardscope::inline window {

HloOutline::HloOutline(QWidget* parent) : OutlineTree(parent) {
  setObjectName("HLO outline");
  connect(this, &OutlineTree::chosen, this, [this](int instruction) {
    if (reading_ != nullptr)
      Q_EMIT instructionChosen(
          QString::fromStdString(reading_->explained.module().by_global_index(instruction).name));
  });
}

void HloOutline::setReading(const HloReadingPtr& reading) {
  reading_ = reading;
  setOutline(reading == nullptr ? nullptr : std::shared_ptr<const Outline>(reading, &reading->outline));
}

void HloOutline::show(const QString& instruction) {
  if (reading_ == nullptr) return;
  const std::string name = instruction.toStdString();
  int32_t index = 0;
  for (const Computation& c : reading_->explained.module().computations) {
    for (const Instruction& i : c.instructions) {
      if (i.name == name) return follow(index);
      ++index;
    }
  }
}

}  // namespace shardscope::inline window
