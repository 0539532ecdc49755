// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "views/scene/story/details.h"

namespace shardscope::inline window {

// The steps of a picture as keys, tool bar, slider and status bar read and move them, whatever it is of.
class Moments : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  virtual QString who() const = 0;       // what the picture is of; empty: there is none
  virtual QString words() const = 0;     // "step 3 of 12 · 46.6 µs", or why there is no step
  virtual QString sentence() const = 0;  // what happens; empty: there is no picture
  virtual int at() const = 0;            // the last step that is done; 0: none is
  virtual int last() const = 0;          // 0: there is nothing to step through
  virtual void goTo(int step) = 0;
  virtual void stepBy(int by) = 0;
  virtual bool playing() const = 0;
  virtual void play(bool on) = 0;
  virtual double speed() const = 0;
  virtual void setSpeed(double speed) = 0;
  virtual bool ofExperiment() const { return false; }    // what is set up and run in the window's tool bar
  virtual bool timed() const { return true; }            // it can be played in proportion to time
  virtual std::vector<int> marks() const { return {}; }  // steps at which something was found
  // What is selected in it, in facts; what a link of theirs leads to is selected.
  virtual Details details() const { return {}; }
  virtual void select(const ItemId& /*item*/) {}

  void changeSpeed(int by);  // to the next faster one (1) or slower one (-1)

 Q_SIGNALS:
  void changed();
  void playingChanged();
};

// Those of the picture in front: a page puts its own there.
class Transport : public QObject {
  Q_OBJECT
 public:
  explicit Transport(Moments& front, QObject* parent = nullptr);
  Moments& front() const { return *front_; }
  void setFront(Moments& front);  // outlives being there

 Q_SIGNALS:
  void changed();  // the front, or something of it
  void playingChanged();
  void frontChanged();  // before changed() says it too

 private:
  void listen();
  Moments* front_;
};

}  // namespace shardscope::inline window
