"""Replays vectors through this package, measures it, and prints one line of figures.

    python replay.py --vectors FILE … --component FILE [--settles N] [--threads N]

A FILE is JSON lines as `tests/vectors/README.md` describes, or `adapters/cases.jsonl`; a folder
stands for its *.jsonl files. Every line goes through `Negotiator.call`, every exchange of a line
through `settle`, `refuse` or `decide`, too, once as a message (JSON underneath) and once as an
exchange read before (typed underneath). `--settles N`: N more settlements, and the memory before
and after. The last line of the output is a JSON object.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from openwop_negotiator import (
    Acceptance,
    Artifact,
    Context,
    Facet,
    Facets,
    Inbound,
    InputError,
    Listing,
    Negotiator,
    Outbound,
    Subject,
)
from openwop_negotiator.plain import compact

from judge import judge

START = Facets(
    a2a=Facet(["0.3", "1.0"], "1.0", "0.3"),
    mcp=Facet(["2025-11-25", "2026-07-28"], "2026-07-28", "2025-11-25"),
)


def memory() -> float:
    """Resident memory of this process, MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("no VmRSS in /proc/self/status")


# --- the same facts as values ---------------------------------------------------------------------


def typed_facets(document: dict) -> Facets:
    def facet(name: str, offered: str, floor: str) -> Facet | None:
        if name not in document:
            return None
        value = document[name]
        facet = Facet(value[offered], value["preferredVersion"], value[floor])
        if not all(isinstance(t, str) for t in [*facet.offered, facet.preferred, facet.floor]):
            raise TypeError
        return facet

    return Facets(
        facet("a2a", "versions", "minimumVersion"), facet("mcp", "revisions", "minimumRevision")
    )


def typed_message(facts: dict) -> Inbound | Outbound:
    def text(member: str) -> str | None:
        return compact(facts[member]) if member in facts else None

    if facts["direction"] == "inbound":
        return Inbound(
            facts["protocol"],
            facts["authenticated"],
            [tuple(pair) for pair in facts.get("headers", [])],
            facts.get("httpMethod", "POST").lower(),
            facts.get("query"),
            facts.get("method"),
            text("params"),
            facts.get("session"),
        )
    listing = Listing()
    for name in ("card", "discover", "error"):
        if name in facts:
            listing = Listing(name, text(name))
    if "offers" in facts:
        listing = Listing("offers", facts["offers"])
    return Outbound(
        facts["protocol"],
        facts["authenticated"],
        facts.get("requested"),
        listing,
        text("initialize"),
    )


def typed_context(context: dict) -> Context:
    members = ("at", "peerUrl", "tenant", "workspace", "runId", "eventId")
    if not all(isinstance(context[name], str) for name in members if name in context):
        raise TypeError
    sequence = context.get("sequence")
    if "sequence" in context and (type(sequence) is not int or not 0 <= sequence < 2**64):
        raise TypeError
    if "workspace" in context and "tenant" not in context:
        raise TypeError
    return Context(
        at=context["at"],
        peer_url=context.get("peerUrl"),
        subject=(
            Subject(context["tenant"], context.get("workspace")) if "tenant" in context else None
        ),
        run_id=context.get("runId"),
        sequence=sequence,
        event_id=context.get("eventId"),
    )


def typed(case: dict, component: Artifact, ok: bool, text: str) -> list[str] | None:
    """Differences between the values of this package and the JSON answer; None: no such values."""
    request = case.get("request")
    if case["op"] not in ("settle", "refuse") or not isinstance(request, dict):
        return None
    path = "" if ok else json.loads(text)["error"].get("path", "")
    if not (ok or path.startswith("context.")):
        return None
    try:
        facets = typed_facets(request["facets"])
        context = typed_context(request["context"])
        message = typed_message(request["exchange"])
    except (KeyError, TypeError):
        return None
    negotiator = negotiator_for(facets, component)
    refusal = request.get("refusal")
    wrong = []
    for facts in (message, read(negotiator, message)):
        if refusal == "record-not-durable":
            reply = negotiator.not_durable(facts)
            wrong += compare_reply(reply, json.loads(text)["answer"])
            continue
        try:
            if refusal is None:
                settled = negotiator.settle(facts, context)
            else:
                settled = negotiator.refuse(facts, context, refusal)
        except InputError as error:
            wrong += [] if not ok and error.path == path else [f"typed: {error}, JSON has {text}"]
            continue
        if not ok:
            wrong.append(f"typed: no error, JSON has {text}")
            continue
        answer = json.loads(text)
        decision, entry = settled.decision, settled.entry
        if isinstance(decision, Acceptance):
            got = ["accepted", decision.version, "ok", decision.cause, decision.downgraded]
        else:
            got = ["refused", None, decision.refusal, decision.cause, False]
        got.append(entry.requested)
        members = ("outcome", "version", "reason", "cause", "downgraded", "requested")
        if got != [answer.get(member) for member in members]:
            wrong.append(f"typed: decision {got}, JSON has {text}")
        if f'"record":{entry.payload},' not in text:
            wrong.append(f"typed: payload {entry.payload}, JSON has {text}")
        if f'"event":{entry.event or "null"}}}' not in text:
            wrong.append(f"typed: event {entry.event}, JSON has {text}")
        wrong += compare_reply(settled.reply, answer["answer"])
        if refusal is None and negotiator.decide(facts) != decision:
            wrong.append("typed: `decide` differs from `settle`")
        if refusal is None and not isinstance(facts, (Inbound, Outbound)):
            if negotiator.build(facts, decision, context) != entry:
                wrong.append("typed: `build` differs from `settle`")
            if negotiator.reply(facts, decision, context.run_id) != settled.reply:
                wrong.append("typed: `reply` differs from `settle`")
    return wrong


