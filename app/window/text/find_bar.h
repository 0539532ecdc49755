// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QWidget>
#include <functional>
#include <stop_token>
#include <vector>

#include "app/window/document/background.h"
#include "app/window/text/line_view.h"

namespace shardscope::inline window {

// Where a text has `needle`, capitals and small letters alike; the first kMostFound. Empty when stopped.
inline constexpr size_t kMostFound = 100'000;
std::vector<TextPlace> find_all(const IndexedText& text, const std::string& needle, std::stop_token stop);

// A field that searches in a text beside the GUI thread and walks its places.
class FindBar : public QWidget {
  Q_OBJECT
 public:
  using Text = std::function<IndexedTextPtr()>;  // what is searched; taken when a search begins
  FindBar(Text text, QWidget* parent = nullptr);
  virtual void find() { begin({}); }  // as Ctrl+F asks
  void begin(const QString& needle);  // shows it, with the cursor in the field; "": what was sought before
  void again();                       // the text is another one: when it is shown
  void step(int by);                  // to a place before or behind the shown one
  void close();
  QLineEdit* field() { return field_; }
  QString said() const { return said_->text(); }
  bool busy() const { return busy_; }

 Q_SIGNALS:
  void needleChanged(const QString& needle);  // "" when it is closed
  void shown(int line, int column, int length);
  void closed();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void search(bool goes);
  void tell();

  Text text_;
  QLineEdit* field_;
  QLabel* said_;
  std::vector<TextPlace> found_;
  int place_ = -1;
  bool busy_ = false;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
