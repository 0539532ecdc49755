// SPDX-License-Identifier: Apache-2.0
// The window's side of the one door to translation (engine/base/say.h).
#pragma once

#include <QString>
#include <string>

#include "engine/base/say.h"

namespace shardscope::inline window {

// What is said for this English text: "Run all"_tr. Values come in afterwards: "%1 of %2"_tr.arg(a).arg(b).
QString operator""_tr(const char* english, size_t size);
// A text of a table (to_say) when it is shown.
QString spoken(const QString& english);
// "1 run", "8 runs".
QString counted_tr(qint64 count, const char* noun);

// From now on the window and Qt's own dialogs say everything in this language. Once, with the application
// object and before the first window.
void speak(Catalogue catalogue);

}  // namespace shardscope::inline window
