"""The negotiator: load once, share between threads, settle."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from . import marshal, plain
from .artifact import Artifact
from .errors import ComponentError, InputError
from .generation import Generation
from .instance import Failed, Instance
from .types import (
    Context,
    Decision,
    Entry,
    Exchange,
    Facets,
    Finding,
    HostRefusal,
    Inbound,
    Outbound,
    Reply,
    Round,
    Settlement,
    Version,
)

T = TypeVar("T")


class Negotiator:
    """Decides, records and answers; thread-safe, and atomic when its policy is swapped.

    `facets`: what this host advertises, as `Facets` or as a discovery document (a mapping
    with `a2a` or `mcp`). `settings` go to the policy; the default policy takes "" only.
    `artifact` is the component: the certified one unless another is given.

    Each call has an instance for itself, from a pool; a call under way ends on the
    generation that it began with. Raises FacetsError for facets that break a rule.
    """

    def __init__(
        self,
        facets: Facets | Mapping[str, Any],
        settings: str = "",
        *,
        artifact: Artifact | None = None,
    ) -> None:
        self._facets = facets
        self._swaps = threading.Lock()
        component = artifact or Artifact.packaged("negotiator.wasm")
        self._current = Generation.load(1, component, None, facets, settings)
        self._previous: Generation | None = None

    # --- policies ---------------------------------------------------------------------------

    def swap_policy(self, policy: Artifact, settings: str = "") -> int:
        """Puts a policy component in charge; gives the number of the new generation.

        All or nothing: it is compiled, instantiated and configured first, and calls see it
        from then on; when that fails (ArtifactError, FacetsError), nothing has changed.
        Whatever a policy does, no decision lands below the floor, nor below preferred
        without authentication: it can only choose among the legal candidates, or deny.
        """
        return self._swap(Artifact.packaged("negotiator-pluggable.wasm"), policy, settings)

    def swap_component(self, composed: Artifact, settings: str = "") -> int:
        """The same with a negotiator and policy in one file, as `negotiator compose` makes it.

        Such a file takes the place of the certified component: pin the digest of one that
        was reviewed. It must import nothing.
        """
        return self._swap(composed, None, settings)

    def rollback(self) -> int:
        """Puts the generation before this one back in charge, at once; it was kept warm.

        Raises ComponentError if there is none.
        """
        with self._swaps:
            if self._previous is None:
                raise ComponentError("there is no generation before this one to go back to")
            self._current, self._previous = self._previous, self._current
            return self._current.number

    def _swap(self, artifact: Artifact, policy: Artifact | None, settings: str) -> int:
        with self._swaps:
            last = max(self._current.number, self._previous.number if self._previous else 0)
            new = Generation.load(last + 1, artifact, policy, self._facets, settings)
            self._previous = self._current
            # One reference is replaced: a call sees the old generation or the new one.
            self._current = new
            return new.number

    @property
    def generation(self) -> int:
        """The number of the generation in charge, from 1."""
        return self._current.number

    # --- reading ----------------------------------------------------------------------------

    def read_inbound(self, message: Inbound) -> Exchange:
        """Reads what a caller named. What cannot be read is no error, but refused later."""
        return self._plain(lambda i: _read(i, message))

    def read_outbound(self, message: Outbound) -> Exchange:
        """Reads what is known before a call to a peer."""
        return self._plain(lambda i: _read(i, message))

    # --- deciding ---------------------------------------------------------------------------

    def settle(self, exchange: Exchange | Inbound | Outbound, context: Context) -> Settlement:
        """Decides, records and answers; the one that hosts should use.

        Make `entry` durable, then act on `decision`; if that fails, send `not_durable`.
        A policy that fails is a refusal with its record (`policy-failed`), not an error.
        Raises InputError for a context member outside its grammar.
        """
        generation = self._current
        try:
            return generation.use(lambda i: _settle(generation, i, exchange, context, None))
        except Failed:
            return self._refuse(generation, exchange, context, "policy-failed")

    def refuse(
        self, exchange: Exchange | Inbound | Outbound, context: Context, refusal: HostRefusal
    ) -> Settlement:
        """Refuses without asking the policy, with the record that belongs to it."""
        return self._refuse(self._current, exchange, context, refusal)

    def decide(self, exchange: Exchange | Inbound | Outbound) -> Decision:
        """Decides only. Do not act on a decision without its record (RFC 0175 §D.3)."""
        generation = self._current
        try:
            return generation.use(lambda i: _decide(i, exchange))
        except Failed:
            context = Context(at="1970-01-01T00:00:00Z")
            return self._refuse(generation, exchange, context, "policy-failed").decision

    def decide_many(self, exchanges: Sequence[Exchange]) -> list[Decision]:
        """Decides many exchanges in one call, in order; for replays."""
        lowered = [marshal.exchange(exchange) for exchange in exchanges]
        decisions = self._plain(lambda i: i.typed("negotiate", "decide-many", lowered))
        return [marshal.to_decision(decision) for decision in decisions]

    def build(self, exchange: Exchange, decision: Decision, context: Context) -> Entry:
        """Builds the record of a decision made earlier by `decide`."""
        arguments = marshal.exchange(exchange), marshal.decision(decision), marshal.context(context)
        return marshal.to_entry(
            self._plain(lambda i: _checked(i.typed("record", "build", *arguments)))
        )

    # --- answering --------------------------------------------------------------------------

    def reply(self, exchange: Exchange, decision: Decision, run_id: str | None = None) -> Reply:
        """The reply to a decision made earlier by `decide`."""
        arguments = marshal.exchange(exchange), marshal.decision(decision), run_id
        return marshal.to_reply(
            self._plain(lambda i: _checked(i.typed("answer", "build", *arguments)))
        )

    def not_durable(self, exchange: Exchange | Inbound | Outbound) -> Reply:
        """The reply when the record could not be made durable: 503, nothing is served (R15)."""

        def run(instance: Instance) -> Any:
            facts = marshal.exchange(_read(instance, exchange))
            return instance.typed("answer", "not-durable", facts)

        return marshal.to_reply(self._plain(run))

    # --- small rules ------------------------------------------------------------------------

    def digest_origin(self, url: str) -> str | None:
        """SHA-256 of a URL's origin, 64 hex digits; None for one that is not a tuple (R8)."""
        digest: str | None = self._plain(lambda i: i.typed("record", "digest-origin", url))
        return digest

    def check(self, document: str, now: str) -> list[Finding]:
        """Checks a discovery document (JSON text) at `now` (RFC 3339); no finding: it passes."""
        found = self._plain(lambda i: _checked(i.typed("advertise", "check", document, now)))
        return [marshal.to_finding(finding) for finding in found]

    def fresh(self, refreshed_at: str, now: str) -> bool:
        """Whether offers of `refreshed_at` (`YYYY-MM-DD`) are fresh at `now` (R13)."""
        fresh: bool = self._plain(
            lambda i: _checked(i.typed("advertise", "fresh", refreshed_at, now))
        )
        return fresh

    def card_version(self) -> Version | None:
        """The version of the card for a GET that names none (RFC 0175 §C.3)."""
        version: Version | None = self._plain(lambda i: i.typed("advertise", "card-version"))
        return version

    def admit_round(self, max_rounds: int, input_required_seen: int) -> Round:
        """Whether one more round may be sent (RFC 0175 §E.4)."""
        admitted: Round = self._plain(
            lambda i: _checked(i.typed("advertise", "admit-round", max_rounds, input_required_seen))
        )
        return admitted

    def task_state(self, status: str) -> str:
        """The A2A task state of a run status (RFC 0175 §E.2)."""
        state = self._plain(lambda i: i.typed("advertise", "task-state", status))
        return str(_checked(state, text=True))

    # --- plain JSON -------------------------------------------------------------------------

    def call(self, operation: str, request: str) -> tuple[bool, str]:
        """One request of the JSON contract, as text: whether it was answered, and the text.

        `operation` is a function of the `json` interface but `configure`; a request without
        `facets` has those of this negotiator.
        """
        if operation == "configure":
            raise InputError("operation", "must not be configure: give facets to the constructor")
        return self._plain(lambda i: i.json(operation, request))

    def _plain(self, run: Callable[[Instance], T]) -> T:
        try:
            return self._current.use(run)
        except Failed as error:
            raise ComponentError("the component failed, and was thrown away") from error

    @staticmethod
    def _refuse(
        generation: Generation,
        exchange: Exchange | Inbound | Outbound,
        context: Context,
        refusal: HostRefusal,
    ) -> Settlement:
        try:
            return generation.use(lambda i: _settle(generation, i, exchange, context, refusal))
        except Failed as error:
            raise ComponentError("the component failed to refuse; serve nothing") from error


