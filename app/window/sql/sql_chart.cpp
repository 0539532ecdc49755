// SPDX-License-Identifier: Apache-2.0
#include "app/window/sql/sql_chart.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <optional>

#include "app/window/document/language.h"
#include "engine/base/text.h"
#include "engine/trace/schema_words.h"

namespace shardscope::inline window {
namespace {

constexpr size_t kMostCharted = 5000;  // rows; more are no picture

std::vector<double> numbers_of(const QueryResult& answer, size_t column) {
  std::vector<double> out;
  for (size_t row = 0; row < std::min(answer.rows.size(), kMostCharted); ++row)
    out.push_back(parse_double(answer.rows[row][column]).value_or(std::nan("")));
  return out;
}

bool all_numbers(const QueryResult& answer, size_t column) {
  const auto numbers = numbers_of(answer, column);
  return !numbers.empty() && std::ranges::all_of(numbers, [](double v) { return std::isfinite(v); });
}

QueryChart::Axis axis_of_column(const std::string& name) {
  return {name, unit_of_column(name)};
}

}  // namespace

SqlChart::SqlChart(QWidget* parent)
    : QWidget(parent),
      kind_(new QComboBox(this)),
      x_(new QComboBox(this)),
      y_(new QComboBox(this)),
      canvas_(new PictureCanvas("A chart shows two columns of the answer. Ask something first."_tr, this)) {
  kind_->addItems({"bars"_tr, "line"_tr, "dots"_tr});
  kind_->setAccessibleName("Kind of chart"_tr);
  x_->setAccessibleName("Column along x"_tr);
  y_->setAccessibleName("Column along y"_tr);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(0, 0, 0, 4);
  bar->addWidget(kind_);
  for (const auto& [title, box] : {std::pair{"y", y_}, std::pair{"x", x_}}) {
    auto* label = new QLabel(title, this);
    label->setProperty("role", "muted");
    label->setBuddy(box);
    bar->addWidget(label);
    bar->addWidget(box, 1);
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(bar);
  layout->addWidget(canvas_, 1);
  canvas_->setAccessibleName("Chart of the answer"_tr);
  canvas_->setTooltip([this](const ItemId& item) {
    const auto row = static_cast<size_t>(item.index);
    QStringList words;
    if (item.kind != ItemId::Kind::candidate || row >= answer_.rows.size()) return words;
    for (size_t c = 0; c < answer_.columns.size(); ++c)
      words << QString::fromStdString(answer_.columns[c] + ": " + answer_.rows[row][c]);
    return words;
  });
  for (QComboBox* box : {kind_, x_, y_}) connect(box, &QComboBox::currentIndexChanged, this, &SqlChart::draw);
}

void SqlChart::setAnswer(const QueryResult& answer, const QString& x, const QString& y) {
  answer_ = answer;
  const QString kept_x = x_->currentText(), kept_y = y_->currentText();
  {
    const QSignalBlocker quiet_x(x_), quiet_y(y_);
    x_->clear();
    y_->clear();
    int first = -1, second = -1;  // columns of numbers
    for (size_t c = 0; c < answer.columns.size(); ++c) {
      x_->addItem(QString::fromStdString(answer.columns[c]));
      y_->addItem(QString::fromStdString(answer.columns[c]));
      if (!all_numbers(answer, c)) continue;
      (first < 0    ? first
       : second < 0 ? second
                    : first) = first < 0 || second < 0 ? static_cast<int>(c) : first;
    }
    const auto choose = [](QComboBox* box, std::initializer_list<QString> wanted, int otherwise) {
      for (const QString& name : wanted) {
        if (const int place = name.isEmpty() ? -1 : box->findText(name); place >= 0)
          return box->setCurrentIndex(place);
      }
      box->setCurrentIndex(std::max(0, otherwise));
    };
    choose(x_, {x, kept_x}, 0);
    choose(y_, {y, kept_y}, first == 0 && second > 0 ? second : first);
  }
  draw();
}

void SqlChart::draw() {
  const int x = x_->currentIndex(), y = y_->currentIndex();
  chart_ = {};
  chart_.kind = static_cast<QueryChart::Kind>(kind_->currentIndex());
  if (x >= 0 && y >= 0) {
    const auto cx = static_cast<size_t>(x), cy = static_cast<size_t>(y);
    chart_.x_axis = axis_of_column(answer_.columns[cx]);
    chart_.y_axis = axis_of_column(answer_.columns[cy]);
    if (all_numbers(answer_, cx)) chart_.x = numbers_of(answer_, cx);
    chart_.y = numbers_of(answer_, cy);
    for (size_t row = 0; row < chart_.y.size(); ++row) chart_.labels.push_back(answer_.rows[row][cx]);
  }
  canvas_->setPicture([chart = chart_](const Selection& selection, const Canvas& canvas) {
    return layout_query_chart(chart, selection, canvas);
  });
}

}  // namespace shardscope::inline window
