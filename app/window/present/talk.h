// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QStringList>
#include <QWidget>
#include <optional>

#include "app/window/document/run_moments.h"

namespace shardscope::inline window {

// What is told before a class, step by step. A step's first frame is the state before it; going on plays it.
class Talk : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  virtual int at() const = 0;    // the step that is reached or on the way to; 0: before the first
  virtual int last() const = 0;  // -1: there is nothing to tell
  virtual void goOn() = 0;       // plays the next step, or shows what this one hides
  virtual void goBack() = 0;
  virtual void goTo(int step) = 0;                          // at once
  virtual QString said() const = 0;                         // what the class reads
  virtual QStringList sayings() const { return {said()}; }  // and will have read before the next step
  virtual QString next() const = 0;  // what it reads after the next step; empty: this is the last
  virtual std::optional<Picoseconds> nextMoment() const { return {}; }  // of the shown run
  virtual QString note() const = 0;                                     // for who speaks
  virtual QString answer() const { return {}; }
  virtual double minutes() const { return 0; }  // as it is planned; 0: it is not
  virtual QStringList views() const {
    return {};
  }                                             // the docks that the step shows; empty: as the speaker likes
  virtual QString title() const { return {}; }  // of the window: what is told, and where it is
  // What the pictures are of, above them; empty: the run that the workbench shows.
  virtual QString subject() const { return {}; }
  virtual Moments& moments() = 0;       // of the pictures
  virtual void again() { goTo(at()); }  // what the step plays
  // Instead of docks: pictures of the talk's own, made once; null: it has none.
  virtual QWidget* pictures(QWidget* /*parent*/) { return nullptr; }
  virtual void setTheme(const Theme& /*theme*/) {}

 Q_SIGNALS:
  void changed();
};

// The steps of a picture that tells itself, as a kernel's schedule.
class StepsTalk : public Talk {
  Q_OBJECT
 public:
  explicit StepsTalk(Moments& moments, QObject* parent = nullptr);
  Moments& moments() override { return moments_; }

  int at() const override { return moments_.at(); }
  int last() const override { return moments_.last(); }
  void goOn() override { moments_.stepBy(1); }
  void goBack() override { moments_.stepBy(-1); }
  void goTo(int step) override { moments_.goTo(step); }
  QString said() const override { return moments_.sentence(); }
  QString next() const override { return {}; }
  QString note() const override { return moments_.words(); }
  QString subject() const override { return moments_.who(); }

 private:
  Moments& moments_;
};

// The beats of the shown run. The note is the next sentence of more detail.
class StoryTalk : public Talk {
  Q_OBJECT
 public:
  StoryTalk(Clock& clock, const Preferences& preferences, QObject* parent = nullptr);
  Moments& moments() override { return moments_; }
  void again() override;

  int at() const override { return clock_.beat(); }
  int last() const override { return clock_.shown() ? clock_.beatCount() : -1; }
  void goOn() override { clock_.player().playBeat(); }
  void goBack() override { clock_.player().stepBy(-1); }
  void goTo(int step) override { clock_.setBeat(step); }
  QString said() const override;
  QString next() const override;
  std::optional<Picoseconds> nextMoment() const override;
  QString note() const override;

 private:
  Clock& clock_;
  const Preferences& preferences_;
  RunMoments moments_;
};

}  // namespace shardscope::inline window
