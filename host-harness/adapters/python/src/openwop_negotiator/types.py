"""The words of the contract (`wit/`), under the same names.

Everything is immutable, so it can be shared between threads. Texts that are versions
are in the grammar of their protocol wherever they come out of the component: A2A
`<major>.<minor>`, MCP `YYYY-MM-DD`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Protocol: TypeAlias = Literal["a2a", "mcp"]
Direction: TypeAlias = Literal["inbound", "outbound"]
HttpMethod: TypeAlias = Literal["post", "get", "delete"]
Surface: TypeAlias = Literal["a2a-call", "a2a-card", "mcp-initialize", "mcp-session", "mcp-request"]
Refusal: TypeAlias = Literal["below-floor", "unsupported", "unauthenticated"]
HostRefusal: TypeAlias = Literal["policy-failed", "credential-required"]
Home: TypeAlias = Literal["run", "host"]
Round: TypeAlias = Literal["continue", "refuse"]
# `cause` is closed, too; wit/types.wit lists and explains every one.
Cause: TypeAlias = str
Version: TypeAlias = str


@dataclass(frozen=True, slots=True)
class Facet:
    """What a host advertises for one protocol (RFC 0175 §B.1)."""

    offered: Sequence[Version]
    preferred: Version
    floor: Version


@dataclass(frozen=True, slots=True)
class Facets:
    """The facets of one host; a protocol without a facet is not spoken."""

    a2a: Facet | None = None
    mcp: Facet | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a facet or with settings, and where."""

    path: str
    problem: str


@dataclass(frozen=True, slots=True)
class Subject:
    """Who owns a record; from the credential alone, never from a request."""

    tenant: str
    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class Inbound:
    """A message that reached this host, as it came off the wire.

    `headers` as received: any case, repeats kept, untrimmed. `query` without `?`.
    `params` is the JSON text of the JSON-RPC params. `session` is the version that this
    MCP session agreed on earlier.
    """

    protocol: Protocol
    authenticated: bool
    headers: Sequence[tuple[str, str]] = ()
    http_method: HttpMethod = "post"
    query: str | None = None
    method: str | None = None
    params: str | None = None
    session: Version | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """What a peer told of the versions that it speaks.

    `value` is JSON text for `card`, `discover` and `error`, a list for `offers`, and
    None for `nothing`.
    """

    kind: Literal["nothing", "card", "discover", "error", "offers"] = "nothing"
    value: str | Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Outbound:
    """What this host knows before it calls a peer.

    `requested` defaults to the preferred version; `initialize` is the JSON text of the
    result of MCP `initialize`, once it was answered.
    """

    protocol: Protocol
    authenticated: bool
    requested: str | None = None
    listing: Listing = Listing()
    initialize: str | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """Which version the other side named, or why there is none.

    `version` is set for `one`, and for `contradiction` if a name goes on record.
    """

    kind: Literal["nothing", "one", "malformed", "ambiguous", "contradiction"]
    version: Version | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was read from the wire, and all that a decision depends on."""

    protocol: Protocol
    direction: Direction
    authenticated: bool
    surface: Surface
    named: Named
    session: Version | None = None
    offers: Sequence[Version] | None = None
    answered: Named | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What the host adds to a decision to put it on record.

    `at`: an RFC 3339 date-time with offset. `peer_url`: only the digest of its origin is
    used. Without `event_id` there is a payload but no envelope; `sequence` is required for
    the envelope of a run event. A member outside its grammar is an `InputError`.
    """

    at: str
    peer_url: str | None = None
    subject: Subject | None = None
    run_id: str | None = None
    sequence: int | None = None
    event_id: str | None = None


@dataclass(frozen=True, slots=True)
class Acceptance:
    """An agreed version; the only one that may be used on the wire.

    `downgraded`: it is below what was named.
    """

    version: Version
    cause: Cause
    downgraded: bool


@dataclass(frozen=True, slots=True)
class Rejection:
    """No version agreed. `refusal` goes on record, `cause` is for people and metrics."""

    refusal: Refusal
    cause: Cause


Decision: TypeAlias = Acceptance | Rejection


@dataclass(frozen=True, slots=True)
class Reply:
    """What to send back; `error` and `envelope` are JSON texts, set on refusals."""

    status: int
    headers: tuple[tuple[str, str], ...]
    error: str | None
    envelope: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A record, ready to be made durable.

    `payload` and `event` are exact JSON texts: store them as they are. `audience` is None
    when nobody may read it.
    """

    home: Home
    audience: Subject | None
    payload: str
    event: str | None
    requested: Version | None
    peer_digest: str | None


@dataclass(frozen=True, slots=True)
class Settlement:
    """Decision, record and reply of one exchange.

    Make `entry` durable before anything else happens; when that fails, answer with
    `Negotiator.not_durable` instead (R15). `generation` counts the swaps of this
    negotiator from 1; `policy` is the SHA-256 of the policy, or of the component that
    has its policy inside.
    """

    decision: Decision
    entry: Entry
    reply: Reply
    generation: int
    policy: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with a discovery document: the rule, where, and what to do."""

    rule: str
    path: str
    problem: str
