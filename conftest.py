"""Doctests of the Inspect AI plug-in need Inspect AI, an extra."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("inspect_ai") else ["regsynth/bench/inspect/*"]
