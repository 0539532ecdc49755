// SPDX-License-Identifier: Apache-2.0
// The player of Shardscope's pages. It finds what stands in the page (engine/report/page/page_frame.h) and adds to
// it: figures play, tables sort, questions are judged, lessons go step by step. No network, no framework.
(async () => {
"use strict";

// What the pictures share (views/player/played_page.h): zlib and base 64 around JSON.
async function unpacked(script) {
  const bytes = Uint8Array.from(atob(script.textContent), sign => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}
const shared = document.getElementById("played");
const tables = shared && window.DecompressionStream ? await unpacked(shared) : null;
const root = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const stillness = matchMedia("(prefers-reduced-motion: reduce)");
let printing = false;

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
function shape(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in attributes) made.setAttribute(name, attributes[name]);
  return made;
}
function button(label, words, act) {
  const made = element("button", {type: "button", title: words, "aria-label": words}, label);
  made.addEventListener("click", act);
  return made;
}
function dataOf(owner) {
  const script = owner.querySelector("script[type='application/json']");
  return script ? JSON.parse(script.textContent) : null;
}

// --- theme

const isDark = () => !printing && (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);

function addThemeSwitch() {
  const other = button("◐", "Light or dark", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    redrawAll();
  });
  other.className = "theme";
  document.body.prepend(other);
  prefersDark.addEventListener("change", redrawAll);
  addEventListener("beforeprint", () => { printing = true; redrawAll(); });
  addEventListener("afterprint", () => { printing = false; redrawAll(); });
}

// --- pictures: items of the tables (views/player/scene_json.h) as SVG

const faces = [{}, {"font-family": "DejaVu Sans Mono, monospace"}, {"font-weight": "bold"},
               {"font-family": "DejaVu Sans Mono, monospace", "font-weight": "bold"}];
const anchors = ["start", "middle", "end"];
const decimals = v => String(Math.round(v * 1000) / 1000);

function paintOf(place) {
  if (place < 0) return "none";
  const both = tables.colors[place];
  return typeof both === "string" ? both : both[isDark() ? 1 : 0];
}

function box(x, y, w, h, inset, radius) {
  const at = {x: decimals(x + inset), y: decimals(y + inset), width: decimals(Math.max(0, w - 2 * inset)),
              height: decimals(Math.max(0, h - 2 * inset))};
  if (radius) at.rx = radius;
  return shape("rect", at);
}

function drawRect([, x, y, w, h, fill, id, border = -1, wide = 0, radius = 0, marks = 0, ink = -1], place) {
  const ground = box(x, y, w, h, 0, radius);
  ground.setAttribute("fill", paintOf(fill));
  const parts = [ground];
  const path = ink >= 0 ? tables.strings[marks] : "";
  if (path.startsWith("D")) {
    const at = path.slice(1).split(" ");
    let d = "";
    for (let i = 0; i < at.length; i += 2) d += `M${at[i]} ${at[i + 1]}h0`;
    parts.push(shape("path", {d, fill: "none", stroke: paintOf(ink), "stroke-width": 2, "stroke-linecap": "round"}));
  } else if (path) {
    parts.push(shape("path", {d: path, fill: "none", stroke: paintOf(ink)}));
  }
  if (border >= 0 && wide > 0) {
    const edge = box(x, y, w, h, Math.min(wide / 2, Math.min(w, h) / 2), radius);
    edge.setAttribute("fill", "none");
    edge.setAttribute("stroke", paintOf(border));
    edge.setAttribute("stroke-width", wide);
    parts.push(edge);
  }
  return together(parts, id, place);
}

function drawLine([, points, color, width, how, id], place) {
  const paint = paintOf(color);
  const pairs = [];
  for (let i = 0; i < points.length; i += 2) pairs.push(`${points[i]},${points[i + 1]}`);
  const line = shape("polyline", {points: pairs.join(" "), fill: "none", stroke: paint, "stroke-width": width});
  if (how & 1) line.setAttribute("stroke-dasharray", `${decimals(4 * width)} ${decimals(3 * width)}`);
  const parts = [line];
  const n = points.length;
  if (how & 2 && n >= 4) {
    const [fx, fy, tx, ty] = points.slice(n - 4);
    const length = Math.hypot(tx - fx, ty - fy);
    if (length > 0) {
      const ax = (tx - fx) / length, ay = (ty - fy) / length, size = 4 + 2 * width;
      const corner = side => `${decimals(tx - ax * size + side * ay * size / 2)},${decimals(ty - ay * size - side * ax * size / 2)}`;
      parts.push(shape("polygon", {points: `${tx},${ty} ${corner(-1)} ${corner(1)}`, fill: paint}));
    }
  }
  return together(parts, id, place);
}

function drawCircle([, x, y, r, fill, id, border = -1, wide = 0], place) {
  const circle = shape("circle", {cx: x, cy: y, r, fill: paintOf(fill)});
  if (border >= 0 && wide > 0) {
    circle.setAttribute("stroke", paintOf(border));
    circle.setAttribute("stroke-width", wide);
  }
  return together([circle], id, place);
}

function drawText([, x, y, text = 0, color = 0, px = 0, align = 0, face = 0], place) {
  // 0.365 em: half the height of DejaVu's capitals.
  const made = shape("text", {x, y: decimals(y + 0.365 * px), "font-size": px, "text-anchor": anchors[align],
                              fill: paintOf(color), ...faces[face], "data-item": place});
  made.textContent = tables.strings[text];
  return made;
}

// The shapes of one item, as one element that says which.
function together(parts, id, place) {
  let made = parts[0];
  if (parts.length > 1) {
    made = shape("g", {});
    made.append(...parts);
  }
  made.setAttribute("data-item", place);
  if (id >= 0) {
    made.setAttribute("data-id", id);
    if (made.tagName === "rect" && made.getAttribute("fill") === "none") made.setAttribute("pointer-events", "all");
  }
  return made;
}

const drawers = [drawRect, drawLine, drawCircle, drawText];
let clips = 0;

// The places of a picture's items, its runs written out.
function itemsOf(picture) {
  const out = [];
  for (let i = 0; i < picture.length; ++i) {
    if (picture[i] >= 0) {
      out.push(picture[i]);
    } else {
      const count = -picture[i], first = picture[++i];
      for (let k = 0; k < count; ++k) out.push(first + k);
    }
  }
  return out;
}

// `fresh`: places of items that were not there before; they are shown to come.
function draw(svg, film, items, words, fresh) {
  svg.replaceChildren(box(0, 0, film.width, film.height, 0, 0));
  svg.firstChild.setAttribute("fill", paintOf(film.background));
  svg.setAttribute("aria-label", words);
  const list = shape("g", {role: "list"});
  const into = [svg];
  for (const place of items) {
    const item = tables.items[place];
    if (item[0] === 4 && item.length === 1) {
      if (into.length > 1) into.pop();
    } else if (item[0] === 4) {
      const clip = shape("clipPath", {id: `clip${++clips}`});
      clip.append(box(item[1], item[2], item[3], item[4], 0, 0));
      const group = shape("g", {"clip-path": `url(#${clip.id})`, "data-clip": place});
      into[into.length - 1].append(clip, group);
      into.push(group);
    } else if (item[0] === 5) {
      const [, x, y, w, h, name] = item;
      const said = box(x, y, w, h, 0, 0);
      said.setAttribute("fill", "none");
      said.setAttribute("role", "listitem");
      said.setAttribute("aria-label", tables.strings[name]);
      list.append(said);
    } else {
      const made = drawers[item[0]](item, place);
      if (fresh && fresh.has(place)) made.classList.add("fresh");
      into[into.length - 1].append(made);
    }
  }
  svg.append(list);
}

// --- figures

const figures = [];
let current = null;  // the figure that keys go to
const redrawAll = () => figures.forEach(figure => figure.redraw());

const tip = element("div", {class: "tip", role: "tooltip", hidden: ""});

class Figure {
  constructor(box) {
    this.box = box;
    const data = dataOf(box);
    this.stills = data.stills;
    this.covers = data.asked;  // its stills are of the time before the answer
    this.first = data.first;
    this.before = data.before;
    this.beats = tables.stories[data.story].map(([number, name, said]) =>
        ({number, name: tables.strings[name], said: tables.strings[said]}));
    this.last = this.beats.length - 1;
    const row = box.querySelector("ol.beats li");
    // While a question about it waits it stands still; what would say the answer is covered.
    this.asked = data.asked ? {name: row.querySelector("b").textContent, said: row.querySelector("span").textContent} : null;
    this.beat = this.first;
    this.films = data.films.map((film, i) => this.takeOver(tables.films[film], i));
    this.addControls();
    box.tabIndex = 0;
    for (const event of ["focusin", "pointerenter"]) box.addEventListener(event, () => { current = this; });
    this.show(this.first);
  }

  takeOver(film, place) {
    const holder = this.box.querySelectorAll(".film")[place];
    const svg = shape("svg", {viewBox: `0 0 ${film.width} ${film.height}`, width: film.width, height: film.height,
                              role: "group", "font-family": "DejaVu Sans, Verdana, sans-serif"});
    holder.querySelector("svg").replaceWith(svg);
    svg.addEventListener("pointermove", event => this.point(film, event));
    svg.addEventListener("pointerdown", event => this.point(film, event));
    svg.addEventListener("pointerleave", () => this.pointAway());
    return {film, svg, place, shown: new Set()};
  }

  addControls() {
    this.slider = element("input", {type: "range", min: 0, max: this.last, step: 1, "aria-label": "Beat"});
    this.slider.addEventListener("input", () => { this.pause(); this.show(Number(this.slider.value)); });
    this.playButton = button("▶", "Play (space)", () => this.playOrPause());
    this.speed = element("select", {title: "Speed", "aria-label": "Speed"},
                         ...[0.5, 1, 2, 4].map(s => element("option", s === 1 ? {selected: ""} : {}, `${s}×`)));
    this.name = element("output", {class: "name"});
    this.said = element("p", {class: "say", "aria-live": "polite"});
    const stepTo = (label, words, beat) => button(label, words, () => { this.pause(); this.show(beat()); });
    const controls = element("div", {class: "controls"},
        stepTo("|◀", "First step (Home)", () => 0), stepTo("◂", "Previous step (left arrow)", () => this.beat - 1),
        this.playButton, stepTo("▸", "Next step (right arrow)", () => this.beat + 1),
        stepTo("▶|", "Last step (End)", () => this.last), this.slider, this.name, this.speed);
    const films = this.box.querySelector(".films");
    this.list = this.beats.map(beat => element("li", {}, element("b", {}, beat.name), " ", element("span", {}, beat.said)));
    this.list.forEach((row, beat) => row.addEventListener("click", () => { this.pause(); this.show(beat); }));
    this.box.querySelector("ol.beats").replaceWith(
        element("details", {class: "all"}, element("summary", {}, `All ${this.list.length} moments`),
                element("ol", {class: "beats"}, ...this.list)));
    films.after(controls, this.said);
    this.controls = controls;
    this.hideWhatIsAsked();
  }

  hideWhatIsAsked() {
    this.controls.hidden = this.last === 0 || this.asked !== null;
    this.list[0].closest("details").hidden = this.asked !== null;
  }
  unlock() {
    this.asked = null;
    this.hideWhatIsAsked();
    this.show(this.beat);
  }

  picture(film) {
    const still = this.stills[film.place];
    const asked = this.asked !== null || !this.covers;
    return itemsOf(this.beat === this.first && still && asked ? still : film.film.pictures[this.beat]);
  }

  show(place) {
    this.beat = this.asked ? this.first : Math.max(0, Math.min(this.last, place));
    this.slider.value = this.beat;
    const beat = this.asked || this.beats[this.beat];
    this.list.forEach((row, i) => row.classList.toggle("now", i === this.beat));
    this.name.textContent = beat.name;
    this.said.textContent = beat.said;
    this.pointAway();
    for (const film of this.films) this.redrawFilm(film, true);
    if (figures.length === 1 && !document.querySelector("section.step")) rememberBeat(beat.number);
  }
  redrawFilm(film, moves) {
    const items = this.picture(film);
    const fresh = moves && film.shown.size ? new Set(items.filter(place => !film.shown.has(place))) : null;
    draw(film.svg, film.film, items, `${film.film.title}, ${this.said.textContent}`, fresh);
    film.shown = new Set(items);
  }
  redraw() {
    for (const film of this.films) this.redrawFilm(film, false);
  }

  playOrPause() {
    if (this.timer) return this.pause();
    if (this.beat === this.last) this.show(0);
    this.playButton.textContent = "❚❚";
    const next = () => {
      if (this.beat >= this.last) return this.pause();
      this.show(this.beat + 1);
      this.timer = setTimeout(next, 1200 / parseFloat(this.speed.value));
    };
    this.timer = setTimeout(next, 300);
  }
  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.playButton.textContent = "▶";
  }

  // From the moment before to its own, as a step of a lesson begins.
  enter() {
    if (this.before < 0 || stillness.matches) return this.show(this.first);
    this.show(this.before);
    this.timer = setTimeout(() => { this.pause(); this.show(this.first); }, 900);
  }

  key(key) {
    const to = {ArrowRight: this.beat + 1, ArrowLeft: this.beat - 1, Home: 0, End: this.last}[key];
    if (to === undefined && key !== " ") return false;
    if (key === " ") this.playOrPause();
    else { this.pause(); this.show(to); }
    return true;
  }

  // What is under the pointer, or near it: thin lines are hard to hit.
  point(film, event) {
    let found = null;
    for (const [dx, dy] of [[0, 0], [0, -3], [0, 3], [-3, 0], [3, 0]]) {
      const under = document.elementFromPoint(event.clientX + dx, event.clientY + dy);
      found = under && under.closest("[data-id]");
      if (found && this.box.contains(found)) break;
      found = null;
    }
    const id = found ? Number(found.dataset.id) : -1;
    const lines = id < 0 ? null : this.tipAt(film, id);
    this.mark(id);
    if (!lines) { tip.hidden = true; return; }
    tip.replaceChildren(...lines.map(line => element("div", {}, tables.strings[line])));
    tip.hidden = false;
    const room = tip.getBoundingClientRect();
    const x = event.clientX + 14 + room.width > innerWidth ? event.clientX - 14 - room.width : event.clientX + 14;
    const y = event.clientY + 14 + room.height > innerHeight ? event.clientY - 14 - room.height : event.clientY + 14;
    tip.style.left = `${Math.max(0, x)}px`;
    tip.style.top = `${Math.max(0, y)}px`;
  }
  pointAway() {
    tip.hidden = true;
    this.mark(-1);
  }
  mark(id) {
    for (const hot of this.box.querySelectorAll(".hot")) hot.classList.remove("hot");
    if (id >= 0) for (const same of this.box.querySelectorAll(`[data-id="${id}"]`)) same.classList.add("hot");
  }
  // The last that was said of it up to now.
  tipAt(film, id) {
    if (this.asked) return null;
    for (let beat = this.beat; beat >= 0; --beat) {
      const told = film.tips[beat];
      for (let i = 0; i < told.length; i += 2) if (told[i] === id) return tables.tips[told[i + 1]];
    }
    return null;
  }
}

