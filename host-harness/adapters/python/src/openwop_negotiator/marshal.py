"""Values of the contract to and from the values of `wasmtime.component`.

wasmtime gives records as objects with attributes named as in the WIT (`peer-digest`), enums as
text, variants as (tag, payload); it unwraps a `result` whose two types differ.
"""

from __future__ import annotations

from typing import Any

from wasmtime.component import Record, Variant

from .types import (
    Acceptance,
    Context,
    Decision,
    Entry,
    Exchange,
    Facet,
    Facets,
    Fault,
    Finding,
    Inbound,
    Named,
    Outbound,
    Rejection,
    Reply,
    Subject,
)


def record(**members: Any) -> Record:
    """A WIT record; `_` in a name stands for `-`."""
    value = Record()
    value.__dict__.update({name.replace("_", "-"): member for name, member in members.items()})
    return value


# --- in ------------------------------------------------------------------------------------------


def facets(value: Facets) -> Record:
    return record(a2a=_facet(value.a2a), mcp=_facet(value.mcp))


def _facet(value: Facet | None) -> Record | None:
    if value is None:
        return None
    return record(offered=list(value.offered), preferred=value.preferred, floor=value.floor)


def inbound(value: Inbound) -> Record:
    return record(
        protocol=value.protocol,
        authenticated=value.authenticated,
        http_method=value.http_method,
        headers=[(name, text) for name, text in value.headers],
        query=value.query,
        method=value.method,
        params=value.params,
        session=value.session,
    )


def outbound(value: Outbound) -> Record:
    listing = value.listing
    told: Any = list(listing.value or ()) if listing.kind == "offers" else listing.value
    return record(
        protocol=value.protocol,
        authenticated=value.authenticated,
        requested=value.requested,
        listing=Variant(listing.kind, told),
        initialize=value.initialize,
    )


def exchange(value: Exchange) -> Record:
    return record(
        protocol=value.protocol,
        direction=value.direction,
        authenticated=value.authenticated,
        surface=value.surface,
        named=_named(value.named),
        session=value.session,
        offers=None if value.offers is None else list(value.offers),
        answered=None if value.answered is None else _named(value.answered),
    )


def _named(value: Named) -> Variant:
    return Variant(value.kind, value.version)


def context(value: Context) -> Record:
    subject = value.subject
    return record(
        at=value.at,
        peer_url=value.peer_url,
        subject=(
            None if subject is None else record(tenant=subject.tenant, workspace=subject.workspace)
        ),
        run_id=value.run_id,
        sequence=value.sequence,
        event_id=value.event_id,
    )


def decision(value: Decision) -> Variant:
    if isinstance(value, Acceptance):
        accepted = record(version=value.version, cause=value.cause, downgraded=value.downgraded)
        return Variant("accepted", accepted)
    return Variant("refused", record(refusal=value.refusal, cause=value.cause))


# --- out -----------------------------------------------------------------------------------------


def to_exchange(value: Any) -> Exchange:
    return Exchange(
        protocol=value.protocol,
        direction=value.direction,
        authenticated=value.authenticated,
        surface=value.surface,
        named=Named(value.named.tag, value.named.payload),
        session=value.session,
        offers=None if value.offers is None else tuple(value.offers),
        answered=(
            None if value.answered is None else Named(value.answered.tag, value.answered.payload)
        ),
    )


def to_decision(value: Any) -> Decision:
    inner = value.payload
    if value.tag == "accepted":
        return Acceptance(inner.version, inner.cause, inner.downgraded)
    return Rejection(inner.refusal, inner.cause)


def to_reply(value: Any) -> Reply:
    return Reply(value.status, tuple(value.headers), value.error, value.envelope)


def to_entry(value: Any) -> Entry:
    audience = value.audience
    return Entry(
        home=value.home,
        audience=None if audience is None else Subject(audience.tenant, audience.workspace),
        payload=value.payload,
        event=value.event,
        requested=value.requested,
        peer_digest=getattr(value, "peer-digest"),
    )


def to_fault(value: Any) -> Fault:
    return Fault(value.path, value.problem)


def to_finding(value: Any) -> Finding:
    return Finding(value.rule, value.path, value.problem)
