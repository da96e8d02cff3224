"""Negotiates A2A and MCP versions with the certified component, in Python.

See README.md for ten lines that run, `asgi` for the middleware.
"""

from .artifact import Artifact
from .errors import ArtifactError, ComponentError, FacetsError, InputError, NegotiatorError
from .negotiator import Negotiator
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
    Listing,
    Named,
    Outbound,
    Rejection,
    Reply,
    Settlement,
    Subject,
)

__all__ = [
    "Acceptance",
    "Artifact",
    "ArtifactError",
    "ComponentError",
    "Context",
    "Decision",
    "Entry",
    "Exchange",
    "Facet",
    "Facets",
    "FacetsError",
    "Fault",
    "Finding",
    "Inbound",
    "InputError",
    "Listing",
    "Named",
    "Negotiator",
    "NegotiatorError",
    "Outbound",
    "Rejection",
    "Reply",
    "Settlement",
    "Subject",
]
