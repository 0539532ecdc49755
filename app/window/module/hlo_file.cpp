// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_file.h"

#include <QFile>
#include <QFileInfo>

#include "app/window/document/language.h"
#include "app/window/settings/save_text.h"
#include "engine/base/read_file.h"
#include "engine/program/module_form.h"

namespace shardscope::inline window {
namespace {

constexpr qint64 kFirstBytes = 4096;
constexpr qint64 kReadAtOnce = qint64{1} << 20;  // bytes; of more nobody waits for the disk

// Lines that were changed, put back into their file's text; those that it does not have any more are lost.
IndexedTextPtr with_lines(const IndexedTextPtr& text, const QJsonObject& lines) {
  IndexedText out = *text;
  for (auto each = lines.begin(); each != lines.end(); ++each)
    if (const int line = each.key().toInt(); line >= 0 && line < out.lineCount())
      out = out.withLine(line, each.value().toString().toStdString());
  return std::make_shared<const IndexedText>(std::move(out));
}

}  // namespace

Result<IndexedTextPtr> read_module_text(const QString& path) {
  TRY(std::string bytes, read_file(path.toStdString(), IndexedText::kMostBytes));
  TRY(ModuleText as_text, module_text(std::move(bytes), path.toStdString()));
  return std::make_shared<const IndexedText>(std::move(as_text.text));
}

HloFile::HloFile(HloEdits& edits, QObject* parent) : QObject(parent), edits_(edits) {
  connect(&edits_.stack(), &QUndoStack::cleanChanged, this, &HloFile::changed);
}

bool HloFile::modified() const {
  return !edits_.stack().isClean();
}

Result<void> HloFile::open(const QString& path) {
  const QFileInfo file(path);
  const Opening as{file.fileName(), path, {}};
  if (file.size() > kReadAtOnce) {
    load(path, as);
    return {};
  }
  TRY(const IndexedTextPtr text, read_module_text(path));
  cancel();
  take(text, as);
  return {};
}

void HloFile::openText(const QString& text, const QString& name) {
  cancel();
  take(std::make_shared<const IndexedText>(text.toStdString()), {name, "", {}});
}

void HloFile::load(const QString& path, const Opening& as) {
  cancel();
  Q_EMIT replacing();
  busy_ = true;
  Q_EMIT takesLong(as.name);
  reading_.start([path](std::stop_token) { return read_module_text(path); },
                 [this, as](const Result<IndexedTextPtr>& text) {
                   if (text.ok()) return take(*text, as);
                   busy_ = false;
                   Q_EMIT failed(text.error());
                 });
}

void HloFile::take(const IndexedTextPtr& text, const Opening& as) {
  Q_EMIT replacing();
  cancel();  // not before: what waits for the module that was read, waits on
  name_ = as.name;
  path_ = as.path;
  before_ = text;
  edits_.texts().setTitle(name_);
  if (as.state.isEmpty()) {
    edits_.open(text);
  } else {
    edits_.open(with_lines(text, as.state["lines"].toObject()), read_choice(as.state["options"].toObject()));
    if (as.state["modified"].toBool()) edits_.stack().resetClean();
  }
  Q_EMIT changed();
}

bool HloFile::isOfText() const {
  QFile file(path_);
  return !file.open(QIODevice::ReadOnly) || !is_binary(file.read(kFirstBytes).toStdString());
}

void HloFile::cancel() {
  reading_.cancel();
  busy_ = false;
}

Result<void> HloFile::save(const QString& path) {
  edits_.flush();
  TRY_VOID(save_text(path, edits_.texts().text()->text()));
  path_ = path;
  before_ = edits_.texts().text();
  name_ = QFileInfo(path).fileName();
  edits_.texts().setTitle(name_);
  edits_.stack().setClean();
  Q_EMIT changed();
  return {};
}

QJsonObject HloFile::state() const {
  QJsonObject out{{"options", json(edits_.choice())}};
  if (name_.isEmpty() && edits_.texts().plainText().isEmpty()) return out;
  out["name"] = name_;
  out["file"] = path_;
  out["modified"] = modified();
  if (!edits_.texts().isReadOnly()) {
    out["text"] = edits_.texts().plainText();
    return out;
  }
  QJsonObject lines;
  for (const auto& [line, text] : edits_.texts().readOnly()->text()->changed())
    lines[QString::number(line)] = QString::fromStdString(text);
  out["lines"] = lines;
  return out;
}

void HloFile::restore(const QJsonObject& state) {
  const Opening as{state["name"].toString(), state["file"].toString(), state};
  if (state.contains("text"))
    return take(std::make_shared<const IndexedText>(state["text"].toString().toStdString()), as);
  if (!as.path.isEmpty() && QFile::exists(as.path)) return load(as.path, as);
  take(std::make_shared<const IndexedText>(), as);
}

}  // namespace shardscope::inline window
