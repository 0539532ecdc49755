// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_moments.h"

#include <algorithm>

#include "app/window/document/language.h"
#include "views/scene/chip/kernel_details.h"

namespace shardscope::inline window {

KernelMoments::KernelMoments(KernelPlayer& player, KernelCanvas& canvas, QObject* parent)
    : Moments(parent), player_(player), canvas_(canvas) {
  connect(&player_, &KernelPlayer::changed, this, &Moments::changed);
  connect(&player_, &KernelPlayer::speedChanged, this, &Moments::changed);
  connect(&player_, &KernelPlayer::playingChanged, this, &Moments::playingChanged);
  connect(&canvas_, &KernelCanvas::selectionChanged, this, &Moments::changed);
}

QString KernelMoments::who() const {
  return player_.shown() ? QString::fromStdString(player_.shown()->layout.kernel) : QString();
}

QString KernelMoments::words() const {
  if (busy_) return "preparing …"_tr;
  if (!player_.canStep()) return "no steps"_tr;
  if (at() == 0) return "before step 1 of %1"_tr.arg(last());
  return "step %1 of %2"_tr.arg(at()).arg(last());
}

QString KernelMoments::sentence() const {
  return player_.canStep() ? QString::fromStdString(narrate_kernel(canvas_.input())) : QString();
}

std::vector<int> KernelMoments::marks() const {
  std::vector<int> out;
  for (const KernelFinding& finding : player_.findings())
    out.push_back(static_cast<int>(std::min(finding.step + 1, player_.steps())));
  return out;
}

Details KernelMoments::details() const {
  if (!player_.canStep()) return {};
  const auto& time = player_.shown()->time;
  return details_of_kernel(canvas_.input(), time ? &*time : nullptr, canvas_.viewport().selected);
}

void KernelMoments::setBusy(bool busy) {
  busy_ = busy;
  Q_EMIT changed();
}

}  // namespace shardscope::inline window
