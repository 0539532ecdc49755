// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QJsonObject>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "app/window/document/experiment_document.h"
#include "engine/session/hlo_explain.h"

namespace shardscope::inline window {

// What the form is set to.
struct HloChoice {
  int devices = 0;  // 0: as many as the module names
  QString dialect, windowed_einsum;
  int loop = 0;
  bool propagate = true;
  QString hardware;                      // "": the experiment's
  std::map<std::string, QString> asked;  // other fields of a module's run by key, as typed; none is ""
  bool operator==(const HloChoice&) const = default;
};
// For a journal; what a newer program wrote there is passed over.
QJsonObject json(const HloChoice& choice);
HloChoice read_choice(const QJsonObject& in);

// How a module is partitioned and timed; what else is put before the options flows with them.
class HloOptionsForm : public QWidget {
  Q_OBJECT
 public:
  HloOptionsForm(ExperimentDocument& document, const QList<QWidget*>& before, QWidget* parent = nullptr);
  ExplainOptions options() const;
  HloChoice choice() const;
  void setChoice(const HloChoice& choice);  // tells, when it is another one
  void setFolded(bool on);                  // the options behind a button, where there is little room
  QSpinBox* devices() { return devices_; }
  QComboBox* dialect() { return dialect_; }
  QComboBox* loop() { return loop_; }  // of a windowed einsum
  QCheckBox* propagate() { return propagate_; }
  QComboBox* hardware() { return hardware_; }
  QToolButton* moreButton() { return more_; }
  // Of a field that all runs of modules have: a list where its words are known, else a line; null: no such.
  QWidget* editor(const std::string& key) const;

 Q_SIGNALS:
  void changed();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void describeFields();
  void layOut(const QList<QWidget*>& before);
  void readDocument();
  void showFields();
  void makeMore();

  struct More {
    std::string key;
    QComboBox* list = nullptr;
    QLineEdit* line = nullptr;
    QString text() const;
    void setText(const QString& text) const;
  };
  ExperimentDocument& document_;
  QSpinBox* devices_;
  QComboBox *dialect_, *loop_, *hardware_;
  QToolButton *unfold_, *more_;
  std::vector<More> asked_;
  QList<QWidget*> asked_fields_;
  QList<QWidget*> fields_;
  QLineEdit* einsum_;
  QCheckBox* propagate_;
};

}  // namespace shardscope::inline window