// --- the address: page.html#beat=3

function asked(name) {
  const found = new URLSearchParams(location.hash.slice(1)).get(name);
  return found === null ? null : Number(found);
}
function rememberBeat(beat) {
  try { history.replaceState(null, "", `#beat=${beat}`); } catch (refused) { /* a page in a frame may not */ }
}
function goToAddress() {
  const beat = asked("beat");
  if (beat === null || !figures.length) return;
  const figure = figures[Math.max(0, Math.min(figures.length, asked("figure") || 1) - 1)];
  // The moment that the beat is in: the last one that does not begin after it.
  let place = 0;
  figure.beats.forEach((each, i) => { if (each.number <= beat) place = i; });
  figure.show(place);
}

// --- tables

const units = {ps: 1e-12, ns: 1e-9, "µs": 1e-6, us: 1e-6, ms: 1e-3, s: 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3,
               TiB: 1024 ** 4, k: 1e3, M: 1e6, G: 1e9, T: 1e12, "%": 0.01, "×": 1};
function valueOf(cell) {
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  const found = /^[≈<]?\s*([+−-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*([^\s/]*)/.exec(cell.textContent.trim());
  if (!found) return NaN;
  return Number(found[1].replaceAll(",", "").replace("−", "-")) * (units[found[2]] || 1);
}
function sortTable(rows, column, down) {
  const of = row => row.cells[column];
  const numbers = rows.filter(row => !Number.isNaN(valueOf(of(row)))).length * 2 > rows.length;
  const compare = numbers ? (a, b) => valueOf(of(a)) - valueOf(of(b))
                          : (a, b) => of(a).textContent.localeCompare(of(b).textContent, "en", {numeric: true});
  // What has no value stands last, either way.
  const none = row => (numbers ? Number.isNaN(valueOf(of(row))) : false);
  return [...rows].sort((a, b) => none(a) - none(b) || (none(a) ? 0 : compare(a, b) * (down ? -1 : 1)));
}
function addSorting(table) {
  const rows = [...table.rows].filter(row => row.querySelector("td"));
  const head = [...table.rows].find(row => !row.querySelector("td"));
  if (!head || rows.length < 2) return;
  const body = rows[0].parentNode;
  [...head.cells].forEach((cell, column) => {
    const words = cell.textContent;
    const sorter = button(words, `Sort by ${words}`, () => {
      const down = cell.getAttribute("aria-sort") === "ascending";
      for (const other of head.cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      body.append(...sortTable(rows, column, down));
    });
    cell.replaceChildren(sorter);
  });
  if (rows.length > 4) addFilter(table, rows);
}
function addFilter(table, rows) {
  const input = element("input", {type: "search", placeholder: "Filter rows", "aria-label": "Filter rows"});
  const count = element("output", {});
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(word => word);
    let left = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      if (!row.hidden) ++left;
    }
    count.textContent = words.length ? `${left} of ${rows.length}` : "";
  });
  (table.closest(".wide") || table).before(element("div", {class: "filter"}, input, count));
}

