# SPDX-License-Identifier: Apache-2.0
"""A run's timeline as a picture that plays without a script: what the first device does when."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .record import Span
from .units import format_seconds

_WIDTH, _LEFT, _LANE, _TOP = 1000, 70, 26, 18
_LANES = (("compute", "compute"), ("transfer", "network"), ("copy", "copies"))
_SECONDS = 8  # that it plays
_LEAST = 0.9  # pixels: what is narrower is drawn together with its neighbours
_LETTER = 6.2


def timeline(spans: Sequence[Span]) -> str:
    """SVG, in the colours of the page round it.

    >>> timeline([Span("dot", "dot", "jit(f)/dot", "compute", 0.0, 1.0)]).count("<rect")
    2
    """
    total = max(span.end_s for span in spans) or 1.0
    scale = (_WIDTH - _LEFT - 10) / total
    lanes = [(kind, title) for kind, title in _LANES if any(span.kind == kind for span in spans)]
    height = _TOP + _LANE * len(lanes) + 4
    out = [f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="timeline of the first device, {format_seconds(total)}" font-family="system-ui,sans-serif" font-size="11">']
    for step in range(5):
        x = _LEFT + total * step / 4 * scale
        out.append(f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{height}" stroke="var(--rule)"/>'
                   f'<text x="{x:.1f}" y="12" fill="var(--soft)" text-anchor="{"end" if step == 4 else "middle" if step else "start"}">{format_seconds(total * step / 4)}</text>')
    for row, (kind, title) in enumerate(lanes):
        y = _TOP + row * _LANE
        out.append(f'<text x="0" y="{y + 17}" fill="var(--ink)">{title}</text>')
        out += [_box(box, y + 3, scale, kind) for box in _drawn([span for span in spans if span.kind == kind], scale)]
    out.append(f'<rect x="{_LEFT}" y="{_TOP}" width="1.5" height="{height - _TOP}" fill="var(--ink)">'
               f'<animate attributeName="x" from="{_LEFT}" to="{_WIDTH - 10}" dur="{_SECONDS}s" repeatCount="indefinite"/></rect></svg>')
    return "".join(out)


def _drawn(spans: Sequence[Span], scale: float) -> list[list[Span]]:
    """Spans that are drawn as one box: each alone where it is wide enough, else with those that follow closely."""
    boxes: list[list[Span]] = []
    for span in spans:
        wide = (span.end_s - span.start_s) * scale >= _LEAST
        before = boxes[-1] if boxes else None
        if before and not wide and (span.end_s - before[0].start_s) * scale < 2 * _LEAST:
            before.append(span)
        else:
            boxes.append([span])
    return boxes


def _box(box: list[Span], y: float, scale: float, kind: str) -> str:
    start, end = box[0].start_s, max(span.end_s for span in box)
    width = max((end - start) * scale, _LEAST)
    first = box[0]
    said = f"{first.name} {format_seconds(end - start)}" + (f", {first.op_name}" if first.op_name else "") if len(box) == 1 else f"{len(box)} operations, {format_seconds(end - start)}"
    x = _LEFT + start * scale
    label = f'<text x="{x + 3:.1f}" y="{y + 14:.1f}" fill="#fff" pointer-events="none">{escape(first.instruction)}</text>' if width > _LETTER * len(first.instruction) + 6 else ""
    fill = "transfer" if kind != "compute" else "compute"
    return f'<g><rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_LANE - 6}" rx="1" fill="var(--{fill})" stroke="var(--page)" stroke-width=".4"><title>{escape(said)}</title></rect>{label}</g>'
