// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QLineEdit>
#include <vector>

#include "app/window/studies/knob_row.h"
#include "engine/session/what_if_parts.h"

namespace shardscope::inline window {

// What one field asks.
struct WhatIfField {
  QLineEdit* field;
  TypedWhatIf asks;
};

struct WhatIfKnob {
  QString key, link;  // of a field; of which links
  KnobRow* row;
  QString id() const { return link.isEmpty() ? key : key + " " + link; }
};

// The fields of What if: what they ask, and what is typed in them, to be kept with a workspace.
struct WhatIfFields {
  std::vector<WhatIfKnob> knobs;
  QLineEdit *slow = nullptr, *untimed = nullptr;  // chips; operations and events

  KnobRow* knob(const QString& key, const QString& link) const;  // null: there is none
  std::vector<WhatIfField> typed() const;
  QJsonObject texts() const;                      // empty: all is as the run has it
  void setTexts(const QJsonObject& texts) const;  // what is not named is as the run has it
};

}  // namespace shardscope::inline window
