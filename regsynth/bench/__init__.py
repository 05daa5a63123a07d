"""Score language models' answers against solver optima; see ``docs/bench.md``.

:func:`run` scores a list of predictions, :func:`evaluate` one pattern. Both are loaded
when first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regsynth.bench.evaluation import evaluate, run

__all__ = ["evaluate", "run"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from regsynth.bench import evaluation

        return getattr(evaluation, name)
    raise AttributeError(f"module 'regsynth.bench' has no attribute {name!r}")
