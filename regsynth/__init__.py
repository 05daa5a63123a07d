"""Provably minimal regular expressions.

>>> import regsynth
>>> bool(regsynth.equivalent("(a+b)*", "(a*b*)*"))
True
>>> regsynth.equivalent("a*", "aa*").word
''

Everything here is loaded on first use (PEP 562), so ``import regsynth`` costs a
few milliseconds and loads no solver.

==============  ==========================================================
``parse``       read an expression
``minimize``    cheapest expression of the same language, with a proof
``infer``       cheapest expression that separates two sets of words
``equivalent``  do two expressions have the same language? (with a witness)
``contains``    is the first language part of the second? (with a witness)
``disjoint``    do two practical patterns match no common subject?
``Pattern``     a compiled practical pattern (``compile_pattern``)
``screen``      how a backtracking matcher's time grows, with an attack (ReDoS)
``safe_search`` ``re.search`` in a child process that is killed in time
``Costs``       what each operator costs
``Operators``   which operators an answer may use
``Budget``      seconds, bytes and states a call may use
``evaluate``    one practical pattern against examples and a reference
``bench``       score models' answers (``bench.run``)
``errors``      every exception raised on purpose
==============  ==========================================================
"""

from __future__ import annotations

from regsynth._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regsynth import bench, errors
    from regsynth.api import contains, equivalent, infer, minimize, parse
    from regsynth.bench.evaluation import evaluate
    from regsynth.budget import Budget
    from regsynth.practical import Pattern, compile_pattern, disjoint, intersection_witness
    from regsynth.redos.sandbox import safe_fullmatch, safe_match, safe_search
    from regsynth.redos.screening import screen
    from regsynth.solvers.results import Operators
    from regsynth.syntax.costs import Costs

__all__ = [
    "Budget", "Costs", "Operators", "Pattern", "__version__", "bench", "compile_pattern", "contains", "disjoint", "equivalent", "errors",
    "evaluate", "infer", "intersection_witness", "minimize", "parse", "safe_fullmatch", "safe_match", "safe_search", "screen",
]  # fmt: skip

_HOME = {
    "Budget": "regsynth.budget",
    "Costs": "regsynth.syntax.costs",
    "Operators": "regsynth.solvers.results",
    "Pattern": "regsynth.practical",
    "compile_pattern": "regsynth.practical",
    "contains": "regsynth.api",
    "disjoint": "regsynth.practical",
    "equivalent": "regsynth.api",
    "evaluate": "regsynth.bench.evaluation",
    "infer": "regsynth.api",
    "intersection_witness": "regsynth.practical",
    "minimize": "regsynth.api",
    "parse": "regsynth.api",
    "safe_fullmatch": "regsynth.redos.sandbox",
    "safe_match": "regsynth.redos.sandbox",
    "safe_search": "regsynth.redos.sandbox",
    "screen": "regsynth.redos.screening",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in ("bench", "errors"):
        return import_module(f"regsynth.{name}")
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'regsynth' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
