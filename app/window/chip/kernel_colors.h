// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSyntaxHighlighter>

#include "views/scene/core/theme.h"

namespace shardscope::inline window {

// The kernels' language in the lines of an editor: what moves data or waits stands out, comments step back.
class KernelColors : public QSyntaxHighlighter {
 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;
  void setTheme(const Theme& theme);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  QTextCharFormat comment_, word_, moves_, function_;
};

}  // namespace shardscope::inline window
