// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <functional>

#include "engine/base/result.h"

namespace shardscope::inline window {

class MainWindow;

// Runs the window's experiment unless it shows a run already, or the job of the dock `view`; draws, saves the
// whole window (or that dock, as large as the window) as PNG, then calls done.
void take_screenshot(MainWindow& window, const QString& view, const QString& path,
                     const std::function<void(Result<void>)>& done);

// The icons inside this library; once, before the first window.
void load_window_resources();

}  // namespace shardscope::inline window
