"""``--certificate DIR`` of the verbs that find optima."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import Any, NamedTuple

from regsynth.budget import Budget
from regsynth.solvers.results import InferenceProblem, MinimizationProblem, Result


class Proofs(NamedTuple):
    """Where certificates go: ``folder`` itself, or for many items a folder in it for each, named by its id."""

    folder: str
    many: bool

    def certify(self, problem: MinimizationProblem | InferenceProblem, result: Any, budget: Budget, item: object) -> Any:
        """The result with its certificate, when it is optimal and the budget left over allows one."""
        from regsynth.solvers.roads import certify

        assert isinstance(result, Result)
        began = time.perf_counter()
        folder = self.folder
        if self.many:
            folder += "/" + re.sub(r"[^\w.-]", "_", str(item)).lstrip(".")
        left = None if budget.seconds is None else max(1.0, budget.seconds - result.seconds)
        certified = certify(problem, result, folder, replace(budget, seconds=left))
        return certified.but(seconds=result.seconds + time.perf_counter() - began)
