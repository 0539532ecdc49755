// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeyEvent>
#include <QObject>

#include "app/window/settings/key_map.h"

namespace shardscope::inline window {

// Between the keyboard and the views: a key that the user gave to a row of view_keys() reaches the view as
// the row's first key, which is what the view reads; a key that the user took away from a row does not reach
// it.
class ViewKeyFilter : public QObject {
 public:
  explicit ViewKeyFilter(const KeyMap& keys, QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool takesFirst(const QObject& view, const QKeyEvent& event) const;

  const KeyMap& keys_;
  bool sending_ = false;  // a translated key is under way
};

}  // namespace shardscope::inline window
