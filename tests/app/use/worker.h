// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "app/window/shell/main_window.h"
#include "tests/app/use/hands.h"
#include "tests/app/use/session.h"
#include "tests/app/use/watch.h"

namespace shardscope {

// Takes steps in a window that has just opened, one of each kind at random, and writes down what the window
// is after each as soon as its journal has it: "begin KIND", then "state JSON". Or accepts what the bar
// offers, and writes down what the window is then.
class Worker : public QObject {
 public:
  Worker(MainWindow& window, const SessionOptions& options, const SessionLog& log);

  // What of a state a step of this kind may change.
  static QStringList touched(const QString& kind);

 private:
  void look();  // has what was begun ended?
  bool quiet() const;
  void begin();
  void edit(Dice& dice);
  void run(Dice& dice);
  void selectAt(Dice& dice);
  void mark(Dice& dice);
  void goToPage(Dice& dice);
  bool inJournal() const;
  void end();

  MainWindow& window_;
  const SessionOptions options_;
  const SessionLog& log_;
  QTimer timer_;
  QElapsedTimer since_;
  int64_t step_ = -1;
  bool accepted_ = false;
};

}  // namespace shardscope
