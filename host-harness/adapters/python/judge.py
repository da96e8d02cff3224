"""Judges an answer against a line of the vectors. `tests/replay/python` uses it, too."""

from __future__ import annotations

import json


def compact(value: object) -> str:
    """JSON text as the component writes it: no spaces, members in their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def judge(case: dict, ok: bool, text: str) -> list[str]:
    """Every way in which the answer differs from what the line expects; member order counts."""
    if "answerText" in case:
        same_answer = (ok, text) == (case["ok"], case["answerText"])
        return [] if same_answer else [f"expected {case['answerText'][:200]}, got {text[:200]}"]
    wrong = []

    def same(what: str, expected: object, got: object) -> None:
        if compact(expected) != compact(got):
            wrong.append(f"{what}: expected {compact(expected)}, got {compact(got)}")

    answer = json.loads(text)
    settles = case["op"] in ("settle", "refuse")
    fails = any(member in case for member in ("error", "errorCode", "errorPath"))
    if ok == fails:
        return [f"expected {'an error' if fails else 'an answer'}, got {text}"]
    if "error" in case:
        same("error", case["error"], answer)
    if "errorCode" in case:
        same("error.code", case["errorCode"], answer["error"].get("code"))
    if "errorPath" in case:
        same("error.path", case["errorPath"], answer["error"].get("path"))
    if "expect" in case and not settles:
        same("answer", case["expect"], answer)
    if "expect" in case and settles:
        for member, value in case["expect"].items():
            same(member, value, answer.get(member))
    for member in ("record", "entry"):
        if member in case:
            same(member, case[member], answer.get(member))
    for member, value in case.get("answer", {}).items():
        got = answer["answer"]
        if member == "code":
            same("answer.error.code", value, (got.get("error") or {}).get("code"))
        else:
            same(f"answer.{member}", value, got.get(member))
    if "findings" in case:
        got = answer["findings"]
        for want in case["findings"]:
            if not any(all(g.get(k) == v for k, v in want.items()) for g in got):
                wrong.append(f"no finding {compact(want)} in {compact(got)}")
        rules = {want["rule"] for want in case["findings"]}
        wrong += [f"finding too many: {compact(g)}" for g in got if g["rule"] not in rules]
    wrong += [f"the answer repeats {w[:40]!r}" for w in case.get("absent", []) if w in text]
    return wrong
