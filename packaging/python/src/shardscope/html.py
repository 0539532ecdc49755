# SPDX-License-Identifier: Apache-2.0
"""What notebooks show: pages that need no network, light and dark, small however large the program is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from .answers import Buffer, Collective
from .record import Span
from .timeline import timeline
from .units import counted, format_bytes, format_seconds

if TYPE_CHECKING:
    from .explanation import Explanation

_MOST_BYTES = 500_000
_MOST_ROWS = 200  # of a table; the rest is counted

_DARK = "--ink:#e6edf3;--soft:#9aa4af;--rule:#3a424c;--panel:#1a2027;--compute:#4c9be8;--transfer:#e8a04c;--wrong:#f0b060;--page:#0f1419"
_STYLE = f"""<style>
.shardscope{{--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--panel:#f6f8fa;--compute:#2f6fb3;--transfer:#c2701c;--wrong:#a40e26;--page:#fff;
color:var(--ink);background:var(--page);font:13px/1.45 system-ui,sans-serif;max-width:1100px;padding:4px}}
@media (prefers-color-scheme:dark){{.shardscope{{{_DARK}}}}}
[data-jp-theme-light=true] .shardscope,.vscode-light .shardscope{{--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--panel:#f6f8fa;--compute:#2f6fb3;--transfer:#c2701c;--wrong:#a40e26;--page:#fff}}
[data-jp-theme-light=false] .shardscope,.vscode-dark .shardscope,:root[data-theme=dark] .shardscope{{{_DARK}}}
.shardscope table{{border-collapse:collapse;margin:6px 0;width:100%;table-layout:auto}}
.shardscope th,.shardscope td{{text-align:left;vertical-align:top;padding:3px 8px;border-bottom:1px solid var(--rule);color:var(--ink);background:none;white-space:normal;word-break:break-word}}
.shardscope th{{color:var(--soft);font-weight:600}} .shardscope td.n{{text-align:right;white-space:nowrap}}
.shardscope code{{font:12px ui-monospace,monospace;color:var(--ink);background:var(--panel);padding:0 3px}}
.shardscope .soft{{color:var(--soft)}} .shardscope .wrong{{color:var(--wrong);font-weight:600}}
.shardscope iframe{{width:100%;height:620px;border:1px solid var(--rule)}} .shardscope svg{{width:100%;height:auto;display:block}}
.shardscope summary{{cursor:pointer;color:var(--soft)}}
</style>"""


def styled(inside: str) -> str:
    return f'{_STYLE}<div class="shardscope">{inside}</div>'


def page(title: str, body: str) -> str:
    return f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>{escape(title)}</title></head><body>{body}</body></html>\n'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already; a cell that begins with a digit is a number and stands right."""
    all_rows = list(rows)
    out = ["<table><tr>", *(f"<th>{escape(head)}</th>" for head in heads), "</tr>"]
    for row in all_rows[:_MOST_ROWS]:
        out += ["<tr>", *(f'<td class="n">{cell}</td>' if cell[:1].isdigit() else f"<td>{cell}</td>" for cell in row), "</tr>"]
    if len(all_rows) > _MOST_ROWS:
        out.append(f'<tr><td colspan="{len(heads)}">and {len(all_rows) - _MOST_ROWS} more</td></tr>')
    return "".join(out) + "</table>"


def collectives(of: Sequence[Collective]) -> str:
    if not of:
        return "<p>no collectives</p>"
    return table(("collective", "why", "source", "data", "time"), (
        (f"<b>{escape(each.name)}</b>", f'{escape(each.sentence)}<br><span class="soft">{escape(each.rule)}</span>', _source(each),
         format_bytes(each.bytes), _time(each)) for each in of))


def _time(each: Collective) -> str:
    if each.time_s is None:
        return "–"
    return format_seconds(each.time_s) + (f" in {each.executions}" if each.executions not in (None, 1) else "")


def _source(place: Collective | Buffer) -> str:
    line = f'<span class="soft">{escape((place.source_line or "").rsplit("/", 1)[-1])}</span>'
    return f"{line}<br><code>{escape(place.source)}</code>" if place.source else line


def _buffers(of: Iterable[Buffer]) -> str:
    return table(("buffer", "shape", "bytes", "source"), ((escape(b.instruction), f"<code>{escape(b.shape)}</code>", format_bytes(b.bytes), _source(b)) for b in of))


def explanation(of: Explanation) -> str:
    """Time, picture, collectives, memory, notes of an explanation."""
    proof = f'<span class="{"wrong" if of.numerics.allclose is False else "soft"}">{escape(str(of.numerics))}</span>'
    head = (f"<p><b>{escape(of.name)}</b> on {escape(of.devices_text)}: {escape(of.collectives.summary())}<br>"
            f"<b>time</b> {escape(of.time_text)}<br><b>memory</b> {escape(str(of.peak))}<br>{proof}</p>")
    said = counted(len(of.notes), "note")
    notes = f'<details><summary>{said}</summary>{"".join(f"<p>{escape(n)}</p>" for n in of.notes)}</details>' if of.notes else ""
    parts = [head, picture(of.spans) if "not timed" not in of.time_text else "", collectives(of.collectives),
             f"<details><summary>memory at its peak: {escape(format_bytes(of.peak.peak_bytes))}</summary>{_buffers(of.peak.peak)}</details>", notes]
    shown = styled("".join(parts))
    played = frame(of.playing_page)
    return shown.replace(notes + "</div>", notes + played + "</div>") if played and len(shown) + len(played) <= _MOST_BYTES else shown


def picture(spans: Sequence[Span]) -> str:
    return timeline(spans) if spans else ""


def frame(inner: str) -> str:
    """A page inside of a cell, with its own style and script."""
    return f'<details><summary>play it: ring, grid and timeline</summary><iframe loading="lazy" srcdoc="{escape(inner, quote=True)}"></iframe></details>' if inner else ""
