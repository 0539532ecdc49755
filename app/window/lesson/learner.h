// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <optional>

#include "engine/lesson/question.h"

namespace shardscope::inline window {

// Who answers the question of a step: what was answered, how that was judged, whether the right answer has
// been shown.
class Learner : public QObject {
  Q_OBJECT
 public:
  explicit Learner(QObject* parent = nullptr) : QObject(parent) {}

  void ask(const std::optional<Question>& question);  // forgets what was answered before
  const std::optional<Question>& question() const { return question_; }
  void answer(const QString& given);  // by its words; judged at once
  const QString& given() const { return given_; }
  const std::optional<Judgement>& judgement() const { return judgement_; }
  const QString& refusal() const { return refusal_; }  // of what is no answer at all: no number, no unit
  void reveal();                                       // the right answer; not before one was given
  bool revealed() const { return revealed_; }          // by itself when two answers were wrong
  // Nothing of the question waits for its answer.
  bool settled() const { return !question_ || revealed_ || (judgement_ && judgement_->right); }

 Q_SIGNALS:
  void changed();

 private:
  std::optional<Question> question_;
  std::optional<Judgement> judgement_;
  QString given_, refusal_;
  int wrong_ = 0;
  bool revealed_ = false;
};

}  // namespace shardscope::inline window
