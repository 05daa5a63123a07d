"""Certificates of optimality, and checkers that do not trust who wrote them.

``sat.py`` and ``enumerative.py`` write a folder; ``check_sat.py`` and
``check_enumerative.py`` read it. The checker of enumerative certificates imports
nothing of the search engines.
"""
