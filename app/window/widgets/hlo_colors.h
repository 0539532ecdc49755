// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSyntaxHighlighter>

#include "views/scene/core/theme.h"

namespace shardscope {

// HLO text: collectives, products and shardings stand out, bookkeeping (metadata, comments) steps back.
class HloColors : public QSyntaxHighlighter {
 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;
  void setTheme(const Theme& theme);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  QTextCharFormat muted_, collective_, dot_, sharding_;
};

}  // namespace shardscope
