"""Gives back a box of 32 bytes that wasmtime's Python package loses at each variant it reads.

`wasmtime.component` empties the box of a variant, option or result with `val_delete` and never
frees it; `val_free` does (seen in 48.0.0 to 50.0.1). A host that settles for months would grow.
Nothing happens where the package frees its boxes itself.
"""

from __future__ import annotations

import inspect
from typing import Any

from wasmtime import _ffi as ffi
from wasmtime.component import _types


def free_boxes() -> None:
    """Call once, before any component is called."""
    lift = _types.VariantLikeType._lift
    if "val_free" in inspect.getsource(lift):
        return

    def lift_and_free(self: Any, tag: str, box: Any) -> Any:
        value = lift(self, tag, box)
        if box:
            # Emptied by `lift`: nothing in it is freed twice.
            ffi.wasmtime_component_val_free(box)
        return value

    lift_and_free.__doc__ = "val_free: marks this function as one that frees its box."
    setattr(_types.VariantLikeType, "_lift", lift_and_free)
