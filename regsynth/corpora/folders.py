"""Folders of results that survive anything: whole files or none, one writer, a manifest.

A file appears under its name only when it is complete (written beside it, flushed to
disk, renamed). A folder belongs to one run at a time (a lock the system drops when
the process dies) and to one manifest, which says what the results depend on.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from regsynth.errors import InputError

MANIFEST = "manifest.json"
encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


@contextlib.contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Create the folder if need be and keep other runs out of it.

    Raises
    ------
    InputError
        When another process is writing there, or the folder cannot be written to.
    """
    with readable_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # pragma: no cover - not a POSIX system
            pass
        except OSError:
            raise InputError(f"{folder}: another run is writing this folder; wait for it, or give another --output") from None
        for left_over in folder.glob(".*.part"):
            left_over.unlink(missing_ok=True)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def readable_errors(path: Path) -> Iterator[None]:
    """Turn the system's errors (no space, no permission) into one clear line."""
    try:
        yield
    except OSError as error:
        where = error.filename or path
        hint = "; nothing is lost: free some space and run the same command again" if error.errno == 28 else ""
        raise InputError(f"{where}: {error.strerror or error}{hint}") from None


def write_whole(path: Path, lines: Iterable[str]) -> None:
    """Write a text file so that it exists completely or not at all; a device or a pipe is written to as it is."""
    path = Path(os.path.realpath(path))  # what a link points to, not the link
    if path.exists() and not path.is_file() and not path.is_dir():
        with readable_errors(path), open(path, "w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(lines)
        return
    part = path.with_name(f".{path.name}.part")
    with readable_errors(path):
        try:
            with open(part, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON object, indented, whole or not at all."""
    write_whole(path, [json.dumps(value, ensure_ascii=False, indent=1), "\n"])


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises
    ------
    InputError
        When it is missing or is no JSON object.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}); delete the folder to start anew") from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: holds no JSON object; delete the folder to start anew")
    return value


def claim(folder: Path, manifest: Mapping[str, Any]) -> bool:
    """Write the manifest, or check that the folder's own is the same; whether it was there.

    Raises
    ------
    InputError
        When the folder holds results made from something else.
    """
    path = folder / MANIFEST
    if not path.exists():
        write_json(path, manifest)
        return False
    old = read_json(path)
    wanted = json.loads(encode(manifest))
    changed = [key for key in {**old, **wanted} if old.get(key) != wanted.get(key)]
    if changed:
        key = changed[0]
        was, now = (str(value.get(key))[:60] for value in (old, wanted))
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        raise InputError(
            f"{path}: the results here were made with another {key}{more}: {was}, now {now}; "
            "give another --output, or delete the folder to start anew"
        )
    return True


class Journal:
    """A file of JSON lines that is only ever appended to; a torn last line is dropped.

    Each line is on its way to the disk when :meth:`append` returns, so a killed
    process loses at most what it was working on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[dict[str, Any]]:
        """All whole lines; cuts off what follows them."""
        out: list[dict[str, Any]] = []
        if not self.path.exists():
            return out
        good = 0
        with readable_errors(self.path), open(self.path, "rb+") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                try:
                    value = json.loads(line)
                except ValueError:
                    break
                out.append(value)
                good += len(line)
            file.truncate(good)
        return out

    def __enter__(self) -> Journal:
        with readable_errors(self.path):
            self._file = open(self.path, "ab", buffering=0)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, values: Iterable[Mapping[str, Any]]) -> None:
        """Add lines, all in one write."""
        with readable_errors(self.path):
            data = "".join([encode(value) + "\n" for value in values]).encode()
            written = self._file.write(data)
            if written != len(data):
                raise OSError(28, os.strerror(28), str(self.path))
