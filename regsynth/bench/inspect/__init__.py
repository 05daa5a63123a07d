"""The benchmarks as an Inspect AI plug-in: ``inspect eval regsynth/regexmin --model …``.

Needs ``pip install 'regsynth[inspect]'``. Inspect finds it by its entry point and loads
:mod:`regsynth.bench.inspect._registry`. Prompts, extraction and scores are those of
``regsynth bench``; this package only carries them over.
"""
