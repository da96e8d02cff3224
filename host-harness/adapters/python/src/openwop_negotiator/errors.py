"""What can go wrong. A refusal is no error: it is a decision, with its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import Fault


class NegotiatorError(Exception):
    """Any error of this package."""


class ArtifactError(NegotiatorError):
    """Bytes without the digest that they must have, or that cannot be loaded."""


class FacetsError(NegotiatorError):
    """Facets or policy settings that break a rule; `faults` lists every one."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        super().__init__("; ".join(f"{fault.path}: {fault.problem}" for fault in faults))


class InputError(NegotiatorError, ValueError):
    """A value outside its grammar. `path` names the member; the value is not repeated."""

    def __init__(self, path: str, problem: str) -> None:
        self.path = path
        self.problem = problem
        super().__init__(f"{path}: {problem}")


class ComponentError(NegotiatorError):
    """The component failed, and so did the refusal that would have stood for it."""
