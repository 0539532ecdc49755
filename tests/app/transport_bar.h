// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMainWindow>
#include <QToolBar>

#include "app/window/widgets/step_bar.h"

namespace shardscope {

// The window's; a kernel has one of its own for when it is not in front.
inline StepBar& transport_bar(const QMainWindow& window) {
  return *window.findChild<QToolBar*>("tools")->findChild<StepBar*>();
}

}  // namespace shardscope
