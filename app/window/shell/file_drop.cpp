// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/file_drop.h"

#include <QApplication>
#include <QDropEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

#include "app/window/docks/dock_area.h"
#include "app/window/docks/file_kinds.h"
#include "app/window/docks/file_taker.h"
#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {
namespace {

constexpr int kLeavingMs = 60;     // from one widget to the next the drag leaves and enters again
constexpr int kRefusedMs = 6'000;  // long enough to read why

QStringList files_of(const QMimeData& data) {
  QStringList out;
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile()) out << url.toLocalFile();
  }
  return out;
}

}  // namespace

FileDrop::FileDrop(const Context& context) : context_(context) {
  leaving_.setSingleShot(true);
  connect(&leaving_, &QTimer::timeout, this, &FileDrop::hide);
  context.window.setAcceptDrops(true);
  for (const DockArea::Made& made : context.docks.all()) made.dock->setAcceptDrops(true);
  qApp->installEventFilter(this);
}

bool FileDrop::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (type != QEvent::DragEnter && type != QEvent::DragMove && type != QEvent::DragLeave &&
      type != QEvent::Drop)
    return false;
  auto* over = qobject_cast<QWidget*>(watched);
  if (over == nullptr || (over != &context_.window && !context_.window.isAncestorOf(over))) return false;
  if (type == QEvent::DragLeave) {
    leaving_.start(kLeavingMs);
    return false;
  }
  auto* drop_event = static_cast<QDropEvent*>(event);  // a drag is one, too
  if (files_of(*drop_event->mimeData()).isEmpty()) return false;
  leaving_.stop();
  type == QEvent::Drop ? drop(*over, *drop_event) : drag(*over, *drop_event);
  return true;
}

void FileDrop::drag(QWidget& over, QDropEvent& event) {
  const QStringList files = files_of(*event.mimeData());
  if (event.type() == QEvent::DragEnter) {
    path_ = files.front();
    const auto kind = kind_of(path_);
    refusal_ = files.size() > 1 ? "Drop one file at a time."_tr
               : kind.ok()      ? QString()
                                : in_window(kind.error());
    const QString name = QFileInfo(path_).fileName();
    const FileTaker* taker = kind.ok() ? taker_of(over, (*kind)->id) : nullptr;
    const QString does = taker != nullptr ? taker->does : kind.ok() ? (*kind)->does : QString();
    text_ = refusal_.isEmpty() ? "%1 %2."_tr.arg(name, spoken(does))
                               : "%1 cannot be opened here: %2"_tr.arg(name, refusal_);
  }
  show(*over.window());
  if (event.type() == QEvent::DragEnter || refusal_.isEmpty()) {
    event.acceptProposedAction();
  } else {
    event.ignore();
  }
}

void FileDrop::drop(QWidget& over, QDropEvent& event) {
  const QString path = std::exchange(path_, QString());
  if (!refusal_.isEmpty()) {
    event.ignore();
    show(*over.window());
    return leaving_.start(kRefusedMs);
  }
  event.acceptProposedAction();
  hide();
  const QString file = path.isEmpty() ? files_of(*event.mimeData()).front() : path;
  const auto kind = kind_of(file);
  const FileTaker* taker = kind.ok() ? taker_of(over, (*kind)->id) : nullptr;
  taker != nullptr ? taker->take(file) : open_path(context_, file);
}

void FileDrop::show(QWidget& window) {
  if (over_ == nullptr || over_->parentWidget() != &window) {
    delete over_;
    over_ = new QLabel(&window);
    over_->setAttribute(Qt::WA_TransparentForMouseEvents);
    over_->setAlignment(Qt::AlignCenter);
    over_->setWordWrap(true);
    over_->setTextFormat(Qt::PlainText);
  }
  set_role(over_, refusal_.isEmpty() ? "drop" : "refused");
  over_->setText(text_);
  over_->setAccessibleName(text_);
  over_->setGeometry(window.rect());
  over_->show();
  over_->raise();
}

void FileDrop::hide() {
  delete over_;
}

}  // namespace shardscope::inline window
