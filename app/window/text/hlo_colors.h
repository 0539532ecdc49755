// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSyntaxHighlighter>
#include <array>
#include <string_view>
#include <vector>

#include "views/scene/core/theme.h"

namespace shardscope::inline window {

// What stands out of a line of HLO or StableHLO: collectives, products and shardings; bookkeeping (metadata,
// comments) steps back.
enum class HloPart { plain, muted, collective, product, sharding };
struct HloSpan {
  size_t begin = 0, end = 0;  // bytes of the line
  HloPart part = HloPart::plain;
  bool operator==(const HloSpan&) const = default;
};
// In order, without overlaps; what is between them is plain.
std::vector<HloSpan> hlo_spans(std::string_view line);
Color hlo_color(const Theme& theme, HloPart part);
bool is_bold(HloPart part);

// The same in the lines of an editor.
class HloColors : public QSyntaxHighlighter {
 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;
  void setTheme(const Theme& theme);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  std::array<QTextCharFormat, 5> formats_;  // by HloPart
};

}  // namespace shardscope::inline window
