// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_colors.h"

#include <QRegularExpression>

#include "app/window/text/hlo_colors.h"
#include "engine/kernels/text/builtins.h"
#include "engine/kernels/text/expression_parser.h"

namespace shardscope::inline window {
namespace {

QColor color(const Color& c) {
  return QColor::fromRgb(c.r, c.g, c.b);
}

bool moves(const std::string& word) {
  return word.starts_with("make_async") || word.starts_with("semaphore_") || word == "start" ||
         word.starts_with("wait");
}

}  // namespace

void KernelColors::setTheme(const Theme& theme) {
  comment_.setForeground(color(hlo_color(theme, HloPart::muted)));
  moves_.setForeground(color(hlo_color(theme, HloPart::collective)));
  function_.setForeground(color(hlo_color(theme, HloPart::product)));
  word_.setForeground(color(hlo_color(theme, HloPart::sharding)));
  word_.setFontWeight(QFont::Bold);
  rehighlight();
}

void KernelColors::highlightBlock(const QString& text) {
  static const QRegularExpression kPart(R"(#.*|"[^"]*"|'[^']*'|[A-Za-z_][A-Za-z_0-9]*)");
  for (auto found = kPart.globalMatch(text); found.hasNext();) {
    const QRegularExpressionMatch part = found.next();
    const std::string word = part.captured().toStdString();
    const int start = static_cast<int>(part.capturedStart()),
              length = static_cast<int>(part.capturedLength());
    if (word.front() == '#') {
      setFormat(start, length, comment_);
    } else if (moves(word)) {
      setFormat(start, length, moves_);
    } else if (kernels::is_word(word)) {
      setFormat(start, length, word_);
    } else if (kernels::builtin_named(word) >= 0) {
      setFormat(start, length, function_);
    }
  }
}

}  // namespace shardscope::inline window
