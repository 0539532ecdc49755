// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/details_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/window/document/language.h"
#include "engine/help/topics.h"

namespace shardscope::inline window {
namespace {

QString quoted(const std::string& text) {
  return QString::fromStdString(text).toHtmlEscaped();
}

QString unbroken(const std::string& text) {
  return quoted(text).replace(' ', QChar::Nbsp);
}

QString small(const std::string& text, const QString& muted) {
  if (text.empty()) return {};
  return QString("<div style='color:%1'>%2</div>").arg(muted, quoted(text));
}

QString fact_html(const Fact& fact, const QString& muted) {
  if (fact.label.empty())
    return QString("<tr><td colspan=2>%1%2%3</td></tr>")
        .arg(quoted(fact.value), small(fact.formula, muted), small(fact.source, muted));
  return QString("<tr><td style='color:%1; padding-right:8px'>%2</td><td>%3%4%5</td></tr>")
      .arg(muted, quoted(fact.label), quoted(fact.value), small(fact.formula, muted),
           small(fact.source, muted));
}

// A row is its first cell on a line of its own, then the others with their columns' names: a narrow panel has
// no room for eight columns.
QString table_html(const DetailTable& table, const QString& muted) {
  QString html;
  for (const auto& row : table.rows) {
    QStringList cells;
    for (size_t i = 1; i < row.size(); ++i) {
      if (row[i].empty()) continue;
      cells << QString("<span style='color:%1'>%2</span>%3%4")
                   .arg(muted, unbroken(table.columns[i]), QString(QChar::Nbsp), unbroken(row[i]));
    }
    html += QString("<div style='margin-bottom:4px'>%1<br>%2</div>").arg(quoted(row[0]), cells.join(" · "));
  }
  return html;
}

QString html_of(const Details& details, const QString& muted, const QString& link) {
  QString html = "<p><b>" + quoted(details.title) + "</b></p>";
  int number = 0;
  for (const DetailSection& section : details.sections) {
    if (!section.heading.empty()) html += "<p><b>" + quoted(section.heading) + "</b></p>";
    html += "<table cellspacing=0 cellpadding=1 width='100%'>";
    for (const Fact& fact : section.facts) html += fact_html(fact, muted);
    html += "</table>" + table_html(section.table, muted);
    for (const DetailLink& each : section.links)
      html += QString("<div style='margin-bottom:3px'><a href='#%1' style='color:%2'>%3</a></div>")
                  .arg(number++)
                  .arg(link, quoted(each.text));
  }
  return html;
}

QString nothing_to_tell(Subject subject) {
  switch (subject) {
    case Subject::runs:
      return spoken(help_topic("details").shows) + ' ' + "Run something, then click on it."_tr;
    case Subject::module:
      return "Details of the module: Run and prove it, then click on one of its operations."_tr;
    case Subject::neither:
      break;
  }
  return "Details are of runs, modules and kernels: they stand on their pages."_tr;
}

QString name_of(Color c) {
  return QColor(c.r, c.g, c.b).name();
}

}  // namespace

DetailsPanel::DetailsPanel(Clock& clock, const Transport& transport, QWidget* parent)
    : QWidget(parent), clock_(clock), transport_(transport), text_(new QTextBrowser(this)) {
  text_->setOpenLinks(false);
  text_->setFrameShape(QFrame::NoFrame);
  text_->setAccessibleName("Details of what is selected"_tr);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 4);
  layout->addWidget(text_, 1);
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(8, 0, 8, 0);
  const auto button = [&](const QString& title, auto content) {
    auto* made = new QPushButton(title, this);
    connect(made, &QPushButton::clicked, this,
            [this, content] { QApplication::clipboard()->setText((this->*content)()); });
    buttons->addWidget(made);
  };
  button("Copy CSV"_tr, &DetailsPanel::csv);
  button("Copy Markdown"_tr, &DetailsPanel::markdown);
  buttons->addStretch(1);
  layout->addLayout(buttons);
  connect(text_, &QTextBrowser::anchorClicked, this,
          [this](const QUrl& url) { follow(url.fragment().toInt()); });
  clock_.tellOf(Changed::run | Changed::time | Changed::selected | Changed::range, this, &DetailsPanel::read);
  connect(&transport_, &Transport::changed, this, [this] {
    if (clock_.subject() == Subject::neither) read();  // of runs the clock tells
  });
  write();
}

void DetailsPanel::follow(int link) {
  for (const DetailSection& section : details_.sections) {
    if (link < static_cast<int>(section.links.size())) {
      // A copy: selecting writes these details anew.
      const ItemId to = section.links[static_cast<size_t>(link)].to;
      return transport_.front().select(to);
    }
    link -= static_cast<int>(section.links.size());
  }
}

void DetailsPanel::setTheme(const Theme& theme) {
  theme_ = theme;
  write();
}

void DetailsPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  read();
}

void DetailsPanel::read() {
  if (!isVisible()) return;
  Details now = transport_.front().details();
  const QString who = transport_.front().who();
  if (now == details_ && who == who_ && clock_.subject() == subject_) return;
  details_ = std::move(now);
  who_ = who;
  subject_ = clock_.subject();
  write();
}

void DetailsPanel::write() {
  if (details_.title.empty()) return text_->setHtml("<p>" + nothing_to_tell(subject_) + "</p>");
  const QString muted = name_of(theme_.muted_text);
  text_->setHtml(QString("<p style='color:%1'>%2</p>").arg(muted, who_.toHtmlEscaped()) +
                 html_of(details_, muted, name_of(theme_.selection)));
}

}  // namespace shardscope::inline window
