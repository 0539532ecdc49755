// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/preferences.h"

#include <QApplication>
#include <QFont>
#include <QJsonDocument>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>
#include <cmath>

namespace shardscope::inline window {
namespace {

constexpr int kMostRecent = 10;

QColor qcolor_of(Color c) {
  return {c.r, c.g, c.b, c.a};
}

QColor blended(Color a, Color b, double part) {
  const auto mix = [part](uint8_t x, uint8_t y) { return static_cast<int>(std::lround(x + (y - x) * part)); };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

QPalette palette_of(const Theme& t) {
  QPalette palette;
  palette.setColor(QPalette::Window, qcolor_of(t.panel));
  palette.setColor(QPalette::WindowText, qcolor_of(t.text));
  palette.setColor(QPalette::Base, qcolor_of(t.background));
  palette.setColor(QPalette::AlternateBase, blended(t.background, t.panel, 0.6));
  palette.setColor(QPalette::Text, qcolor_of(t.text));
  palette.setColor(QPalette::Button, qcolor_of(t.panel));
  palette.setColor(QPalette::ButtonText, qcolor_of(t.text));
  palette.setColor(QPalette::BrightText, qcolor_of(t.warning));
  palette.setColor(QPalette::ToolTipBase, qcolor_of(t.panel));
  palette.setColor(QPalette::ToolTipText, qcolor_of(t.text));
  palette.setColor(QPalette::PlaceholderText, qcolor_of(t.muted_text));
  palette.setColor(QPalette::Highlight, blended(t.background, t.selection, t.dark ? 0.35 : 0.18));
  palette.setColor(QPalette::HighlightedText, qcolor_of(t.text));
  palette.setColor(QPalette::Link, qcolor_of(t.selection));
  palette.setColor(QPalette::Mid, qcolor_of(t.rule));
  palette.setColor(QPalette::Dark, qcolor_of(t.rule));
  palette.setColor(QPalette::Light, qcolor_of(t.background));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, blended(t.muted_text, t.panel, 0.25));
  }
  return palette;
}

// @name@ stands for a colour, #N# for N pixels at 100 %.
constexpr const char* kStyle = R"(
* { font-size: #13#px; }
QMainWindow::separator { background: @rule@; width: 1px; height: 1px; margin: #1#px; }
QMainWindow::separator:hover { background: @selection@; }
QMenuBar { background: @panel@; padding: #2#px; border-bottom: 1px solid @rule@; }
QMenuBar::item { padding: #4#px #8#px; border-radius: #3#px; background: transparent; }
QMenuBar::item:selected { background: @hover@; }
QMenu { background: @background@; border: 1px solid @rule@; padding: #4#px; }
QMenu::item { padding: #4#px #24#px #4#px #20#px; border-radius: #3#px; }
QMenu::item:selected { background: @hover@; }
QMenu::item:disabled { color: @disabled@; }
QMenu::separator { height: 1px; background: @rule@; margin: #4#px #8#px; }
QToolBar { background: @panel@; border: none; border-bottom: 1px solid @rule@; spacing: #4#px; padding: #4#px #8#px; }
QToolBar::separator { background: @rule@; width: 1px; margin: #4#px #4#px; }
QToolButton { padding: #4#px #8#px; border: 1px solid transparent; border-radius: #4#px; }
QToolButton:hover { background: @hover@; }
QToolButton:checked, QToolButton:pressed { background: @pressed@; }
QToolButton:disabled { color: @disabled@; }
QToolButton[role="small"] { padding: #2#px #6#px; background: @background@; border: 1px solid @rule@; }
QToolButton[role="small"]:hover { background: @hover@; }
QToolButton[role="small"]:disabled { background: @panel@; }
QToolButton#run { background: @selection@; color: @on_selection@; font-weight: bold; }
QToolButton#run:hover { background: @selection_hover@; }
QToolButton#run:disabled { background: @hover@; color: @disabled@; }
QWidget#dockTitle { background: @panel@; border-bottom: 1px solid @rule@; }
QWidget#dockTitle QLabel { color: @muted@; font-weight: bold; padding: #4#px #8#px; }
QWidget#dockTitle QToolButton { padding: #1#px; }
QTabBar { background: @panel@; }
QTabBar QToolButton { padding: 0; background: @panel@; border: 1px solid @rule@; }
QTabBar::tab { background: @panel@; color: @muted@; padding: #5#px #6#px; border: none; border-bottom: #2#px solid transparent; }
QTabBar::tab:selected { color: @text@; border-bottom: #2#px solid @selection@; }
QTabBar::tab:hover { color: @text@; }
QPushButton { background: @background@; border: 1px solid @rule@; border-radius: #4#px; padding: #4#px #12#px; }
QPushButton:hover { background: @hover@; }
QPushButton:pressed { background: @pressed@; }
QPushButton:disabled { color: @disabled@; background: @panel@; }
QPushButton:focus, QToolButton:focus { border: 1px solid @selection@; }
QLineEdit, QSpinBox, QComboBox, QPlainTextEdit { background: @background@; border: 1px solid @rule@; border-radius: #3#px;
  padding: #3#px #6#px; selection-background-color: @select_back@; selection-color: @text@; }
QPlainTextEdit { padding: 0px; }
QLineEdit:focus, QSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus { border: 1px solid @selection@; }
QLineEdit[invalid="true"] { border: 1px solid @warning@; }
QLineEdit:read-only { background: @panel@; }
QComboBox::drop-down { border: none; width: #18#px; }
QComboBox::down-arrow { image: url(:/shardscope/@arrow@); width: #9#px; height: #9#px; }
QComboBox QAbstractItemView { background: @background@; border: 1px solid @rule@; selection-background-color: @hover@; selection-color: @text@; outline: none; }
QSpinBox::up-button, QSpinBox::down-button { width: 0px; border: none; }
QCheckBox { spacing: #6#px; }
QCheckBox::indicator, QTreeView::indicator, QTableView::indicator { width: #14#px; height: #14#px; border: 1px solid @muted@; border-radius: #3#px; background: @background@; }
QCheckBox::indicator:checked, QTreeView::indicator:checked, QTableView::indicator:checked { background: @selection@; border-color: @selection@; image: url(:/shardscope/@check@); }
QTreeView::indicator:indeterminate { background: @select_back@; border-color: @selection@; image: url(:/shardscope/@partly@); }
QCheckBox::indicator:disabled, QTreeView::indicator:disabled { border-color: @rule@; background: @panel@; }
QTreeView, QTableView, QListView { background: @background@; alternate-background-color: @alternate@; border: none; gridline-color: @rule@; outline: none;
  selection-background-color: @select_back@; selection-color: @text@; }
QTreeView::item { padding: #3#px #2#px; border: none; }
QTableView::item { padding: #2#px #6#px; border: none; }
QTreeView::item:hover, QListView::item:hover { background: @hover@; }
QTreeView::item:selected, QListView::item:selected { background: @select_back@; color: @text@; }
QListView::item { padding: #4#px #8#px; border: none; }
QHeaderView { background: @panel@; }
QHeaderView::section { background: @panel@; color: @muted@; border: none; border-bottom: 1px solid @rule@; padding: #4#px #8#px; font-weight: bold; }
QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: padding; subcontrol-position: top center; width: #8#px; height: #5#px; }
QTableCornerButton::section { background: @panel@; border: none; border-bottom: 1px solid @rule@; }
QScrollBar:vertical { background: transparent; width: #10#px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: #10#px; margin: 0; }
QScrollBar::handle { background: @rule@; border-radius: #4#px; margin: #2#px; min-width: #24#px; min-height: #24#px; }
QScrollBar::handle:hover { background: @muted@; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSlider { min-height: #18#px; }
QSlider::groove:horizontal { height: #4#px; background: @rule@; border-radius: #2#px; }
QSlider::sub-page:horizontal { background: @selection@; border-radius: #2#px; }
QSlider::handle:horizontal { width: #14#px; height: #14#px; margin: -#5#px 0; border-radius: #7#px; background: @selection@; }
QSlider::sub-page:horizontal:disabled, QSlider::handle:horizontal:disabled { background: @rule@; }
QProgressBar { border: none; background: @rule@; border-radius: #3#px; height: #6#px; text-align: center; }
QProgressBar::chunk { background: @selection@; border-radius: #3#px; }
QStatusBar { background: @panel@; color: @muted@; border-top: 1px solid @rule@; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @muted@; padding: 0 #6#px; }
QToolTip { background: @panel@; color: @text@; border: 1px solid @rule@; padding: #6#px; }
QScrollArea { border: none; background: @panel@; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QLabel[role="heading"] { color: @text@; font-weight: bold; padding-top: #6#px; }
QLabel[role="muted"] { color: @muted@; }
QLabel[role="warning"] { color: @warning@; }
QLabel[role="lesson"] { color: @text@; font-size: #16#px; }
QLabel[role="verdict"] { color: @text@; padding: #4#px #8#px; background: @background@; border-top: 1px solid @rule@; }
QLabel[role="drop"], QLabel[role="refused"] { background: @background@; color: @text@; font-weight: bold; border: #3#px dashed @selection@; padding: #24#px; }
QLabel[role="refused"] { border-color: @warning@; }
QLabel[role="chip"] { background: @pressed@; border-radius: #3#px; padding: #2#px #8#px; }
QLabel[role="slot"] { background: @background@; border: 1px dashed @muted@; border-radius: #3#px; padding: #2#px #6#px; }
QGroupBox { border: none; }
)";

}  // namespace

QString style_sheet(const Theme& t) {
  QString style = kStyle;
  const auto put = [&](const char* name, const QColor& color) {
    style.replace(QString("@%1@").arg(name), color.name());
  };
  put("panel", qcolor_of(t.panel));
  put("background", qcolor_of(t.background));
  put("alternate", blended(t.background, t.panel, 0.6));
  put("rule", qcolor_of(t.rule));
  put("text", qcolor_of(t.text));
  put("muted", qcolor_of(t.muted_text));
  put("disabled", blended(t.muted_text, t.panel, 0.25));
  put("warning", qcolor_of(t.warning));
  put("selection", qcolor_of(t.selection));
  put("selection_hover", blended(t.selection, t.text, 0.2));
  put("on_selection", qcolor_of(text_on(t, t.selection)));
  put("hover", blended(t.panel, t.text, 0.08));
  put("pressed", blended(t.panel, t.text, 0.16));
  put("select_back", blended(t.background, t.selection, t.dark ? 0.35 : 0.18));
  style.replace("@arrow@", t.dark ? "arrow_dark.svg" : "arrow_light.svg");
  style.replace("@partly@", t.dark ? "partly_dark.svg" : "partly_light.svg");
  style.replace("@check@", t.dark ? "check_dark.svg" : "check_light.svg");
  for (int px = 24; px >= 1; --px) {
    style.replace(QString("#%1#").arg(px), QString::number(std::lround(px * t.scale)));
  }
  return style;
}

Preferences::Preferences(QObject* parent) : QObject(parent) {
  connect(&settings_, &Settings::changed, this, [this](const QString& id) {
    const QString section = find_setting(id)->section;
    if (section == "look") Q_EMIT lookChanged();
    if (section == "telling") Q_EMIT tellingChanged();
    if (section == "memory") Q_EMIT limitsChanged();
  });
}

Theme Preferences::theme() const {
  Theme theme = dark() ? dark_theme() : light_theme();
  theme.scale = static_cast<float>(scale());
  return theme;
}

SentenceLevel Preferences::sentences() const {
  const std::string wanted = settings_.value("sentences").toString().toStdString();
  for (const SentenceLevel level : sentence_levels()) {
    if (wanted == name(level)) return level;
  }
  return SentenceLevel::idea;
}

QJsonObject Preferences::kept(const QString& id) const {
  return QJsonDocument::fromJson(settings_.value(id).toByteArray()).object();
}

void Preferences::keep(const QString& id, const QJsonObject& state) {
  settings_.set(id, QJsonDocument(state).toJson(QJsonDocument::Compact));
}

void Preferences::addRecent(const QString& list, const QString& latest) {
  QStringList recent = settings_.value(list).toStringList();
  recent.removeAll(latest);
  recent.prepend(latest);
  while (recent.size() > kMostRecent) recent.removeLast();
  settings_.set(list, recent);
}

void Preferences::overrideLook(std::optional<bool> dark, std::optional<double> scale) {
  if (dark) settings_.setForThisStart("dark", *dark);
  if (scale) settings_.setForThisStart("scale", *scale);
}

void apply_font(const Theme& t) {
  if (QApplication::style()->name() != "fusion") QApplication::setStyle(QStyleFactory::create("Fusion"));
  QFont font;
  font.setFamilies({"DejaVu Sans", "Noto Sans", "sans-serif"});
  font.setPixelSize(static_cast<int>(std::lround(t.base_px * t.scale)));
  if (QApplication::font() != font) QApplication::setFont(font);
  const QPalette palette = palette_of(t);
  if (QApplication::palette() != palette) QApplication::setPalette(palette);
}

// Every widget is dressed anew by each of these calls: nothing that stays is set again, and a style sheet
// that changes goes first, as changing one for another takes three times as long as dressing without one.
void Preferences::apply() const {
  const QString style = style_sheet(theme());
  if (style == qApp->styleSheet()) return;
  qApp->setStyleSheet(QString());
  apply_font(theme());
  qApp->setStyleSheet(style);
}

}  // namespace shardscope::inline window
