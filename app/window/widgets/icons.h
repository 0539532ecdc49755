// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QIcon>
#include <QString>

namespace shardscope {

// Small pictures drawn from paths in the palette's text colour: "run", "run-all", "cancel", "first",
// "previous", "play", "pause", "next", "last".
QIcon make_icon(const QString& name, const QColor& color, int px);

}  // namespace shardscope
