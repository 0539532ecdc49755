// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_texts.h"

#include <QGridLayout>
#include <QResizeEvent>
#include <QTextBlock>

#include "app/window/document/language.h"
#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/program/module_form.h"

namespace shardscope::inline window {
namespace {

// An editor lays out every line that it has; beyond that a text is only read.
constexpr size_t kMostTyped = size_t{512} << 10;
constexpr size_t kLongestTyped = size_t{16} << 10;
QLabel* text_heading(const QString& text) {
  auto* label = new QLabel(text);
  label->setProperty("role", "muted");
  label->setContentsMargins(8, 2, 8, 2);
  label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  return label;
}

// What stands where there is no module yet: each form that opens, and how to get one.
QString nothing_yet() {
  QStringList out{"Open, drop or paste a module, or choose one of the built-in modules above."_tr};
  for (const ModuleSource& source : module_sources()) {
    QStringList endings;
    for (const std::string& ending : source.endings) endings << "*." + QString::fromStdString(ending);
    out << "" << spoken(source.title.c_str()) + (endings.isEmpty() ? "" : " (" + endings.join(", ") + ")")
        << "    " + QString::fromStdString(source.from);
  }
  out << ""
      << "A text may be cut, or have a log's prefixes. F1 says more."_tr;
  return out.join('\n');
}

bool is_typed(const IndexedText& text) {
  return text.bytes() <= kMostTyped && text.longestLine() <= kLongestTyped;
}

}  // namespace

HloTexts::HloTexts(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar(this)),
      source_title_(text_heading("Module"_tr)),
      made_title_(text_heading("Partitioned: what each device does"_tr)),
      views_(new QStackedWidget(this)),
      source_(new HloTextView("Module"_tr, this)),
      read_only_(new LineView("Module, to read"_tr, this)),
      read_only_field_(new HloShardingField(*read_only_, *read_only_)),
      made_(new LineView("Partitioned program"_tr, this)),
      links_(new LineLinkCanvas(this)),
      pair_(views_, links_, made_),
      find_(new FindBar([this] { return finds_in_made_ ? made_->text() : text(); }, this)) {
  source_->setPlaceholderText(nothing_yet());
  made_->setPlaceholderText("What one device does, and why: here."_tr);
  views_->addWidget(source_);
  views_->addWidget(read_only_);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(0);
  grid->addWidget(tabs_, 0, 0, 1, 3);
  grid->addWidget(source_title_, 1, 0);
  grid->addWidget(made_title_, 1, 2);
  grid->addWidget(views_, 2, 0);
  grid->addWidget(links_, 2, 1);
  grid->addWidget(made_, 2, 2);
  grid->addWidget(find_, 3, 0, 1, 3);
  tabs_->addTab("Module"_tr);
  tabs_->addTab("Partitioned"_tr);
  tabs_->setAccessibleName("Text of the module"_tr);
  tabs_->setDrawBase(false);
  tabs_->hide();
  connect(tabs_, &QTabBar::currentChanged, this, &HloTexts::fit);
  connect(source_, &HloTextView::viewChanged, this, &HloTexts::drawLinks);
  for (LineView* each : {read_only_, made_})
    connect(each, &LineView::viewChanged, this, &HloTexts::drawLinks);
  connect(read_only_, &LineView::viewChanged, read_only_field_, &HloShardingField::place);
  connect(read_only_, &LineView::editRequested, read_only_field_, &HloShardingField::openOn);
  const auto of_source = [this](const QString& name) {
    return reading_ == nullptr ? QStringList() : words_of_source(reading_->explained, name);
  };
  source_->setWords(of_source);
  read_only_->setWords(of_source);
  made_->setWords([this](const QString& name) {
    return reading_ == nullptr ? QStringList() : words_of_made(reading_->explained, name);
  });
  connectFinding();
}

void HloTexts::connectFinding() {
  connect(find_, &FindBar::needleChanged, this, [this](const QString& needle) {
    read_only_->setNeedle(finds_in_made_ ? QString() : needle);
    made_->setNeedle(finds_in_made_ ? needle : QString());
  });
  connect(find_, &FindBar::shown, this, [this](int line, int column, int length) {
    goTo({line, column}, length);
  });
  connect(find_, &FindBar::closed, this,
          [this] { finds_in_made_ ? made_->setFocus() : sourceView()->setFocus(); });
}

InstructionLines& HloTexts::lines() {
  if (isReadOnly()) return *read_only_;
  return *source_;
}

HloShardingField* HloTexts::shardingField() {
  return isReadOnly() ? read_only_field_ : source_->shardingField();
}

void HloTexts::setText(const IndexedTextPtr& text) {
  const bool typed = is_typed(*text);
  views_->setCurrentIndex(typed ? 0 : 1);
  source_->setPlainText(typed ? QString::fromStdString(text->text()) : QString());
  read_only_->setText(typed ? nullptr : text);
  setTitle(name_);
  find_->again();
}

IndexedTextPtr HloTexts::text() const {
  if (isReadOnly()) return read_only_->text();
  return std::make_shared<const IndexedText>(source_->toPlainText().toStdString());
}

void HloTexts::setTheme(const Theme& theme) {
  source_->setTheme(theme);
  read_only_->setTheme(theme);
  made_->setTheme(theme);
  pair_.setTheme(theme);
  fit();
  drawLinks();
}

void HloTexts::setTitle(const QString& name) {
  name_ = name;
  if (name.isEmpty()) return source_title_->setText("Module"_tr);
  if (!isReadOnly())
    return source_title_->setText("%1 · F2 or a double click on a sharding edits it"_tr.arg(name));
  const QString size = QString::fromStdString(format_bytes(static_cast<double>(read_only_->text()->bytes())));
  source_title_->setText("%1 · %2, %3, to read: F2 or a double click on a sharding edits it"_tr.arg(
      name, size, counted_tr(static_cast<qint64>(read_only_->text()->lineCount()), "line")));
}

void HloTexts::setTitlesShown(bool on) {
  titles_ = on;
  fit();
}

void HloTexts::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void HloTexts::fit() {
  const bool both = pair_.fit(static_cast<QGridLayout&>(*layout()), width(), tabs_->currentIndex() == 0);
  tabs_->setVisible(!both);
  source_title_->setVisible(titles_ && both);
  made_title_->setVisible(titles_ && both);
}

void HloTexts::setReading(const HloReading* reading) {
  reading_ = reading;
  chosen_.clear();
  for (InstructionLines* const source :
       {static_cast<InstructionLines*>(source_), static_cast<InstructionLines*>(read_only_)})
    source->setPlaces(reading == nullptr ? nullptr : reading->places);
  made_->setText(reading == nullptr ? nullptr : reading->made);
  if (finds_in_made_) find_->again();
}

void HloTexts::show(const HloChosen& chosen, const QString& first_made) {
  lines().mark(chosen.sources);
  made_->mark(chosen.made);
  chosen_.clear();
  for (const QString& source : chosen.sources) {
    const int from = lines().lineOf(source);
    if (reading_ == nullptr || from < 0) continue;
    for (const std::string& each : reading_->explained.made_for(source.toStdString())) {
      if (chosen_.size() >= kMostLinks) break;
      const QString right = QString::fromStdString(each);
      if (!chosen.made.contains(right)) continue;
      if (const int to = made_->lineOf(right); to >= 0)
        chosen_.push_back({source.toStdString(), each, from, to});
    }
  }
  if (!sourceView()->hasFocus()) lines().reveal(lines().lineOf(first_by_line(chosen.sources, lines())));
  if (!made_->hasFocus()) made_->reveal(made_->lineOf(first_made));
  drawLinks();
}

// Faint lines for what is in sight, strong ones for what is chosen, wherever it is.
void HloTexts::drawLinks() {
  if (reading_ == nullptr) return links_->setLinks({});
  std::vector<LineLink> links;
  const ExplainedModule& explained = reading_->explained;
  const auto add = [&](const std::string& left, const std::string& right, float from, float to, bool chosen) {
    links.push_back(
        {left, right, from, to, chosen,
         say("{} becomes {}", explained.display_name(left), explained.display_name_of_made(right))});
  };
  const InstructionLines& source = lines();
  const auto [first, last] = source.visibleLines();
  const auto [first_made, last_made] = made_->visibleLines();
  for (int line = first; line <= last; ++line) {
    const std::string name = source.instructionAt(line).toStdString();
    if (name.empty()) continue;
    for (const std::string& each : explained.directly_made_for(name)) {
      const int to = made_->text()->lineOf(each);
      if (to >= first_made && to <= last_made)
        add(name, each, source.middleOf(line), made_->middleOf(to), false);
    }
  }
  for (const Pair& each : chosen_)
    add(each.left, each.right, source.middleOf(each.from), made_->middleOf(each.to), true);
  links_->setLinks(std::move(links));
}

void HloTexts::find() {
  finds_in_made_ = made_->hasFocus() || (finds_in_made_ && !sourceView()->hasFocus());
  const QString chosen = finds_in_made_ ? made_->selectedText()
                         : isReadOnly() ? read_only_->selectedText()
                                        : source_->textCursor().selectedText();
  find_->begin(chosen.size() < 200 && !chosen.contains('\n') ? chosen : QString());
}

void HloTexts::goTo(TextPlace place, int length) {
  const TextPlace end{place.line, place.column + length};
  tabs_->setCurrentIndex(finds_in_made_ ? 1 : 0);
  if (finds_in_made_) return made_->setSelection(place, end);
  if (isReadOnly()) return read_only_->setSelection(place, end);
  const QTextBlock block = source_->document()->findBlockByNumber(place.line);
  QTextCursor at(block);
  at.setPosition(block.position() + place.column);
  at.setPosition(std::min(block.position() + end.column, block.position() + block.length() - 1),
                 QTextCursor::KeepAnchor);
  source_->setTextCursor(at);
  source_->centerCursor();
}

}  // namespace shardscope::inline window
