// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/what_if_fields.h"

namespace shardscope::inline window {

KnobRow* WhatIfFields::knob(const QString& key, const QString& link) const {
  for (const WhatIfKnob& it : knobs)
    if (it.key == key && it.link == link) return it.row;
  return nullptr;
}

std::vector<WhatIfField> WhatIfFields::typed() const {
  std::vector<WhatIfField> out;
  for (const WhatIfKnob& it : knobs) {
    const std::string text = it.row->text().toStdString();
    if (text.empty()) continue;
    TypedWhatIf& part = out.emplace_back(WhatIfField{it.row->field(), {}}).asks;
    part.fields[it.key.toStdString()] = it.link.isEmpty() ? text : it.link.toStdString() + "=" + text;
  }
  if (const QString chips = slow->text().trimmed(); !chips.isEmpty())
    out.emplace_back(WhatIfField{slow, {}}).asks.fields["slow-device"] = chips.toStdString();
  for (const QString& each : untimed->text().split(',', Qt::SkipEmptyParts)) {
    bool number = false;
    each.trimmed().toLongLong(&number);
    TypedWhatIf& part = out.emplace_back(WhatIfField{untimed, {}}).asks;
    (number ? part.events : part.operations).push_back(each.trimmed().toStdString() + "=0");
  }
  return out;
}

QJsonObject WhatIfFields::texts() const {
  QJsonObject out;
  for (const WhatIfKnob& it : knobs)
    if (!it.row->text().isEmpty()) out[it.id()] = it.row->text();
  if (!slow->text().isEmpty()) out["slow"] = slow->text();
  if (!untimed->text().isEmpty()) out["untimed"] = untimed->text();
  return out;
}

void WhatIfFields::setTexts(const QJsonObject& texts) const {
  for (const WhatIfKnob& it : knobs) it.row->setText(texts[it.id()].toString());
  slow->setText(texts["slow"].toString());
  untimed->setText(texts["untimed"].toString());
}

}  // namespace shardscope::inline window
