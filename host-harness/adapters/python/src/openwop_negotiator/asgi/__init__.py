"""ASGI middleware: the floor and the records in front of an app that exists already."""

from .middleware import Caller, NegotiationMiddleware
from .sessions import MemorySessions, Sessions

__all__ = ["Caller", "MemorySessions", "NegotiationMiddleware", "Sessions"]
