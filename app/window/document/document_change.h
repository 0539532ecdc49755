// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QUndoCommand>
#include <utility>

namespace shardscope::inline window {

// A document's value becomes another one. Changes of one field in a row are one; without a field none is.
template <class Document, class Value>
class DocumentChange : public QUndoCommand {
 public:
  DocumentChange(Document& document, Value from, Value to, const QString& text, QString field)
      : QUndoCommand(text),
        document_(document),
        from_(std::move(from)),
        to_(std::move(to)),
        field_(std::move(field)) {}

  void undo() override { document_.set(from_); }
  void redo() override { document_.set(to_); }
  int id() const override { return field_.isEmpty() ? -1 : 1; }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* later = static_cast<const DocumentChange*>(other);
    if (later->field_ != field_) return false;
    to_ = later->to_;
    return true;
  }

 private:
  Document& document_;
  Value from_, to_;
  QString field_;
};

}  // namespace shardscope::inline window
