// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <memory>
#include <vector>

#include "app/window/document/background.h"
#include "app/window/document/workbench.h"
#include "app/window/studies/what_if_canvas.h"
#include "app/window/studies/what_if_fields.h"
#include "app/window/widgets/picture_canvas.h"

namespace shardscope::inline window {

// An answer with what the timeline draws of it, and by field why it leaves that out.
struct DrawnWhatIf {
  WhatIfAnswer answer;
  ShownRunPtr then;
  std::vector<std::optional<Error>> refused;
};

// The shown run on other hardware: knobs, the run timed again above what it was, what changed and what would
// help most. It answers while a knob moves: one question is under way, and of those that came meanwhile only
// the last is asked.
class WhatIfPanel : public QWidget {
  Q_OBJECT
 public:
  explicit WhatIfPanel(Workbench& bench, QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  WhatIfCanvas* pictureCanvas() { return timeline_; }
  PictureCanvas* chart() { return chart_; }
  KnobRow* knob(const QString& key, const QString& link = "") const { return fields_.knob(key, link); }
  const WhatIfFields& fields() const { return fields_; }
  QString sentence() const { return sentence_->text(); }
  QString refusal() const { return refusal_->text(); }  // of the fields that are wrong, a line each
  bool busy() const { return asking_ || preparing_; }
  const WhatIfAnswer* answer() const { return answer_ ? &answer_->answer : nullptr; }
  QString command() const;  // what the command line would be asked
  void reset();
  void keep();
  QJsonObject state() const;  // what is asked of which run, as it is typed
  void restore(const QJsonObject& state);

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* makeForm();
  void addKnob(const QString& key, const QString& link, const QString& label, const QString& tip);
  void follow();  // the shown run
  void begin(const ShownRunPtr& shown);
  void ask();
  void show(const DrawnWhatIf& drawn);
  void refuse(const QString& reason);
  enum class Select : uint8_t { operation, event, chip };
  void addSelected(Select what);

  Workbench& bench_;
  WhatIfCanvas* timeline_;
  PictureCanvas* chart_;
  QLabel *sentence_, *refusal_;
  QWidget *form_ = nullptr, *messages_ = nullptr;
  QVBoxLayout* rows_ = nullptr;
  QToolButton* keep_ = nullptr;
  WhatIfFields fields_;
  ShownRunPtr shown_;
  std::shared_ptr<const WhatIfBase> base_;
  std::optional<DrawnWhatIf> answer_;
  std::vector<Sensitivity> sensitivities_;
  QJsonObject restoring_;  // until its run has knobs here
  bool preparing_ = false, asking_ = false, again_ = false;
  Background preparing_work_, asking_work_, telling_work_, sensitivity_work_,
      keeping_work_;  // last: their threads end first
};

}  // namespace shardscope::inline window
