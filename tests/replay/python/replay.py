#!/usr/bin/env python3
"""Replays the vectors through the component under Python and wasmtime.

    python3 replay.py COMPONENT VECTORS [ANSWERS]

Every line goes through the `json` interface; lines that the typed interfaces can express go
through those too, and both must say the same. ANSWERS gets one line a case,
`{"id":…,"answer":"<exact text>"}`, so that languages can be compared byte for byte.
Exit code 1 and a list if anything differs. The first run makes its own environment under
`tests/work/`.
"""

import json
import os
import subprocess
import sys
import time
import venv
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "host-harness" / "adapters" / "python"))

from judge import compact, judge  # noqa: E402 (it lies elsewhere)

PACKAGE = "openwop:negotiation/{}@2.0.0"


def ensure_environment():
    """Restarts in a virtual environment that has the pinned packages."""
    requirements = HERE / "requirements.txt"
    home = HERE.parents[1] / "work" / "replay-python"
    python = home / "bin" / "python"
    if Path(sys.prefix).resolve() == home.resolve():
        return
    stamp = home / "installed.txt"
    if not stamp.exists() or stamp.read_text() != requirements.read_text():
        venv.create(home, with_pip=True, clear=True, symlinks=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", requirements], check=True)
        stamp.write_text(requirements.read_text())
    os.execv(python, [str(python), *sys.argv])


# --- the component --------------------------------------------------------------------------


class Negotiator:
    """One instance; `call("json", "settle", …)` calls one of its functions."""

    def __init__(self, path):
        from wasmtime import Engine, Store
        from wasmtime.component import Component, Linker

        engine = Engine()
        self.store = Store(engine)
        component = Component.from_file(engine, path)
        self.instance = Linker(engine).instantiate(self.store, component)
        self.functions = {}

    def call(self, interface, name, *arguments):
        key = (interface, name)
        function = self.functions.get(key)
        if function is None:
            outer = self.instance.get_export_index(self.store, PACKAGE.format(interface))
            index = self.instance.get_export_index(self.store, name, outer)
            function = self.functions[key] = self.instance.get_func(self.store, index)
        answer = function(self.store, *arguments)
        function.post_return(self.store)
        return answer

    def ask(self, operation, text):
        """One JSON request: whether it was answered, and the exact text."""
        result = self.call("json", operation, text)
        return result.tag == "ok", result.payload


# --- the typed interfaces -----------------------------------------------------------------------


def record(**members):
    """A WIT record; `_` in a name stands for `-`."""
    from wasmtime.component import Record

    value = Record()
    for name, member in members.items():
        setattr(value, name.replace("_", "-"), member)
    return value


def typed_facets(document):
    """The facets of a JSON request, or nothing if a typed record cannot hold them."""

    def facet(value, offered, floor):
        lists = value.get(offered)
        texts = [value.get("preferredVersion"), value.get(floor)]
        if not isinstance(lists, list) or not all(isinstance(t, str) for t in lists + texts):
            raise ValueError
        return record(offered=lists, preferred=texts[0], floor=texts[1])

    try:
        a2a, mcp = document.get("a2a"), document.get("mcp")
        return record(
            a2a=facet(a2a, "versions", "minimumVersion") if "a2a" in document else None,
            mcp=facet(mcp, "revisions", "minimumRevision") if "mcp" in document else None,
        )
    except (ValueError, AttributeError):
        return None


def typed_exchange(component, exchange):
    """Reads the facts of a JSON exchange through `wire`."""
    from wasmtime.component import Variant

    text = lambda member: compact(exchange[member]) if member in exchange else None
    shared = dict(protocol=exchange["protocol"], authenticated=exchange["authenticated"])
    if exchange["direction"] == "inbound":
        message = record(
            http_method=exchange.get("httpMethod", "POST").lower(),
            headers=[tuple(pair) for pair in exchange.get("headers", [])],
            query=exchange.get("query"),
            method=exchange.get("method"),
            params=text("params"),
            session=exchange.get("session"),
            **shared,
        )
        return component.call("wire", "read-inbound", message)
    listing = Variant("nothing")
    for name in ("card", "discover", "error"):
        if name in exchange:
            listing = Variant(name, text(name))
    if "offers" in exchange:
        listing = Variant("offers", exchange["offers"])
    message = record(
        requested=exchange.get("requested"),
        listing=listing,
        initialize=text("initialize"),
        **shared,
    )
    return component.call("wire", "read-outbound", message)


def typed_context(context):
    """The context of a JSON request, or nothing if a typed record cannot hold it."""
    texts = ("at", "peerUrl", "tenant", "workspace", "runId", "eventId")
    if any(not isinstance(context[name], str) for name in texts if name in context):
        return None
    sequence = context.get("sequence")
    if "sequence" in context and (type(sequence) is not int or not 0 <= sequence < 2**64):
        return None
    if "at" not in context:
        return None
    tenant = context.get("tenant")
    return record(
        at=context["at"],
        peer_url=context.get("peerUrl"),
        subject=(
            None if tenant is None else record(tenant=tenant, workspace=context.get("workspace"))
        ),
        run_id=context.get("runId"),
        sequence=sequence,
        event_id=context.get("eventId"),
    )


def typed_settle(component, case, ok, text):
    """Settles the same facts through the typed interfaces; differences from the JSON answer."""
    request = case["request"]
    host = request.get("refusal")
    known = isinstance(request.get("exchange"), dict) and isinstance(request.get("context"), dict)
    facets = typed_facets(request["facets"]) if known else None
    context = typed_context(request["context"]) if known else None
    path = "" if ok else json.loads(text)["error"].get("path", "")
    if facets is None or context is None or not (ok or path.startswith("context.")):
        return None
    if component.call("negotiate", "configure", facets, "") is not None:
        return ["the typed facets have faults"]
    exchange = typed_exchange(component, request["exchange"])
    if host == "record-not-durable":
        reply = component.call("answer", "not-durable", exchange)
        return compare_reply(reply, json.loads(text)["answer"])
    if host is None:
        result = component.call("record", "settle", exchange, context)
    else:
        result = component.call("record", "refuse", exchange, context, host)
    if not ok:
        got = "" if result.tag == "ok" else result.payload.path
        unheld = path == "context.workspace" and context.subject is None
        return [] if got == path or unheld else [f"typed: fault at {got!r}, JSON has {path!r}"]
    wrong = [] if result.tag == "ok" else [f"typed: fault at {result.payload.path}"]
    if wrong:
        return wrong
    answer, settlement = json.loads(text), result.payload
    decision, entry = settlement.decision, settlement.entry
    typed = {"outcome": decision.tag}
    if decision.tag == "accepted":
        typed.update(version=decision.payload.version, reason="ok")
    else:
        typed.update(reason=decision.payload.refusal)
    typed["cause"] = decision.payload.cause
    if entry.requested is not None:
        typed["requested"] = entry.requested
    typed["downgraded"] = decision.tag == "accepted" and decision.payload.downgraded
    members = ("outcome", "version", "reason", "cause", "requested", "downgraded")
    plain = {name: answer[name] for name in members if name in answer}
    if typed != plain:
        wrong.append(f"typed: decision {compact(typed)}, JSON has {compact(plain)}")
    if f'"record":{entry.payload},' not in text:
        wrong.append(f"typed: payload {entry.payload} is not the one of the JSON answer")
    audience = None
    if entry.audience is not None:
        audience = {k: v for k, v in vars(entry.audience).items() if v is not None}
    event = "null" if entry.event is None else entry.event
    outer = f'{{"home":"{entry.home}","audience":{compact(audience)},"event":{event}}}'
    if outer not in text:
        wrong.append(f"typed: entry {outer} is not the one of the JSON answer")
    if getattr(entry, "peer-digest") != answer["record"].get("peerDigest"):
        wrong.append("typed: another digest")
    wrong.extend(compare_reply(settlement.reply, answer["answer"]))
    if host is None and component.call("negotiate", "decide", exchange) != decision:
        wrong.append("typed: `decide` differs from `settle`")
    built = component.call("record", "build", exchange, decision, context)
    if built.tag != "ok" or built.payload != entry:
        wrong.append("typed: `build` differs from `settle`")
    bare = {name: value for name, value in request.items() if name != "facets"}
    if component.ask(case["op"], compact(bare)) != (ok, text):
        wrong.append("another JSON answer with the facets configured instead of sent")
    return wrong


def compare_reply(reply, answer):
    error, envelope = answer["error"], answer["envelope"]
    typed = (reply.status, [list(pair) for pair in reply.headers], reply.error, reply.envelope)
    plain = (
        answer["status"],
        answer["headers"],
        None if error is None else compact(error),
        None if envelope is None else compact(envelope),
    )
    return [] if typed == plain else [f"typed: reply {typed}, JSON has {plain}"]


def typed_small(component, case, ok, text):
    """The small operations through their typed functions."""
    request, answer = case["request"], json.loads(text)
    operation = case["op"]
    if not ok:
        return None
    if operation == "facets":
        facets = typed_facets(request["facets"])
        if facets is None:
            return None
        got = [vars(fault) for fault in component.call("negotiate", "configure", facets, "") or []]
        # The typed facet has no `refreshedAt`: no decision depends on it.
        expected = [f for f in answer["faults"] if not f["path"].endswith(".refreshedAt")]
    elif operation == "digest":
        url = request["url"]
        got = None if url is None else component.call("record", "digest-origin", url)
        expected = answer["peerDigest"]
    elif operation == "rounds":
        arguments = request["maxRounds"], request["inputRequiredSeen"]
        got, expected = component.call("advertise", "admit-round", *arguments), answer["decision"]
    elif operation == "fresh":
        got = component.call("advertise", "fresh", request["refreshedAt"], request["now"])
        expected = answer["fresh"]
    elif operation == "task-state":
        got = component.call("advertise", "task-state", request["status"])
        expected = answer["state"]
    elif operation == "check":
        found = component.call("advertise", "check", compact(request["document"]), request["now"])
        got, expected = [vars(finding) for finding in found], answer["findings"]
    else:
        return None
    return [] if got == expected else [f"typed: {got}, JSON has {expected}"]


# --- the run -------------------------------------------------------------------------------------


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    component = Negotiator(sys.argv[1])
    cases = []
    for path in sorted(Path(sys.argv[2]).glob("*.jsonl")):
        cases += [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    failures, answers, timed, typed_count = [], [], [], 0
    for case in cases:
        text = case["requestText"] if "requestText" in case else compact(case["request"])
        start = time.perf_counter()
        ok, answer = component.ask(case["op"], text)
        if case["op"] == "settle" and ok:
            timed.append(time.perf_counter() - start)
        answers.append(compact({"id": case["id"], "answer": answer}))
        wrong = judge(case, ok, answer)
        if "request" in case:
            settles = case["op"] in ("settle", "refuse")
            typed = (typed_settle if settles else typed_small)(component, case, ok, answer)
            if typed is not None:
                typed_count += 1
                wrong += typed
        if wrong:
            failures.append(f"{case['id']} ({case['rule']}) {case['title']}")
            failures.extend(f"    {line}" for line in wrong)
        case["failed"] = bool(wrong)
    if len(sys.argv) == 4:
        Path(sys.argv[3]).write_text("\n".join(answers) + "\n", encoding="utf-8")
    print("\n".join(failures) if failures else "no difference")
    failed = sum(case["failed"] for case in cases)
    print(f"{typed_count} of {len(cases)} cases through the typed interfaces too")
    print(f"settle as JSON: {median(timed or [0]) * 1e6:.1f} µs (median of {len(timed)})")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    ensure_environment()
    sys.exit(main())
