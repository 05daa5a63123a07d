"""The version, a plain constant: reading package metadata at start-up costs 40 ms."""

__version__ = "0.1.0"
