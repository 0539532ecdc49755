// SPDX-License-Identifier: Apache-2.0
#include "app/window/results/label_form.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>

#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {

LabelForm::LabelForm(const RunSummary& run, QWidget* parent)
    : QDialog(parent),
      label_(run.given),
      name_(new QLineEdit(QString::fromStdString(run.given.name), this)),
      tags_(new QLineEdit(QString::fromStdString(tag_text(run.given.tags)), this)),
      note_(new QPlainTextEdit(QString::fromStdString(run.given.note), this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  explained_by(this, "label");
  setWindowTitle("Run %1: %2"_tr.arg(run.id).arg(QString::fromStdString(run.strategy)));
  name_->setAccessibleName("Name of the run"_tr);
  tags_->setAccessibleName("Tags of the run"_tr);
  note_->setAccessibleName("Note on the run"_tr);
  tags_->setPlaceholderText("paper, slow"_tr);
  tags_->setToolTip("Words between blanks or commas; the filter tag:paper finds them"_tr);
  note_->setTabChangesFocus(true);
  auto* form = new QFormLayout(this);
  form->addRow("&Name"_tr, name_);
  form->addRow("&Tags"_tr, tags_);
  form->addRow("N&ote"_tr, note_);
  if (!run.given.origin.empty())
    form->addRow("From"_tr, new QLabel(QString::fromStdString(run.given.origin), this));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  connect(buttons, &QDialogButtonBox::accepted, this, &LabelForm::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &LabelForm::reject);
  form->addRow(buttons);
}

void LabelForm::accept() {
  label_.name = name_->text().trimmed().toStdString();
  label_.tags = read_tags(tags_->text().toStdString());
  label_.note = note_->toPlainText().trimmed().toStdString();
  Q_EMIT wanted(label_);
  QDialog::accept();
}

}  // namespace shardscope::inline window
