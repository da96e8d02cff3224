"""The library: values, errors, threads and swaps."""

from __future__ import annotations

import hashlib
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from wasmtime import wat2wasm

from openwop_negotiator import (
    Acceptance,
    Artifact,
    ArtifactError,
    ComponentError,
    Context,
    Facet,
    Facets,
    FacetsError,
    Inbound,
    InputError,
    Negotiator,
    Rejection,
)

A2A = Facets(a2a=Facet(["0.3", "1.0", "1.1"], "1.1", "0.3"))
AT = Context(at="2026-11-30T12:00:00Z")
NAMES_NOTHING = Inbound("a2a", True)


def names(version: str) -> Inbound:
    return Inbound("a2a", True, [("A2A-Version", version)])


def test_a_changed_byte_does_not_load() -> None:
    good = Artifact.packaged("negotiator.wasm")
    changed = bytearray(good.data)
    changed[1000] ^= 1
    with pytest.raises(ArtifactError, match="not the one that is pinned"):
        Artifact.trusted(bytes(changed), good.digest)
    assert Artifact.trusted(good.data, f"sha256:{good.digest}") == good


def test_faults_are_all_listed_and_not_repeated() -> None:
    with pytest.raises(FacetsError) as caught:
        Negotiator(Facets(Facet(["1.0", "secret", "1.0"], "1.0", "1.0"), Facet([], "x", "x")))
    found = {(fault.path, fault.problem) for fault in caught.value.faults}
    assert {("a2a.versions[1]", "malformed"), ("a2a.versions[2]", "duplicate")} < found
    assert ("mcp.revisions", "empty") in found
    assert "secret" not in str(caught.value)


def test_a_discovery_document_configures() -> None:
    document = {
        "protocolVersions": ["2.0"],
        "a2a": {
            "versions": ["0.3", "1.0"],
            "preferredVersion": "1.0",
            "minimumVersion": "0.3",
            "refreshedAt": "2026-11-01",
        },
    }
    assert Negotiator(document).card_version() == "1.0"


@pytest.mark.parametrize("text", ["\ud800", "\udc00\ud800", "a\udfff"])
def test_a_lone_surrogate_is_an_input_error_everywhere(text: str) -> None:
    negotiator = Negotiator(A2A)
    for call in (
        lambda: negotiator.settle(names(text), AT),
        lambda: negotiator.settle(NAMES_NOTHING, Context(at=AT.at, peer_url=text)),
        lambda: negotiator.read_inbound(names(text)),
        lambda: negotiator.digest_origin(text),
        lambda: negotiator.call("settle", text),
    ):
        with pytest.raises(InputError, match="lone surrogates"):
            call()
    assert isinstance(negotiator.settle(names("1.0"), AT).decision, Acceptance)


def test_params_cannot_reach_beyond_their_place() -> None:
    negotiator = Negotiator(Facets(mcp=Facet(["2025-11-25"], "2025-11-25", "2025-11-25")))
    smuggled = '{},"session":"2025-11-25"'
    settled = negotiator.settle(Inbound("mcp", True, method="tools/list", params=smuggled), AT)
    assert settled.decision == Rejection("unsupported", "malformed")


def test_params_past_64_kib_and_with_duplicates_are_settled_too() -> None:
    negotiator = Negotiator(Facets(mcp=Facet(["2026-07-28"], "2026-07-28", "2026-07-28")))
    meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
    headers = [("MCP-Protocol-Version", "2026-07-28")]
    large = f'{{{meta},"pad":"{"x" * 200_000}"}}'
    message = Inbound("mcp", True, headers, method="tools/call", params=large)
    assert isinstance(negotiator.settle(message, AT).decision, Acceptance)
    twice = f"{{{meta},{meta}}}"
    message = Inbound("mcp", True, headers, method="tools/call", params=twice)
    assert negotiator.settle(message, AT).decision == Rejection(
        "unsupported", "header-body-mismatch"
    )


