// SPDX-License-Identifier: Apache-2.0
// The keys of the views: what each key does while a view has the focus. The preferences, the overview of keys
// and the tests that press each read this table; views read the first key of a row, whatever the user has
// made of it (ViewKeyFilter).
#pragma once

#include <QKeyEvent>
#include <QStringList>
#include <vector>

#include "app/window/settings/key_map.h"

namespace shardscope::inline window {

inline constexpr const char* kEverywhere = "everywhere";  // the window's commands

struct Focus {
  QString id, title;  // "timeline", "On the timeline"
};
const std::vector<Focus>& focuses();

const std::vector<KeyRow>& view_keys();
// Whose keys an object reads as a view; empty: it reads none.
QStringList heard_by(const QObject& object);
// Whether something hears the keys of both.
bool heard_together(const QString& focus, const QString& other);

// What the mouse does in the views: told beside the keys.
struct Gesture {
  QString focus, gesture, does;
};
const std::vector<Gesture>& gestures();

// The key as rows write it: without the keypad; Shift only where it does not choose the character.
QKeySequence pressed(const QKeyEvent& event);

}  // namespace shardscope::inline window
