"""Every corpus regsynth knows: what it is, where it comes from, and how its patterns are meant."""

from __future__ import annotations

from typing import NamedTuple


class Corpus(NamedTuple):
    """A known corpus.

    ``dialect`` and ``semantics`` are what its authors mean by a pattern; ``layout``
    names the reader in :mod:`regsynth.corpora.loaders`; ``place`` is where the
    project's shared data folder has it (nothing of it is part of the package).
    """

    name: str
    what: str
    records: str
    licence: str
    source: str
    dialect: str
    semantics: str
    layout: str
    place: str = ""


_SEE = "see source"
_PAPER = "RegexPSPACE paper; regsynth corpus generate"

CATALOGUE: tuple[Corpus, ...] = (
    Corpus("lrd", "RegexPSPACE's labelled dataset: every expression of depth 0 to 3 over abcd", "1,266,752", "generated",
           f"{_PAPER} lrd", "formal", "fullmatch", "records"),
    Corpus("urmt", "RegexPSPACE's long expressions: sampled, depths 4 to 6", "50,000", "generated",
           f"{_PAPER} urmt", "formal", "fullmatch", "records"),
    Corpus("regexpspace", "published benchmark: query, minimal expression, two partners, example words", "1,685", _SEE,
           "github.com/yonsei-toc/RegexPSPACE", "formal", "fullmatch", "records", "regexpspace/regexpspace.jsonl"),
    Corpus("reic", "REI challenge: positive and negative words, costs, the cheapest expression", "246,913", "generated",
           "REIC paper", "formal", "fullmatch", "words"),
    Corpus("paresy", "inference problems of Paresy (types 1 and 2) and AlphaRegex's", "317", _SEE,
           "github.com/MojtabaValizadeh/paresy", "formal", "fullmatch", "paresy", "paresy"),
    Corpus("mre", "expressions whose minimal tree length is known (Kahrs and Runciman)", "2,185", _SEE,
           "github.com/mcschroeder/panini, MrE/expansions", "formal", "fullmatch", "lines", "mre"),
    Corpus("mre-populations", "random expressions of sizes 20 to 160, optima unknown", "7,000", _SEE,
           "github.com/mcschroeder/panini, MrE/populations", "formal", "fullmatch", "lines", "mre/populations"),
    Corpus("regexeval", "prompts with a reference pattern, matching and non-matching strings", "762", _SEE,
           "github.com/s2e-lab/RegexEval", "python", "search", "regexeval", "regexeval/RegexEval.json"),
    Corpus("kb13", "descriptions of patterns on lines of text (Kushman and Barzilay 2013)", "824", _SEE,
           "github.com/nicholaslocascio/deep-regex", "brics", "fullmatch", "parallel", "deep_regex/KB13"),
    Corpus("nl-rx-synth", "synthetic descriptions and patterns (Locascio et al. 2016)", "10,000", _SEE,
           "github.com/nicholaslocascio/deep-regex", "brics", "fullmatch", "parallel", "deep_regex/NL-RX-Synth"),
    Corpus("nl-rx-turk", "the same patterns, described by people", "10,000", _SEE,
           "github.com/nicholaslocascio/deep-regex", "brics", "fullmatch", "parallel", "deep_regex/NL-RX-Turk"),
    Corpus("davis2019", "patterns extracted from published packages of PyPI, npm and others (flags unknown)", "124,800", "MIT",
           "github.com/SBULeeLab/RegexGeneralizability-ASE19", "python", "search", "records", "davis2019/all.ndjson.gz"),
    Corpus("davis2019-pypi", "those of PyPI", "33,465", "MIT",
           "github.com/SBULeeLab/RegexGeneralizability-ASE19", "python", "search", "records", "davis2019/pypi.ndjson"),
    Corpus("regexlib", "patterns people share at regexlib.com, one a line or JSON records", "", _SEE,
           "regexlib.com (bring a dump of your own)", "python", "search", "records"),
    Corpus("structuredregex", "compositional descriptions with patterns in a functional notation (Ye et al. 2020)", "3,520", _SEE,
           "github.com/xiye17/StructuredRegex", "structured", "fullmatch", "table"),
    Corpus("icpc2024", "model-written patterns that another tool calls vulnerable", "6,000", "Apache-2.0",
           "github.com/s2e-lab/redos-study", "python", "search", "csv", "icpc2024/sample.csv"),
)  # fmt: skip

BY_NAME = {corpus.name: corpus for corpus in CATALOGUE}