def compare_reply(reply: object, answer: dict) -> list[str]:
    got = [reply.status, [list(pair) for pair in reply.headers], reply.error, reply.envelope]
    texts = [None if answer[m] is None else compact(answer[m]) for m in ("error", "envelope")]
    expected = [answer["status"], answer["headers"], *texts]
    return [] if got == expected else [f"typed: reply {got}, JSON has {expected}"]


NEGOTIATORS: dict[str, Negotiator] = {}


def negotiator_for(facets: Facets, component: Artifact) -> Negotiator:
    key = repr(facets)
    if key not in NEGOTIATORS:
        NEGOTIATORS[key] = Negotiator(facets, artifact=component)
    return NEGOTIATORS[key]


def read(negotiator: Negotiator, message: Inbound | Outbound) -> object:
    if isinstance(message, Inbound):
        return negotiator.read_inbound(message)
    return negotiator.read_outbound(message)


# --- the run --------------------------------------------------------------------------------------


def lines(paths: list[str]) -> list[dict]:
    files = []
    for path in map(Path, paths):
        files += sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    return [
        json.loads(line)
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
        if line
    ]


def request_of(case: dict) -> str:
    return case["requestText"] if "requestText" in case else compact(case["request"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vectors", nargs="+", required=True)
    parser.add_argument("--component", required=True)
    parser.add_argument("--settles", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()

    start = time.perf_counter()
    if Path(arguments.component).name == "negotiator.wasm":
        component = Artifact.packaged("negotiator.wasm")
        if component.data != Path(arguments.component).read_bytes():
            raise SystemExit("the component is not the one that this package pins")
    else:
        data = Path(arguments.component).read_bytes()
        component = Artifact.trusted(data, hashlib.sha256(data).hexdigest())
    negotiator = Negotiator(START, artifact=component)
    load = time.perf_counter() - start

    cases, failures, times, values = lines(arguments.vectors), 0, [], 0
    for case in cases:
        request = request_of(case)
        start = time.perf_counter()
        if case["op"] == "configure":
            ok, text = configure(request, component)
        else:
            ok, text = negotiator.call(case["op"], request)
        if case["op"] == "settle" and ok:
            times.append(time.perf_counter() - start)
        wrong = judge(case, ok, text)
        differences = typed(case, component, ok, text)
        values += differences is not None
        wrong += differences or []
        failures += bool(wrong)
        for line in wrong:
            print(f"{case['id']} {case['title']}: {line}", file=sys.stderr)
    print(f"{values} of {len(cases)} cases as values too", file=sys.stderr)

    settles = [case for case in cases if case["op"] == "settle" and "record" in case]
    NEGOTIATORS.clear()
    if arguments.threads > 1:
        failures += in_parallel(negotiator, cases, arguments.threads)
    figures = {
        "language": "Python",
        "runtime": f"CPython {platform.python_version()}, wasmtime",
        "version": wasmtime_version(),
        "passed": len(cases) - failures,
        "total": len(cases),
        "settleMicros": round(median(times) * 1e6, 1) if times else None,
        "loadMillis": round(load * 1e3, 1),
        "memoryMiB": round(memory(), 1),
    }
    if arguments.settles:
        texts = [request_of(case) for case in settles if len(request_of(case)) < 4096]
        messages = [typed_message(case["request"]["exchange"]) for case in settles]
        context = Context(at="2026-11-30T12:00:00Z")
        settle_many(negotiator, texts, messages, context, min(arguments.settles, 20_000))
        figures["memoryBeforeMiB"] = round(memory(), 1)
        settle_many(negotiator, texts, messages, context, arguments.settles)
        figures["memoryAfterMiB"] = round(memory(), 1)
    print(json.dumps(figures))
    return 1 if failures or not cases else 0


def configure(request: str, component: Artifact) -> tuple[bool, str]:
    """`configure` is a constructor here, so its cases go through the instance underneath."""
    from openwop_negotiator.instance import Instance, compile_component

    return Instance(compile_component(component), None).json("configure", request)


def settle_many(
    negotiator: Negotiator, texts: list[str], messages: list, context: Context, count: int
) -> None:
    """Half through `call`, half through `settle`, over every settle request in turn."""
    for number in range(count // 2):
        negotiator.call("settle", texts[number % len(texts)])
        negotiator.settle(messages[number % len(messages)], context)


def in_parallel(negotiator: Negotiator, cases: list[dict], threads: int) -> int:
    """The cases in each of `threads` threads at once; how many answers differ from expected."""
    calls = [(case, request_of(case)) for case in cases if case["op"] != "configure"]

    def run(offset: int) -> int:
        turned = calls[offset * 7 :] + calls[: offset * 7]
        return sum(bool(judge(c, *negotiator.call(c["op"], request))) for c, request in turned)

    with ThreadPoolExecutor(threads) as pool:
        wrong = sum(pool.map(run, range(threads)))
    print(f"{threads} threads at once: {wrong} wrong answers", file=sys.stderr)
    return 1 if wrong else 0


def wasmtime_version() -> str:
    from importlib.metadata import version

    return version("wasmtime")


if __name__ == "__main__":
    sys.exit(main())
