"""Bytes that are trusted because their digest is known."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from pathlib import Path

from .errors import ArtifactError
from .pins import PINS

_PACKAGED = Path(__file__).parent / "dist"
# An editable install works from a checkout of the repository.
_CHECKOUT = Path(__file__).parents[5] / "dist" if len(Path(__file__).parents) > 5 else _PACKAGED


@dataclass(frozen=True, slots=True)
class Artifact:
    """A component's bytes, with the SHA-256 (64 hex digits) that they were checked against."""

    data: bytes
    digest: str

    @staticmethod
    def trusted(data: bytes, digest: str) -> Artifact:
        """Takes `data` if its SHA-256 is `digest` (`sha256:` in front is fine).

        Raises ArtifactError otherwise.
        """
        expected = digest.removeprefix("sha256:").lower()
        actual = hashlib.sha256(data).hexdigest()
        if not hmac.compare_digest(actual.encode(), expected.encode()):
            raise ArtifactError(
                f"the artifact has the SHA-256 {actual}, not the one that is pinned: "
                "take the file that was reviewed, or pin this one after a review"
            )
        return Artifact(data, actual)

    @staticmethod
    def read(path: str | Path, digest: str) -> Artifact:
        """Reads a file, and takes it if its SHA-256 is `digest`."""
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise ArtifactError(f"the artifact cannot be read: {error.strerror}") from error
        return Artifact.trusted(data, digest)

    @staticmethod
    def packaged(name: str) -> Artifact:
        """An artifact that comes with this package: a key of `pins.PINS`."""
        if name not in PINS:
            raise ArtifactError(f"this package brings {', '.join(PINS)}, and nothing else")
        folder = _PACKAGED if (_PACKAGED / name).is_file() else _CHECKOUT
        return Artifact.read(folder / name, PINS[name])
