// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTableWidget>
#include <QToolButton>
#include <map>
#include <string>

#include "app/window/lesson/lesson_player.h"

namespace shardscope::inline window {

// The texts of a step, to be edited beside its picture; every letter is an edit of the lesson, which is shown
// again when the hands rest. What has no value is said below, with the names there are.
class StepEditor : public QWidget {
  Q_OBJECT
 public:
  StepEditor(LessonDocument& document, LessonPlayer& player, QWidget* parent = nullptr);
  // By its key in the file: "say" (also of ask and try), "because", "note"; null: there is none.
  QPlainTextEdit* text(const std::string& key) const;
  QStringList choicesOf(const std::string& key) const;  // what its field offers
  QLineEdit* line(const std::string& key) const;        // "title", "answer", "beat", "show", …
  QComboBox* kind() { return kind_; }
  QTableWidget* wrong() { return wrong_; }
  QString errors() const { return errors_->isHidden() ? QString() : errors_->text(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void addText(QFormLayout& form, const std::string& key, const QString& label, const QString& tip);
  void offerChoices(const std::string& key, QLineEdit* field);
  void addLine(QFormLayout& form, const std::string& key, const QString& label, const QString& tip);
  void layOut();
  void readStep();
  void readWrong(const LessonStep& step);
  void write(const std::string& key);
  LessonStep written() const;
  void showRows();
  void fillNames();

  LessonDocument& document_;
  LessonPlayer& player_;
  QFormLayout* form_;
  QComboBox *kind_, *choices_;
  QDoubleSpinBox* tolerance_;
  QTableWidget* wrong_;
  QToolButton* names_;
  QLabel* errors_;
  std::map<std::string, QPlainTextEdit*> texts_;
  std::map<std::string, QLineEdit*> lines_;
  bool reading_ = false;
};

}  // namespace shardscope::inline window
