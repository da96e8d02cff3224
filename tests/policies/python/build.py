#!/usr/bin/env python3
"""Makes a component of policy.py: build.py WIT-FOLDER OUT.wasm

The first run makes its own environment under `tests/work/`.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME = HERE.parents[1] / "work" / "policy-python"

wit, out = (Path(argument).resolve() for argument in sys.argv[1:])
requirements = HERE / "requirements.txt"
stamp = HOME / "installed.txt"
if not stamp.exists() or stamp.read_text() != requirements.read_text():
    venv.create(HOME, with_pip=True, clear=True, symlinks=True)
    pip = [HOME / "bin" / "python", "-m", "pip", "install", "--quiet", "-r", requirements]
    subprocess.run(pip, check=True)
    stamp.write_text(requirements.read_text())

part = out.with_name(out.name + ".part")
# A policy gets neither clock nor randomness nor files: with stubs for them it imports nothing.
subprocess.run(
    [HOME / "bin" / "componentize-py", "-d", wit, "-w", "policy-provider"]
    + ["componentize", "--stub-wasi", "policy", "-o", part],
    cwd=HERE,
    check=True,
)
os.replace(part, out)