def _read(instance: Instance, message: Exchange | Inbound | Outbound) -> Exchange:
    if isinstance(message, Inbound):
        return marshal.to_exchange(instance.typed("wire", "read-inbound", marshal.inbound(message)))
    if isinstance(message, Outbound):
        return marshal.to_exchange(
            instance.typed("wire", "read-outbound", marshal.outbound(message))
        )
    return message


def _settle(
    generation: Generation,
    instance: Instance,
    message: Exchange | Inbound | Outbound,
    context: Context,
    refusal: HostRefusal | None,
) -> Settlement:
    answer = _ask(instance, message, context, refusal)
    if answer is not None:
        decision, entry = plain.to_decision(answer), plain.to_entry(answer)
        reply = plain.to_reply(answer)
    else:
        arguments = marshal.exchange(_read(instance, message)), marshal.context(context)
        if refusal is None:
            value = _checked(instance.typed("record", "settle", *arguments))
        else:
            value = _checked(instance.typed("record", "refuse", *arguments, refusal))
        decision, entry = marshal.to_decision(value.decision), marshal.to_entry(value.entry)
        reply = marshal.to_reply(value.reply)
    return Settlement(decision, entry, reply, generation.number, generation.digest)


def _decide(instance: Instance, message: Exchange | Inbound | Outbound) -> Decision:
    answer = _ask(instance, message, None, None)
    if answer is not None:
        return plain.to_decision(answer)
    facts = marshal.exchange(_read(instance, message))
    return marshal.to_decision(instance.typed("negotiate", "decide", facts))


