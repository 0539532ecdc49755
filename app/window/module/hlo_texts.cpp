// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_texts.h"

#include <QGridLayout>

#include "app/window/document/language.h"

namespace shardscope {
namespace {

constexpr qsizetype kMostChosenLinks = 200;
constexpr const char* kNothingYet = to_say(
    "Open, drop or paste a module as HLO text, or choose one of the built-in modules above.\n\n"
    "JAX prints it with jax.jit(f).lower(x).as_text(\"hlo\"), compiled.as_text(); XLA with --xla_dump_to; "
    "PyTorch/XLA with torch_xla._XLAC._get_xla_tensors_hlo.");

QLabel* text_heading(const QString& text) {
  auto* label = new QLabel(text);
  label->setProperty("role", "muted");
  label->setContentsMargins(8, 2, 8, 2);
  label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  return label;
}

}  // namespace

HloTexts::HloTexts(QWidget* parent)
    : QWidget(parent),
      source_title_(text_heading("Module"_tr)),
      made_title_(text_heading("Partitioned: what each device does"_tr)),
      source_(new HloTextView("Module"_tr, this)),
      made_(new HloTextView("Partitioned program"_tr, this)),
      links_(new LineLinkCanvas(this)) {
  source_->setPlaceholderText(spoken(kNothingYet));
  made_->setReadOnly(true);
  made_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  made_->setPlaceholderText("What one device does, and why: here."_tr);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(0);
  grid->addWidget(source_title_, 0, 0);
  grid->addWidget(made_title_, 0, 2);
  grid->addWidget(source_, 1, 0);
  grid->addWidget(links_, 1, 1);
  grid->addWidget(made_, 1, 2);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(2, 1);
  for (HloTextView* each : {source_, made_})
    connect(each, &HloTextView::viewChanged, this, &HloTexts::drawLinks);
  source_->setWords([this](const QString& name) {
    return reading_ == nullptr ? QStringList() : words_of_source(reading_->explained, name);
  });
  made_->setWords([this](const QString& name) {
    return reading_ == nullptr ? QStringList() : words_of_made(reading_->explained, name);
  });
}

void HloTexts::setTheme(const Theme& theme) {
  source_->setTheme(theme);
  made_->setTheme(theme);
  links_->setTheme(theme);
  links_->setFixedWidth(static_cast<int>(44 * theme.scale));
  drawLinks();
}

void HloTexts::setTitle(const QString& name) {
  source_title_->setText(name + " · F2 or a double click on a sharding edits it"_tr);
}

void HloTexts::setTitlesShown(bool on) {
  source_title_->setVisible(on);
  made_title_->setVisible(on);
}

void HloTexts::setReading(const HloReading* reading) {
  reading_ = reading;
  chosen_ = {};
  if (reading == nullptr)
    made_->clear();
  else if (reading->made != made_->toPlainText())
    made_->setPlainText(reading->made);
}

void HloTexts::show(const HloChosen& chosen, const QString& first_made) {
  chosen_ = chosen;
  source_->mark(chosen.sources);
  made_->mark(chosen.made);
  if (!source_->hasFocus()) source_->reveal(first_by_line(chosen.sources, *source_));
  if (!made_->hasFocus()) made_->reveal(first_made);
  drawLinks();
}

// Faint lines for what is in sight, strong ones for what is chosen, wherever it is.
void HloTexts::drawLinks() {
  if (reading_ == nullptr) return links_->setLinks({});
  std::vector<LineLink> links;
  const auto add = [&](const std::string& left, const std::string& right, bool chosen) {
    const int from = source_->lineOf(QString::fromStdString(left));
    const int to = made_->lineOf(QString::fromStdString(right));
    if (from < 0 || to < 0) return;
    links.push_back({left, right, source_->middleOf(from), made_->middleOf(to), chosen});
  };
  const auto [first, last] = source_->visibleLines();
  const auto [first_made, last_made] = made_->visibleLines();
  for (int line = first; line <= last; ++line) {
    const QString source = source_->instructionAt(line);
    if (source.isEmpty()) continue;
    for (const std::string& each : reading_->explained.directly_made_for(source.toStdString())) {
      const int to = made_->lineOf(QString::fromStdString(each));
      if (to >= first_made && to <= last_made) add(source.toStdString(), each, false);
    }
  }
  for (const QString& source : chosen_.sources) {
    for (const std::string& each : reading_->explained.made_for(source.toStdString())) {
      if (std::ssize(links) > kMostChosenLinks * 2) break;
      if (chosen_.made.contains(QString::fromStdString(each))) add(source.toStdString(), each, true);
    }
  }
  links_->setLinks(std::move(links));
}

}  // namespace shardscope
