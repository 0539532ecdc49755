// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/sentence_line.h"

namespace shardscope {

SentenceLine::SentenceLine(Clock& clock, const Preferences& preferences, QWidget* parent)
    : FittedLabel(parent), narrator_(clock, preferences) {
  setObjectName("sentence");
  connect(&narrator_, &Narrator::changed, this, [this] { say(narrator_.sentence()); });
  say(narrator_.sentence());
}

}  // namespace shardscope
