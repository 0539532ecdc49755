// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <vector>

#include "app/window/settings/key_map.h"

namespace shardscope::inline window {

// A topic of the help as the window shows it: of the table (engine/help), with the keys that belong to it, a
// page that is read from end to end, or a field that forms and the command line know ("field.mesh").
struct HelpEntry {
  QString id, group, title;
  QString markdown;
};
std::vector<HelpEntry> help_entries(const KeyMap& keys);
// Places of those that a search for `words` finds, the nearest first.
std::vector<size_t> matching(const std::vector<HelpEntry>& entries, const QString& words);

}  // namespace shardscope::inline window
