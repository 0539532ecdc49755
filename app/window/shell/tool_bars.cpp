// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/tool_bars.h"

#include <QAction>
#include <QFileInfo>
#include <QTextDocument>
#include <QToolButton>

#include "app/window/docks/dock_area.h"
#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/step_bar.h"

namespace shardscope::inline window {
namespace {

// Of the set-up, where it would hide the rest of it: menus and the palette have them too.
const QStringList kSpared{"chip.edit", "help.commands"};

// Where each number of the chip comes from.
QString hardware_tooltip(const std::string& name) {
  const auto hardware = find_hardware(name);
  if (!hardware.ok()) return in_window(hardware.error());
  QStringList lines{"The chip and links that time is simulated on"_tr};
  for (const auto& [key, source] : hardware->sources) lines << QString::fromStdString(key + ": " + source);
  return Qt::convertFromPlainText(lines.join('\n'));  // rich text wraps
}

QToolBar* make_bar(QMainWindow& window, const QString& title, const QString& name) {
  QToolBar* bar = window.addToolBar(title);
  bar->setObjectName(name);
  bar->setMovable(false);
  return bar;
}

}  // namespace

ToolBars::ToolBars(const Context& c)
    : tools_(make_bar(c.window, "Tools"_tr, "tools")),
      pages_(nullptr),
      tabs_(new QTabBar(&c.window)),
      hardware_(new QComboBox(&c.window)),
      overlap_(new QCheckBox("overlap"_tr, &c.window)) {
  c.window.addToolBarBreak();
  pages_ = make_bar(c.window, "Pages"_tr, "pages");
  addPages(c);
  addSteps(c);
  addSetup(c);
  ExperimentDocument& document = c.bench.document();
  QObject::connect(&document, &ExperimentDocument::changed, tools_,
                   [this, &document] { readDocument(document.experiment()); });
}

void ToolBars::addSteps(const Context& c) {
  const auto action = [&](const char* id) { return c.window.findChild<QAction*>(id); };
  tools_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  run_actions_ << action("run.all") << action("run.one");
  cancel_ = action("run.cancel");
  tools_->addAction(cancel_);
  tools_->addSeparator();
  for (const char* id :
       {"step.first", "step.previous", "step.play", "step.next", "step.last", "step.in_time"}) {
    tools_->addAction(action(id));
    auto* button = static_cast<QToolButton*>(tools_->widgetForAction(action(id)));
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
  }
  steps_ = new StepBar(c.transport, &c.window);
  steps_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  tools_->addWidget(steps_);
}

void ToolBars::addSetup(const Context& c) {
  const auto action = [&](const char* id) { return c.window.findChild<QAction*>(id); };
  hardware_->setObjectName("hardware");
  hardware_->setAccessibleName("Hardware"_tr);
  hardware_->setToolTip("The chip and links that time is simulated on"_tr);
  for (const std::string& name : hardware_preset_names()) {
    const QString preset = QString::fromStdString(name);
    hardware_->addItem(preset, preset);
  }
  QObject::connect(hardware_, &QComboBox::activated, hardware_, [this, &document = c.bench.document()] {
    Experiment e = document.experiment();
    e.hardware = hardware_->currentData().toString().toStdString();
    document.change(e, "hardware");
  });
  overlap_->setToolTip(action("run.overlap")->toolTip());
  QObject::connect(overlap_, &QCheckBox::clicked, action("run.overlap"), &QAction::trigger);
  commands_ = action("help.commands");
  setup_actions_ << tools_->addSeparator() << tools_->addWidget(hardware_) << action("chip.edit")
                 << tools_->addWidget(overlap_) << tools_->addSeparator() << commands_;
}

void ToolBars::addPages(const Context& c) {
  tabs_->setObjectName("pageTabs");
  tabs_->setAccessibleName("Pages"_tr);
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setUsesScrollButtons(true);
  for (const Page& page : shardscope::pages()) {
    const int tab = tabs_->addTab(page.title);
    const QAction* action = c.window.findChild<QAction*>("page." + page.id);
    const auto tell = [this, tab, action] { tabs_->setTabToolTip(tab, action->toolTip()); };
    QObject::connect(action, &QAction::changed, tabs_, tell);
    tell();
    tabs_->setAccessibleTabName(tab, page.title + ": " + page.about);
    tabs_->setTabData(tab, page.id);
  }
  const auto follow = [this](const QString& id) {
    for (int tab = 0; tab < tabs_->count(); ++tab) {
      if (tabs_->tabData(tab).toString() == id) tabs_->setCurrentIndex(tab);
    }
  };
  QObject::connect(&c.docks, &DockArea::pageChanged, tabs_, follow);
  QObject::connect(tabs_, &QTabBar::currentChanged, tabs_,
                   [this, &docks = c.docks](int tab) { docks.setPage(tabs_->tabData(tab).toString()); });
  QObject::connect(
      tabs_, &QTabBar::tabBarClicked, &c.docks, [&docks = c.docks] { look_at_page(docks); },
      Qt::QueuedConnection);
  follow(c.docks.page());
  pages_->addWidget(tabs_);
  auto* gap = new QWidget(pages_);
  gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  pages_->addWidget(gap);
}

void ToolBars::arrange(Form form) {
  form_ = form;
  place();
}

void ToolBars::showSetup(bool on) {
  if (on == setup_) return;
  setup_ = on;
  place();
}

void ToolBars::place() {
  const Form form = form_;
  QToolBar* home = form == Form::wide ? tools_ : pages_;
  for (QAction* each : run_actions_) {
    if (tools_->actions().contains(each) == setup_) continue;
    setup_ ? tools_->insertAction(cancel_, each) : tools_->removeAction(each);
  }
  if (setup_) tools_->widgetForAction(run_actions_.front())->setObjectName("run");
  for (QAction* each : setup_actions_) {
    tools_->removeAction(each);
    pages_->removeAction(each);
    const bool spared = form == Form::small && kSpared.contains(each->objectName());
    const bool wanted = setup_ || each == commands_;
    if (wanted && (form == Form::wide || (!each->isSeparator() && !spared))) home->addAction(each);
  }
  auto* cancel = static_cast<QToolButton*>(tools_->widgetForAction(cancel_));
  cancel->setToolButtonStyle(form == Form::small ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
  // Qt keeps the buttons of tool bars, which are made anew here, out of Tab's way.
  for (const QToolBar* bar : {tools_, pages_}) {
    for (QToolButton* button : bar->findChildren<QToolButton*>()) button->setFocusPolicy(Qt::TabFocus);
  }
}

void ToolBars::setTheme(const Theme& theme) {
  const int px = static_cast<int>(14 * theme.scale);
  tools_->setIconSize({px, px});
  steps_->setTheme(theme);
}

void ToolBars::readDocument(const Experiment& e) {
  const QString hardware = QString::fromStdString(e.hardware);
  if (hardware_->findData(hardware) < 0) hardware_->addItem(QFileInfo(hardware).completeBaseName(), hardware);
  hardware_->setCurrentIndex(hardware_->findData(hardware));
  hardware_->setToolTip(hardware_tooltip(e.hardware));
  overlap_->setChecked(e.overlap);
}

}  // namespace shardscope::inline window
