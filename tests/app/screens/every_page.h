// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <functional>

#include "tests/app/window_fixture.h"

namespace shardscope {

// A window with work in it: the runs of an experiment, two of them compared, a module partitioned, a lesson
// opened. Nothing is measured, so that two such windows say the same.
void fill(TestedWindow& window);
// Every dock of every page in front once; `look` is told the page and the dock.
void visit(TestedWindow& window, const std::function<void(const QString& page, const QString& dock)>& look);

}  // namespace shardscope
