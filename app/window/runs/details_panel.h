// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTextBrowser>
#include <QWidget>

#include "app/window/document/clock.h"
#include "app/window/document/moments.h"

namespace shardscope::inline window {

// What is selected in the picture in front, in words and numbers: facts with formula and source, links that
// move the selection, copied as CSV or Markdown.
class DetailsPanel : public QWidget {
  Q_OBJECT
 public:
  DetailsPanel(Clock& clock, const Transport& transport, QWidget* parent = nullptr);

  const Details& details() const { return details_; }  // as of when the panel was last to be seen
  QTextBrowser* text() { return text_; }
  void follow(int link);  // the links of all sections, counted from 0
  QString csv() const { return QString::fromStdString(details_csv(details_)); }
  QString markdown() const { return QString::fromStdString(details_markdown(details_)); }
  void setTheme(const Theme& theme);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void read();
  void write();

  Clock& clock_;
  const Transport& transport_;
  QTextBrowser* text_;
  Details details_;
  QString who_;  // whose they are
  Subject subject_ = Subject::runs;
  Theme theme_;
};

}  // namespace shardscope::inline window
