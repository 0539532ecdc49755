// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointer>
#include <QString>
#include <random>
#include <string>
#include <vector>

#include "app/window/shell/main_window.h"

namespace shardscope {

// The numbers of one action: those of the same session and action are the same, whatever went before.
class Dice {
 public:
  Dice(uint64_t seed, int64_t action) : random_((seed << 24U) ^ static_cast<uint64_t>(action)) {}
  int below(int64_t n) { return n <= 0 ? 0 : static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  template <class List>
  const auto& of(const List& list) {
    return list[static_cast<size_t>(below(std::ssize(list)))];
  }

 private:
  std::mt19937_64 random_;
};

// Which of its actions a random user takes.
enum class Use {
  all,
  looking,  // nothing that makes a run: canvases, pages, moments, looks
};

// Mouse, keys, files and menus, as a user's hands reach them: what is under the mouse gets the click, what
// has the focus gets the key, and a dialog or a menu that is open comes first.
class Hands {
 public:
  Hands(MainWindow& window, QString folder, Use use);
  // Does one thing at random and says what, before it is done.
  struct Action {
    std::string said;
    std::function<void()> act;
  };
  Action choose(Dice& dice);

 private:
  using Choice = Action (Hands::*)(Dice& dice);
  struct Row {
    const char* name;
    int weight;
    bool looking;  // it makes no run
    Choice choice;
  };
  static const std::vector<Row>& rows();

  Action inDialog(QWidget& dialog, Dice& dice);
  Action inMenu(QWidget& menu, Dice& dice);
  Action click(Dice& dice);
  Action clickItem(Dice& dice);
  Action key(Dice& dice);
  Action type(Dice& dice);
  Action drag(Dice& dice);
  Action wheel(Dice& dice);
  Action drop(Dice& dice);
  Action size(Dice& dice);
  Action look(Dice& dice);
  Action page(Dice& dice);
  Action dock(Dice& dice);
  Action command(Dice& dice);
  Action run(Dice& dice);
  Action cancel(Dice& dice);
  Action undo(Dice& dice);
  Action open(Dice& dice);
  Action choice(Dice& dice);
  Action move(Dice& dice);

  QWidget* somewhere(Dice& dice) const;  // visible; null: nothing is
  Action clickOn(QWidget* widget, QPoint at, Dice& dice) const;
  Action press(const QString& command) const;
  QStringList files() const;

  MainWindow& window_;
  const QString folder_;
  const Use use_;
  int in_front_ = 0;  // actions since a dialog or a menu is open
};

}  // namespace shardscope
