// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QWidget>
#include <functional>

namespace shardscope::inline window {

// What a view does itself with a kind of file (file_kinds.h) that is dropped onto it; other kinds, and files
// that are dropped elsewhere, are opened.
class FileTaker : public QObject {
 public:
  using Take = std::function<void(const QString& path)>;
  FileTaker(QWidget* onto, QString kind_id, QString what_it_does, Take take_file)
      : QObject(onto), kind(std::move(kind_id)), does(std::move(what_it_does)), take(std::move(take_file)) {
    onto->setAcceptDrops(true);
  }

  const QString kind, does;  // "workspace", "imports its runs"
  const Take take;
};

// Of the view that `over` is part of; null: it takes no such files.
inline const FileTaker* taker_of(const QWidget& over, const QString& kind) {
  for (const QWidget* each = &over; each != nullptr; each = each->parentWidget()) {
    for (const QObject* child : each->children()) {
      const auto* taker = dynamic_cast<const FileTaker*>(child);
      if (taker != nullptr && taker->kind == kind) return taker;
    }
  }
  return nullptr;
}

}  // namespace shardscope::inline window
