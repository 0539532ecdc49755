// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/learner.h"

namespace shardscope {

void Learner::ask(const std::optional<Question>& question) {
  question_ = question;
  judgement_.reset();
  given_.clear();
  refusal_.clear();
  revealed_ = false;
  Q_EMIT changed();
}

void Learner::answer(const QString& given) {
  if (!question_) return;
  given_ = given;
  const auto judged = judge(*question_, given.toStdString());
  refusal_ = judged.ok() ? QString() : QString::fromStdString(judged.error().text());
  if (judged.ok()) judgement_ = *judged;
  Q_EMIT changed();
}

void Learner::reveal() {
  if (!judgement_) return;
  revealed_ = true;
  Q_EMIT changed();
}

}  // namespace shardscope