// --- questions

// As typed_number.cpp and judge.cpp of engine/lesson read and judge; both are held to the same forms.
const exact = 1e-15;
function readings(text) {
  const digits = text.replace(/[ ']/g, "");
  const commas = digits.split(",").length - 1, dot = digits.includes(".");
  const written = [];
  if (commas && (dot || /^[+-]?[1-9]\d{0,2}(,\d{3})+$/.test(digits))) written.push(digits.replaceAll(",", ""));
  if (commas === 1 && !dot) written.push(digits.replace(",", "."));
  if (!commas) written.push(digits);
  return written.map(Number).filter(number => !Number.isNaN(number));
}
function typedNumber(asked, given) {
  const text = given.trim().toLowerCase();
  const found = /^([+-]?(?:\d|[.,' ](?=\d))+(?:e[+-]?\d+)?)\s*(.*)$/.exec(text);
  const numbers = found ? readings(found[1]) : [];
  if (numbers.length) return {numbers, unit: found[2]};
  const [word, ...behind] = text.split(" ");
  return word in asked.words ? {numbers: [asked.words[word]], unit: behind.join(" ")} : null;
}
function isCounted(asked, words) {
  const said = (words.match(/[a-z]+/g) || []).map(w => w.length > 3 && /[^s]s$/.test(w) ? w.slice(0, -1) : w);
  return said.length > 0 && said.every(word => asked.counted.includes(word));
}
function judgeNumber(asked, given) {
  const typed = typedNumber(asked, given);
  if (!typed) return {problem: `'${given.trim()}' is not a number. ${asked.wanted}`};
  const unit = typed.unit in asked.units ? asked.units[typed.unit] : isCounted(asked, typed.unit) ? 1 : undefined;
  if (unit === undefined)
    return {problem: `'${typed.unit || given.trim()}' ${typed.unit ? "is no unit here" : "has no unit"}. ${asked.wanted}`};
  const numbers = typed.numbers.map(number => number * unit);
  if (asked.share && unit === 1) numbers.push(...typed.numbers.filter(number => number >= 1).map(number => number / 100));
  const near = other => numbers.some(number => Math.abs(number - other) <= asked.tolerance * Math.abs(other) + exact);
  if (near(asked.value)) return {right: true, reason: asked.because};
  const mistake = asked.mistakes.find(each => near(each.value));
  const way = `It is ${numbers[0] > asked.value ? "less" : "more"} than that.`;
  return {right: false, reason: mistake ? mistake.reason : asked.hint ? `${way} ${asked.hint}` : way};
}
const tries = 2;
function addJudging(form) {
  const asked = dataOf(form);
  const answer = form.querySelector(".answer");
  const verdict = element("p", {class: "verdict", role: "status"});
  const step = form.closest("section.step");
  let wrong = 0, last = null;
  answer.hidden = true;
  form.append(verdict);
  form.addEventListener("submit", event => {
    event.preventDefault();
    const pressed = event.submitter && event.submitter.value;
    const given = pressed ? event.submitter : form.querySelector(asked.choices ? "input:checked" : "input");
    const judged = asked.choices ? (given ? asked.choices[Number(given.value)] : {problem: "Choose one."})
                                 : judgeNumber(asked, given.value);
    form.classList.toggle("is-right", judged.right === true);
    form.classList.toggle("is-wrong", judged.right === false);
    if (judged.right === false && given.value !== last) ++wrong;  // the same once more is no other try
    last = given ? given.value : "";
    const solved = wrong >= tries && !judged.right;
    verdict.textContent = judged.problem || (judged.right ? `Right. ${judged.reason}`
        : solved ? `Not so. ${judged.reason}` : `Not yet. ${judged.reason} Try once more.`);
    if (solved) { answer.hidden = false; answer.open = true; }
    if (judged.right) answer.hidden = true;
    if (!judged.right && !solved) return;
    if (step) for (const figure of figures) if (step.contains(figure.box)) figure.unlock();
  });
}

// Of what may be tried one change is seen at a time, below what is: who tries it predicts first.
function addTrying(box) {
  const rows = [...box.querySelectorAll("tbody tr")].slice(1);
  const choice = element("select", {"aria-label": "Change"}, element("option", {value: -1}, "Choose a change"),
                         ...rows.map((row, i) => element("option", {value: i}, row.cells[0].textContent)));
  const pictures = [...box.querySelectorAll(".tried")];
  const show = () => {
    rows.forEach((row, i) => { row.hidden = i !== Number(choice.value); });
    for (const each of pictures) each.hidden = each.dataset.row !== choice.value;
    const seen = pictures.find(each => !each.hidden);
    current = figures.find(figure => seen && seen.contains(figure.box)) || current;
  };
  choice.addEventListener("input", show);
  box.querySelector("summary").after(element("p", {}, choice));
  box.open = true;
  show();
}

// --- lessons

class Lesson {
  constructor(steps) {
    this.steps = steps;
    this.place = element("output", {class: "name"});
    this.nav = element("nav", {class: "steps", "aria-label": "Steps"},
        button("◂ PgUp", "Step before (page up)", () => this.show(this.at - 1)), this.place,
        button("PgDn ▸", "Next step (page down)", () => this.show(this.at + 1)));
    document.querySelector("main").append(this.nav);
    this.show((asked("step") || 1) - 1, true);
  }
  show(step, quiet) {
    for (const figure of figures) figure.pause();
    this.at = Math.max(0, Math.min(this.steps.length - 1, step));
    this.steps.forEach((each, i) => each.classList.toggle("away", i !== this.at));
    this.place.textContent = `${this.at + 1} of ${this.steps.length}`;
    current = figures.find(figure => this.steps[this.at].contains(figure.box) && !figure.box.closest("[hidden]")) || null;
    if (quiet) return;
    if (current) current.enter();
    try { history.replaceState(null, "", `#step=${this.at + 1}`); } catch (refused) { /* a page in a frame may not */ }
    scrollTo(0, 0);
  }
  key(key) {
    if (key !== "PageDown" && key !== "PageUp") return false;
    this.show(this.at + (key === "PageDown" ? 1 : -1));
    return true;
  }
}

// --- all of it

function typesInto(target) {
  return target.matches("input, select, textarea") && !(target.type === "range" || target.type === "radio");
}

root.classList.add("scripted");
addThemeSwitch();
document.body.append(tip);
if (tables) for (const box of document.querySelectorAll("figure.played")) figures.push(new Figure(box));
current = figures[0] || null;
for (const table of document.querySelectorAll("table.sort")) addSorting(table);
for (const form of document.querySelectorAll("form.ask")) addJudging(form);
for (const box of document.querySelectorAll("details.tries")) addTrying(box);
const steps = [...document.querySelectorAll("section.step")];
const lesson = steps.length ? new Lesson(steps) : null;
goToAddress();
addEventListener("hashchange", () => {
  goToAddress();
  if (lesson && asked("step")) lesson.show(asked("step") - 1, true);
});
addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (typesInto(event.target) && !event.key.startsWith("Page")) return;
  if (event.key === " " && event.target.matches("button, summary, select, input")) return;
  if (event.target.type === "radio" && event.key.startsWith("Arrow")) return;
  if ((lesson && lesson.key(event.key)) || (current && current.key(event.key))) event.preventDefault();
});
})();
