"""What Inspect AI loads: importing it registers every task, solver, scorer and model provider."""

from regsynth.bench.inspect._models import regsynth_replay
from regsynth.bench.inspect._scorers import regsynth_scorer
from regsynth.bench.inspect._solvers import exact
from regsynth.bench.inspect._tasks import regexeq, regexmin, rei

__all__ = ["exact", "regexeq", "regexmin", "regsynth_replay", "regsynth_scorer", "rei"]
