// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/hlo_colors.h"

#include <QRegularExpression>

#include "engine/program/text/hlo_lines.h"

namespace shardscope {

void HloColors::setTheme(const Theme& theme) {
  const auto format = [](Color c, bool bold) {
    QTextCharFormat f;
    f.setForeground(QColor(c.r, c.g, c.b));
    if (bold) f.setFontWeight(QFont::Bold);
    return f;
  };
  muted_ = format(theme.muted_text, false);
  collective_ = format(axis_color(theme, 0, 1), true);
  dot_ = format(theme.text, true);
  sharding_ = format(axis_color(theme, 3, 1), false);
  rehighlight();
}

void HloColors::highlightBlock(const QString& text) {
  static const QRegularExpression kOpcode(R"(= [^ ]+(?: [^ (]+)* ([a-z][a-z0-9-]*)\()");
  static const QRegularExpression kCollective("^(all-|reduce-scatter|collective-)");
  const QString trimmed = text.trimmed();
  if (trimmed.startsWith("//") || trimmed.startsWith("HloModule"))
    return setFormat(0, static_cast<int>(text.size()), muted_);
  if (const auto match = kOpcode.match(text); match.hasMatch()) {
    const QString opcode = match.captured(1);
    const auto start = static_cast<int>(match.capturedStart(1));
    if (kCollective.match(opcode).hasMatch()) setFormat(start, static_cast<int>(opcode.size()), collective_);
    if (opcode == "dot") setFormat(start, static_cast<int>(opcode.size()), dot_);
  }
  for (const char* key : {", metadata=", ", frontend_attributes=", ", channel_id="}) {
    const auto at = static_cast<int>(text.indexOf(key));
    if (at >= 0) setFormat(at, static_cast<int>(text.size()) - at, muted_);
  }
  // Spans count bytes: lines of other than ASCII are rare, and only their colour would be off.
  if (const auto span = sharding_on(text.toLatin1().toStdString()))
    setFormat(static_cast<int>(span->begin), static_cast<int>(span->end - span->begin), sharding_);
}

}  // namespace shardscope
