// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_alternative.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {
namespace {

constexpr int kPauseBeforeLookingMs = 250;  // rows that are passed over are not looked into
constexpr int64_t kMostAtOnce = 1000;       // instructions; every try partitions and times them again

struct WithoutIt {
  Result<Alternative> alternative;
  Result<Picoseconds> hidden;  // the time if it took none
};

}  // namespace

HloAlternative::HloAlternative(QWidget* parent)
    : QWidget(parent),
      text_(new QLabel(this)),
      ask_(small_button("Cost without it"_tr, "What the module would cost without this collective"_tr, this)),
      apply_(small_button("Avoid it"_tr, "Write that sharding into the module; can be undone"_tr, this)) {
  setObjectName("HLO alternative");
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text_->setAccessibleName("Cost without the collective"_tr);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(ask_);
  buttons->addWidget(apply_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 0, 8, 6);
  layout->addWidget(text_);
  layout->addLayout(buttons);
  pause_.setSingleShot(true);
  pause_.setInterval(kPauseBeforeLookingMs);
  connect(&pause_, &QTimer::timeout, this, &HloAlternative::ask);
  connect(ask_, &QToolButton::clicked, this, &HloAlternative::ask);
  connect(apply_, &QToolButton::clicked, this, [this] {
    if (edit_)
      Q_EMIT applied(QString::fromStdString(edit_->instruction), QString::fromStdString(edit_->sharding));
  });
  hide();
}

void HloAlternative::setCollective(const HloReadingPtr& reading, int collective) {
  if (reading == reading_ && collective == collective_) return;
  cancel();
  reading_ = reading;
  collective_ = collective;
  edit_.reset();
  apply_->hide();
  setVisible(reading_ != nullptr && collective_ >= 0);
  if (isHidden()) return;
  say("");
  const bool small = reading_->explained.module().instruction_count() <= kMostAtOnce;
  ask_->setVisible(!small);
  if (small) pause_.start();
}

void HloAlternative::ask() {
  if (reading_ == nullptr || collective_ < 0) return;
  busy_ = true;
  ask_->hide();
  say("Looking for what the module would cost without it… Esc stops"_tr);
  work_.start(
      [reading = reading_, k = static_cast<size_t>(collective_)](std::stop_token stop) {
        return WithoutIt{alternative_to(reading->explained, reading->options, k, stop),
                         time_without(reading->explained, k, stop)};
      },
      [this](const WithoutIt& found) {
        busy_ = false;
        QStringList sentences;
        if (found.alternative.ok()) {
          edit_ = found.alternative->edit;
          sentences << QString::fromStdString(found.alternative->words());
        } else {
          const QString reason = in_window(found.alternative.error());
          sentences << reason.left(1).toUpper() + reason.mid(1) + '.';
        }
        if (found.hidden.ok())
          sentences << "If it took no time, the module would take %1."_tr.arg(
              QString::fromStdString(format_picoseconds(*found.hidden)));
        apply_->setVisible(edit_.has_value());
        if (edit_)
          apply_->setToolTip("%1 as %2; can be undone"_tr.arg(QString::fromStdString(edit_->display_name),
                                                              QString::fromStdString(edit_->spec)));
        say(sentences.join(' '), !found.alternative.ok());
      });
}

void HloAlternative::cancel() {
  const bool was_busy = busy();
  pause_.stop();
  work_.cancel();
  busy_ = false;
  if (!was_busy) return;
  say("");
  ask_->show();
}

void HloAlternative::say(const QString& text, bool warns) {
  set_role(text_, warns ? "muted" : "");
  text_->setText(text);
}

}  // namespace shardscope::inline window
