"""One live instance of the component, and the policy that it may ask.

An instance is used by one thread at a time; `generation.py` sees to that. What a call may use
up is limited as in the Rust host: fuel, which is deterministic, and memory.
"""

from __future__ import annotations

import threading
from typing import Any

from wasmtime import Config, Engine, Store, WasmtimeError
from wasmtime.component import Component, Linker

from .artifact import Artifact
from .boxes import free_boxes
from .errors import ArtifactError, InputError

PACKAGE = "openwop:negotiation/{}@2.0.0"
MEBIBYTE = 1024 * 1024

# What one call may use up: fuel, bytes of memory.
NEGOTIATOR_LIMITS = (200_000_000, 16 * MEBIBYTE)
POLICY_LIMITS = (10_000_000, 64 * MEBIBYTE)

# wasmtime's Python package converts variants and options with the help of one set that all
# threads share. Calls that convert such values exclude each other, therefore; calls of the
# `json` interface convert plain text only, and run in parallel.
_CONVERSIONS = threading.RLock()


class Failed(Exception):
    """The instance trapped, ran out of its limits, or broke its type. Never use it again."""



def _engine() -> Engine:
    free_boxes()
    config = Config()
    config.consume_fuel = True
    return Engine(config)


ENGINE = _engine()


def compile_component(artifact: Artifact) -> Component:
    """Compiles trusted bytes; takes about 0.1 s."""
    try:
        return Component(ENGINE, artifact.data)
    except WasmtimeError as error:
        raise ArtifactError("the artifact is not a component that wasmtime can compile") from error


class _Guest:
    """A store with one instance, its limits, and its functions by name."""

    def __init__(self, component: Component, linker: Linker, limits: tuple[int, int]) -> None:
        self._fuel, memory = limits
        self._store = Store(ENGINE)
        self._store.set_limits(memory_size=memory)
        self._store.set_fuel(self._fuel)
        try:
            self._instance = linker.instantiate(self._store, component)
        except WasmtimeError as error:
            raise ArtifactError(
                "the component cannot be instantiated: it must import nothing but the policy, "
                "and fit its memory"
            ) from error
        self._functions: dict[tuple[str, str], Any] = {}

    def __call__(self, interface: str, name: str, *arguments: Any) -> Any:
        function = self._functions.get((interface, name)) or self._find(interface, name)
        self._store.set_fuel(self._fuel)
        try:
            answer = function(self._store, *arguments)
            function.post_return(self._store)
        except UnicodeEncodeError:
            # Python texts may hold lone surrogates; UTF-8 cannot.
            raise InputError("request", "must be Unicode text, without lone surrogates") from None
        except (WasmtimeError, UnicodeDecodeError) as error:
            raise Failed from error
        return answer

    def _find(self, interface: str, name: str) -> Any:
        outer = self._instance.get_export_index(self._store, PACKAGE.format(interface))
        index = outer and self._instance.get_export_index(self._store, name, outer)
        function = index and self._instance.get_func(self._store, index)
        if function is None:
            raise ArtifactError(f"the component must export {PACKAGE.format(interface)} with {name}")
        self._functions[interface, name] = function
        return function


class Instance:
    """The negotiator; with a policy if the component imports one."""

    def __init__(self, component: Component, policy: Component | None) -> None:
        self._asks = policy is not None
        linker = Linker(ENGINE)
        if policy is not None:
            _link(linker, _Guest(policy, Linker(ENGINE), POLICY_LIMITS))
        self._guest = _Guest(component, linker, NEGOTIATOR_LIMITS)

    def typed(self, interface: str, name: str, *arguments: Any) -> Any:
        """Calls a function with the values of `marshal`."""
        with _CONVERSIONS:
            return self._guest(interface, name, *arguments)

    def json(self, operation: str, request: str) -> tuple[bool, str]:
        """Calls a function of the `json` interface: whether it was answered, and the text."""
        if self._asks:
            result = self.typed("json", operation, request)
        else:
            result = self._guest("json", operation, request)
        return result.tag == "ok", result.payload


def _link(linker: Linker, policy: _Guest) -> None:
    """Answers the negotiator's questions with a policy that lives in a store of its own.

    A policy that fails ends the negotiator's call as well: there is no verdict that could be
    given in its place, and nobody but the host may say that a policy failed.
    """

    def configure(_store: Any, settings: str) -> Any:
        return ask("configure", settings)

    def judge(_store: Any, proposal: Any) -> Any:
        return ask("judge", proposal)

    def ask(name: str, argument: Any) -> Any:
        try:
            return policy("policy", name, argument)
        except Exception as error:
            # Any other exception type would be kept in a variable that all threads share.
            raise WasmtimeError("the policy failed") from error

    with linker.root() as root, root.add_instance(PACKAGE.format("policy")) as interface:
        interface.add_func("configure", configure)
        interface.add_func("judge", judge)
