"""Refuses to build without the generated modules. pyproject.toml has everything else."""

import pathlib

import setuptools

if not (pathlib.Path(__file__).parent / "src/earshot/types.py").exists():
    raise SystemExit("The generated modules are missing: run `make sdk` in the repository, then `pip install dist/earshot-*.whl`")

setuptools.setup()
