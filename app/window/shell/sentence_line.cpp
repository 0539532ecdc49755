// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/sentence_line.h"

namespace shardscope::inline window {

SentenceLine::SentenceLine(const Transport& transport, QWidget* parent) : FittedLabel(parent) {
  setObjectName("sentence");
  const auto read = [this, &transport] { say(transport.front().sentence()); };
  connect(&transport, &Transport::changed, this, read);
  read();
}

}  // namespace shardscope::inline window
