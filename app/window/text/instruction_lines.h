// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRect>
#include <QSet>
#include <QString>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace shardscope::inline window {

// Instructions that a text has by no name, as its reader says where they come from: those of StableHLO.
struct InstructionPlaces {
  std::unordered_map<std::string, int> lines;  // from 0
  std::unordered_map<int, std::string> names;  // of the first of a line
};
using InstructionPlacesPtr = std::shared_ptr<const InstructionPlaces>;

// A module's text in a view, instruction by instruction, whether it can be typed into or is only read.
class InstructionLines {
 public:
  InstructionLines() = default;
  InstructionLines(const InstructionLines&) = delete;
  InstructionLines& operator=(const InstructionLines&) = delete;
  virtual ~InstructionLines() = default;

  virtual QString instructionAt(int line) const = 0;         // "" when the line has none
  virtual int lineOf(const QString& instruction) const = 0;  // or -1
  virtual std::string lineText(int line) const = 0;          // "" when there is none
  virtual std::pair<int, int> visibleLines() const = 0;      // first and last
  virtual float middleOf(int line) const = 0;  // in pixels of the view; outside of it when scrolled away
  virtual QRect placeOf(int line, int column) const = 0;  // of a cursor there, in the view
  virtual const QSet<QString>& marked() const = 0;
  virtual void mark(const QSet<QString>& instructions) = 0;
  virtual void reveal(int line) = 0;  // scrolls there when it is out of sight; the cursor stays
  // Marks a place from 1:1 on; 0: none.
  virtual void setProblem(int line, int column, const QString& reason) = 0;

  void setPlaces(InstructionPlacesPtr places) { places_ = std::move(places); }  // null: none

 protected:
  // As instructionAt and lineOf, of what the text has by no name or another one ("%3" is dot.5).
  QString placedAt(int line) const {
    if (places_ == nullptr) return {};
    const auto found = places_->names.find(line);
    return found == places_->names.end() ? QString() : QString::fromStdString(found->second);
  }
  int lineOfPlaced(const QString& instruction) const {
    if (places_ == nullptr) return -1;
    const auto found = places_->lines.find(instruction.toStdString());
    return found == places_->lines.end() ? -1 : found->second;
  }

 private:
  InstructionPlacesPtr places_;
};

}  // namespace shardscope::inline window