def _ask(
    instance: Instance,
    message: Exchange | Inbound | Outbound,
    context: Context | None,
    refusal: HostRefusal | None,
) -> dict[str, Any] | None:
    """The answer to one JSON request; None where only the typed interfaces can hold it.

    Raises InputError for a context member outside its grammar.
    """
    if isinstance(message, Exchange):
        return None
    try:
        request = plain.request(message, context, refusal)
    except plain.Unholdable:
        return None
    operation = "decide" if context is None else "settle" if refusal is None else "refuse"
    ok, text = instance.json(operation, request)
    answer: dict[str, Any] = json.loads(text)
    if ok:
        return answer
    path: str = answer["error"].get("path", "")
    if path.startswith("context."):
        raise InputError(path, answer["error"]["problem"])
    # Too long, or the peer's text is no JSON to the component: the typed interfaces read it.
    return None


def _checked(result: Any, *, text: bool = False) -> Any:
    """The value of a result; raises InputError for its fault.

    wasmtime leaves the tag out where the two types of a result differ in Python.
    """
    if hasattr(result, "tag"):
        if result.tag == "ok":
            return result.payload
        result = result.payload
    if hasattr(result, "problem") and hasattr(result, "path") and not hasattr(result, "rule"):
        raise InputError(result.path, result.problem)
    return result
