"""The answers as a page of Markdown."""

from __future__ import annotations

from questions import Answer, Question

Table = tuple[str, list[Question], list[tuple]]

HEAD = """# The field: the same questions, asked of published servers and of the negotiator

Written by [field/ask.py](field/ask.py); run it again to see what has changed. Every server is the
program in [captures/peers](captures/peers) for its package, on loopback. Facts only: where answers
differ, nothing is said here about who is right.

A cell has the HTTP status, then `ok`, the revision that `initialize` led to, or the code of the
JSON-RPC error. **Bold**: accepted where the negotiator refuses, refused where it accepts, or led to
another revision. *no session*: the server did not agree on 2025-11-25 in a handshake, so that the
question could not be asked.
"""

TITLES = {"mcp": "MCP", "a2a": "A2A"}
NOTES = {
    "mcp": "The negotiator offers 2025-06-18, 2025-11-25 and 2026-07-28, the first of them as its floor. "
    "The caller is authenticated.",
    "a2a": "Each server is compared with the negotiator that offers the same: 1.0 (`ours`), 0.3 "
    "(`ours-0.3`), or both (`ours-compat`). The caller is authenticated.",
}


def report(tables: list[Table]) -> str:
    return "\n".join([HEAD, *(page(*table) for table in tables)])


def page(protocol: str, asked: list[Question], columns: list[tuple]) -> str:
    names = [peer.name for peer, _ in columns]
    lines = [f"## {TITLES[protocol]}", "", NOTES[protocol], ""]
    lines += ["| Column | Package |", "| --- | --- |"]
    lines += [f"| `{peer.name}` | {peer.package} |" for peer, _ in columns]
    lines.append("")
    yardsticks = {peer.name: yardstick(peer.name, columns) for peer, _ in columns}
    group = None
    differing = {name: 0 for name in names}
    comparable = {name: 0 for name in names}
    split = []
    for row, question in enumerate(asked):
        if question.group != group:
            group = question.group
            lines += ["", f"### {group}", "", "| | " + " | ".join(f"`{name}`" for name in names) + " |"]
            lines.append("| --- |" + " --- |" * len(names))
        cells = []
        for peer, answers in columns:
            answer, ours = answers[row], yardsticks[peer.name][row]
            cell = answer.cell()
            if answer.status is not None:
                comparable[peer.name] += 1
                if differs(answer, ours):
                    differing[peer.name] += 1
                    cell = f"**{cell}**"
            else:
                cell = f"*{cell}*"
            cells.append(cell)
        lines.append(f"| {question.label} | " + " | ".join(cells) + " |")
        theirs = [answers[row] for peer, answers in columns if not peer.name.startswith("ours") and answers[row].status is not None]
        if len({(answer.accepted, answer.version) for answer in theirs}) > 1:
            split.append(f"{group}, {question.label}")
    lines += ["", "### In numbers", "", "| Server | Questions | Decided otherwise than the negotiator |", "| --- | --- | --- |"]
    lines += [f"| `{name}` | {comparable[name]} | {differing[name]} |" for name in names if not name.startswith("ours")]
    lines += ["", f"The servers decide {len(split)} of {len(asked)} questions differently among themselves:", ""]
    lines += [f"- {one}" for one in split]
    lines.append("")
    return "\n".join(lines)


def yardstick(name: str, columns: list[tuple]) -> list[Answer]:
    """Our answers under the posture that is nearest to a server's."""
    ours = {peer.name: answers for peer, answers in columns if peer.name.startswith("ours")}
    if name in ours:
        return ours[name]
    for ending in ("-compat", "0.3"):
        if name.endswith(ending):
            return ours["ours-" + ending.strip("-")]
    return ours["ours"]


def differs(answer: Answer, ours: Answer) -> bool:
    return (answer.accepted, answer.version) != (ours.accepted, ours.version)
