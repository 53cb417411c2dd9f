"""Builds the package with setuptools, with types and operations that are generated from OpenAPI."""

import pathlib
import shutil

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - the other hooks of a build backend

import generate

HERE = pathlib.Path(__file__).resolve().parent


def prepare():
    """Generates the files in a checkout. A source archive already contains them."""
    if generate.description().exists():
        generate.main()
        for name in ("LICENSE-MIT", "LICENSE-APACHE"):
            shutil.copy(HERE.parent / name, HERE / name)


def build_sdist(*arguments, **options):
    prepare()
    return build_meta.build_sdist(*arguments, **options)


def build_wheel(*arguments, **options):
    prepare()
    return build_meta.build_wheel(*arguments, **options)
