"""``python -m regsynth``."""

from regsynth.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
