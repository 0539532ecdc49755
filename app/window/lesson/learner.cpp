// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/learner.h"

#include "app/window/document/in_window.h"

namespace shardscope::inline window {
namespace {

constexpr int kMostTries = 2;

}  // namespace

void Learner::ask(const std::optional<Question>& question) {
  question_ = question;
  judgement_.reset();
  given_.clear();
  refusal_.clear();
  wrong_ = 0;
  revealed_ = false;
  Q_EMIT changed();
}

void Learner::answer(const QString& given) {
  if (!question_) return;
  const bool again = given == given_;  // the same once more is no other try
  given_ = given;
  const auto judged = judge(*question_, given.toStdString());
  refusal_ = judged.ok() ? QString() : in_window(judged.error());
  if (judged.ok()) {
    judgement_ = *judged;
    wrong_ += judged->right || again ? 0 : 1;
    revealed_ = revealed_ || wrong_ == kMostTries;
  }
  Q_EMIT changed();
}

void Learner::reveal() {
  if (!judgement_) return;
  revealed_ = true;
  Q_EMIT changed();
}

}  // namespace shardscope::inline window
