// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <map>
#include <string>
#include <vector>

#include "app/window/document/experiment_document.h"
#include "app/window/lesson/lesson_player.h"

namespace shardscope::inline window {

// What the class may change in a step, and nothing else; each change runs again, and what the step watches
// stands before and after. Says whether what was to be tried is so. Reset brings back what the lesson has.
class TryForm : public QWidget {
  Q_OBJECT
 public:
  explicit TryForm(LessonPlayer& player, QWidget* parent = nullptr);
  QSpinBox* axis(const QString& name) const;                // null: there is none
  QWidget* field(const std::string& change) const;          // of what may be changed; null: not here
  QWidget* shardingOf(const std::string& parameter) const;  // of a module's parameter; null: not here
  QPushButton* resetButton() { return reset_; }
  QString compared() const { return compared_->isHidden() ? QString() : compared_->text(); }
  QString said() const { return said_->isHidden() ? QString() : said_->text(); }

 private:
  void showStep();
  void fill(const std::vector<std::string>& changes);
  void showShardings(const std::vector<ParameterSpec>& now, const std::vector<std::string>& changes);
  void addSharding(size_t parameter);
  void removeFields();
  QWidget* make(const std::string& change);
  QWidget* makeMesh();
  QWidget* makeList(const QString& name, const QStringList& words, const QString& now,
                    std::function<void(Experiment&, const QString&)> put);
  void setAxis(int axis, int size);
  void edit(const Experiment& to);

  LessonPlayer& player_;
  ExperimentDocument document_;  // of the fields
  std::vector<std::string> changes_;
  std::vector<std::string> axes_;
  std::map<std::string, QWidget*> fields_;
  std::vector<ParameterSpec> specs_;       // of a module's parameters
  std::map<std::string, QWidget*> lists_;  // by parameter
  std::vector<QSpinBox*> sizes_;
  QVBoxLayout* rows_;
  QLabel *compared_, *said_, *refused_;
  QPushButton* reset_;
  bool reading_ = false;
};

}  // namespace shardscope::inline window