def test_a_policy_takes_over_and_goes_back() -> None:
    negotiator = Negotiator(A2A)
    first = negotiator.settle(NAMES_NOTHING, AT)
    assert (first.generation, negotiator.generation) == (1, 1)
    exact = Artifact.packaged("policies/exact.wasm")
    assert negotiator.swap_policy(exact) == 2
    second = negotiator.settle(names("1.0"), AT)
    assert (second.generation, second.policy) == (2, exact.digest)
    assert second.decision == Acceptance("1.0", "exact", False)
    assert negotiator.rollback() == 1
    assert negotiator.settle(NAMES_NOTHING, AT) == first
    assert negotiator.swap_component(Artifact.packaged("negotiator.wasm")) == 3


def test_a_swap_that_fails_changes_nothing() -> None:
    negotiator = Negotiator(A2A)
    exact = Artifact.packaged("policies/exact.wasm")
    with pytest.raises(FacetsError) as caught:
        negotiator.swap_policy(exact, "settings that it does not have")
    assert caught.value.faults[0].path == "settings"
    nothing = Artifact.trusted(b"not wasm", "sha256:" + sha256(b"not wasm"))
    with pytest.raises(ArtifactError):
        negotiator.swap_policy(nothing)
    with pytest.raises(ArtifactError, match="import nothing"):
        negotiator.swap_component(Artifact.packaged("negotiator-pluggable.wasm"))
    with pytest.raises(ComponentError, match="no generation before"):
        negotiator.rollback()
    assert negotiator.generation == 1


@pytest.mark.parametrize(
    "judge",
    [
        "unreachable",
        "(loop (br 0)) unreachable",
        "(drop (memory.grow (i32.const 2000))) (i32.store (i32.const 0x7000000) (i32.const 1)) "
        "(i32.const 0)",
        "(i32.const -1)",
    ],
)
def test_a_policy_that_fails_is_a_refusal_on_the_record(judge: str) -> None:
    negotiator = Negotiator(A2A)
    negotiator.swap_policy(failing(judge))
    for message in (NAMES_NOTHING, negotiator.read_inbound(NAMES_NOTHING)):
        settled = negotiator.settle(message, AT)
        assert settled.decision == Rejection("unsupported", "policy-failed")
        assert '"outcome":"refused"' in settled.entry.payload
        assert negotiator.decide(message) == settled.decision
    below = negotiator.settle(names("0.2"), AT)
    assert below.decision == Rejection("below-floor", "named-below-floor")


def test_callers_see_one_generation_or_the_other() -> None:
    negotiator = Negotiator(A2A)
    exact, highest = (Artifact.packaged(f"policies/{name}.wasm") for name in ("exact", "highest"))
    negotiator.swap_policy(exact)
    digests = {1: Artifact.packaged("negotiator.wasm").digest}
    done = threading.Event()

    def settle() -> int:
        count = 0
        while not done.is_set() or count == 0:
            settled = negotiator.settle(names("1.0"), AT)
            # Number and policy always belong together.
            assert settled.policy == (exact if settled.generation % 2 == 0 else highest).digest
            assert settled.decision == Acceptance("1.0", "exact", False)
            count += 1
        return count

    with ThreadPoolExecutor(8) as pool:
        results = [pool.submit(settle) for _ in range(8)]
        for policy in [highest, exact] * 3:
            digests[negotiator.swap_policy(policy)] = policy.digest
        done.set()
        assert all(result.result() > 0 for result in results)
    assert negotiator.generation == 8


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def failing(judge: str) -> Artifact:
    """A policy whose `judge` has this body."""
    text = (Path(__file__).parents[2] / "policies" / "failing.wat").read_text()
    assert text.count("(result i32) unreachable)") == 1
    data = bytes(wat2wasm(text.replace("(result i32) unreachable)", f"(result i32) {judge})")))
    return Artifact.trusted(data, sha256(data))
