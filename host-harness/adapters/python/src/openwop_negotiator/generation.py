"""What a negotiator runs on between two swaps: components, configuration, and instances."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from wasmtime.component import Component

from . import marshal
from .artifact import Artifact
from .errors import ArtifactError, FacetsError, InputError
from .instance import Failed, Instance, compile_component
from .types import Facets, Fault

T = TypeVar("T")

# Instances that are kept for later; more than this many calls at once make new ones.
KEPT = 32


@dataclass
class Generation:
    """Immutable but for its idle instances, which come and go one by one."""

    number: int
    digest: str
    component: Component
    policy: Component | None
    facets: Facets | Mapping[str, Any]
    settings: str
    # `append` and `pop` of a deque are atomic.
    _idle: deque[Instance] = field(default_factory=deque)

    @staticmethod
    def load(
        number: int,
        artifact: Artifact,
        policy: Artifact | None,
        facets: Facets | Mapping[str, Any],
        settings: str,
    ) -> Generation:
        """Compiles, instantiates once and configures, so that what is wrong shows here.

        Raises ArtifactError or FacetsError.
        """
        generation = Generation(
            number,
            (policy or artifact).digest,
            compile_component(artifact),
            None if policy is None else compile_component(policy),
            facets,
            settings,
        )
        generation._idle.append(generation._make())
        return generation

    def use(self, call: Callable[[Instance], T]) -> T:
        """Runs `call` on an instance that nobody else has meanwhile.

        Raises Failed if the instance failed; it is thrown away then.
        """
        try:
            instance = self._idle.pop()
        except IndexError:
            instance = self._make()
        try:
            result = call(instance)
        except InputError:
            # Raised before the instance was entered, or as its own answer: it is sound.
            self._keep(instance)
            raise
        self._keep(instance)
        return result

    def _keep(self, instance: Instance) -> None:
        if len(self._idle) < KEPT:
            self._idle.append(instance)

    def _make(self) -> Instance:
        instance = Instance(self.component, self.policy)
        try:
            faults = _configure(instance, self.facets, self.settings)
        except Failed as error:
            raise ArtifactError(
                "the component or its policy failed while it was configured"
            ) from error
        if faults:
            raise FacetsError(faults)
        return instance


def _configure(
    instance: Instance, facets: Facets | Mapping[str, Any], settings: str
) -> tuple[Fault, ...]:
    if isinstance(facets, Facets):
        result = instance.typed("negotiate", "configure", marshal.facets(facets), settings)
        return tuple(map(marshal.to_fault, result or ()))
    request = json.dumps({"facets": facets, "settings": settings})
    ok, text = instance.json("configure", request)
    if ok:
        return ()
    error = json.loads(text)["error"]
    if "faults" in error:
        return tuple(Fault(fault["path"], fault["problem"]) for fault in error["faults"])
    return (Fault(error["path"], error["problem"]),)
