// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QIcon>
#include <QString>

namespace shardscope::inline window {

// A file of app/window/icons, its currentColor being `color`, faint where it is disabled; null when there is
// none of this name.
QIcon make_icon(const QString& name, const QColor& color, int px);

}  // namespace shardscope::inline window
