// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/written_bar.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QUrl>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kFolderSetting = "folders";  // by the files' ending

// Of the window that `widget` belongs to, or of that which opened it; null: none.
WrittenBar* bar_of(QWidget* widget) {
  for (QWidget* each = widget; each != nullptr; each = each->parentWidget()) {
    if (auto* bar = each->findChild<WrittenBar*>(QString(), Qt::FindDirectChildrenOnly)) return bar;
  }
  return nullptr;
}

QString ask(QWidget* from, const QString& title, const QString& proposed, const QString& filter,
            const QString& ending, QFileDialog::Options options) {
  QFileDialog dialog(from, title, QFileInfo(proposed).path(), filter);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setFileMode(QFileDialog::AnyFile);
  dialog.setOptions(options);
  dialog.setDefaultSuffix(ending);
  dialog.selectFile(proposed);
  return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

}  // namespace

WrittenBar::WrittenBar(Settings& settings, QWidget* parent)
    : QToolBar("Written file"_tr, parent),
      settings_(settings),
      text_(new QLabel(this)),
      folder_(new QPushButton("Show in &folder"_tr, this)),
      copy_(new QPushButton("Copy &path"_tr, this)) {
  setObjectName("written");
  setMovable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  toggleViewAction()->setVisible(false);
  text_->setTextFormat(Qt::PlainText);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  auto* close = new QPushButton("&Close"_tr, this);
  folder_->setToolTip("Open the file's folder"_tr);
  copy_->setToolTip("Copy the file's path"_tr);
  close->setToolTip("Hide this line; the file stays"_tr);
  for (QWidget* widget : std::initializer_list<QWidget*>{text_, folder_, copy_, close}) addWidget(widget);
  connect(folder_, &QPushButton::clicked, this,
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path_).absolutePath())); });
  connect(copy_, &QPushButton::clicked, this,
          [this] { QGuiApplication::clipboard()->setText(QDir::toNativeSeparators(path_)); });
  connect(close, &QPushButton::clicked, this, &QWidget::hide);
  hide();
}

void WrittenBar::tell(const QString& path) {
  path_ = QFileInfo(path).absoluteFilePath();
  text_->setText("Written: %1"_tr.arg(QDir::toNativeSeparators(path_)));
  show();
}

QString folder_of(const Settings& settings, const QString& ending) {
  const QString folder = settings.value(kFolderSetting).toMap().value(ending.toLower()).toString();
  return QDir(folder).exists() ? folder : QString();
}

void remember_folder(Settings& settings, const QString& path) {
  const QFileInfo file(path);
  QVariantMap folders = settings.value(kFolderSetting).toMap();
  folders[file.suffix().toLower()] = file.absolutePath();
  settings.set(kFolderSetting, folders);
}

QString ask_for_new_file(QWidget* from, const NewFile& file) {
  const WrittenBar* bar = bar_of(from);
  const QString ending = QFileInfo(file.name).suffix();
  const QString folder = bar == nullptr ? QString() : folder_of(bar->settings(), ending);
  const QString proposed = folder.isEmpty() ? file.name : QDir(folder).filePath(file.name);
  return ask_where(from, file.title, proposed, file.filter, ending);
}

Result<void> write_new_file(QWidget* from, const NewFile& file) {
  const QString path = ask_for_new_file(from, file);
  if (path.isEmpty()) return {};
  TRY_VOID(file.write(path));
  tell_written(from, path);
  return {};
}

QString ask_where(QWidget* from, const QString& title, const QString& proposed, const QString& filter,
                  const QString& ending) {
  return ask(from, title, proposed, filter, ending, {});
}

QString ask_where_to_add(QWidget* from, const QString& title, const QString& proposed, const QString& filter,
                         const QString& ending) {
  return ask(from, title, proposed, filter, ending, QFileDialog::DontConfirmOverwrite);
}

void tell_written(QWidget* from, const QString& path) {
  WrittenBar* bar = bar_of(from);
  if (bar == nullptr) return;
  remember_folder(bar->settings(), path);
  bar->tell(path);
}

}  // namespace shardscope::inline window
