// SPDX-License-Identifier: Apache-2.0
// The window's side of engine/base/search: letters of every language are alike, large and small.
#pragma once

#include <QStringList>

#include "engine/base/search.h"

namespace shardscope::inline window {

inline Search search_for(const QString& words) {
  return Search(words.toCaseFolded().toStdString());
}

inline Searched searched(const QStringList& names, const QString& text = "") {
  std::vector<std::string> folded;
  for (const QString& name : names) folded.push_back(name.toCaseFolded().toStdString());
  return Searched(folded, text.toCaseFolded().toStdString());
}

}  // namespace shardscope::inline window
