"""Kernels that start at once: numba compiles them, a later process calls the machine code alone.

Importing numba and reading a kernel from its cache takes most of a second, more than a
thousand quick problems do. So once numba has compiled a kernel, its machine code is kept
as an object file of our own, beside numba's cache, and later processes link it with
llvmlite: a hundredth of the time, and numba is never imported. Nothing depends on it: a
kernel without an object file, or called with other types, goes through numba.

The object file holds numba's compiled function and an entry point that takes a block of
64-bit words, two for the result, then integers and addresses of numpy arrays. It reads an
array's data, shape and strides where numpy's ABI has them, after the object's header, and
hands numba what it calls an array: (owner, parent, items, item size, data, shape…,
strides…), the owner and parent being null. Kernels must not allocate, since
numba's allocator is absent; one that does is not kept.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sys
import threading
import types
from collections.abc import Callable
from functools import cache
from operator import index
from pathlib import Path
from typing import Any

OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
ENTRY = "regsynth_entry"
ALLOCATES = "NRT_MemInfo_alloc_aligned"  # how numba makes an array

Parameter = tuple[Any, int]  # dtype and dimensions of an array; ("int64", -1) is a number
RETURNS: dict[str, Callable[[int, int], Any]] = {
    "none": lambda a, b: None,
    "int64": lambda a, b: a,
    "bool": lambda a, b: bool(a),
    "UniTuple(int64 x 2)": lambda a, b: (a, b),
}
RESULT = 2  # words

_opening = threading.Lock()


class Kernel:
    """A function for numba, called through its own object file when there is one.

    Parameters
    ----------
    function : callable
        Takes C-contiguous arrays and integers, returns an integer or nothing, allocates nothing.
    options : dict
        Of ``numba.njit``.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.function, self.options = function, options
        self.__name__, self.__doc__, self.__module__ = function.__name__, function.__doc__, function.__module__
        self._entry: Any = None
        self._parameters: list[Parameter] = []
        self._returns = "none"
        self._opened = self._kept = False

    def __call__(self, *args: Any) -> Any:
        if not self._opened:
            self._open()
        if self._entry is not None:
            block = self._block(args)
            if block is not None:
                if self._entry(block) != 0:
                    raise RuntimeError(f"the kernel {self.__name__} failed")
                return RETURNS[self._returns](block[0], block[1])
        result = self.dispatcher(*args)
        if not self._kept and self._entry is None:
            self._kept = True
            self._keep()
        return result

    @property
    def dispatcher(self) -> Any:
        """The function as numba knows it; imports numba."""
        return _dispatchers(self.__module__)[self.__name__]

    @property
    def signatures(self) -> list[Any]:
        """What numba compiled it for in this process: nothing, as long as machine code serves."""
        return list(self.dispatcher.signatures) if self.__module__ in _compiling else []

    def _block(self, args: tuple[Any, ...]) -> Any:
        """The arguments as words, after those of the result; ``None`` when they are of other types."""
        words = [0] * RESULT
        for a, (dtype, dimensions) in zip(args, self._parameters, strict=True):
            if dimensions < 0:
                words.append(index(a))
            elif (a.dtype is dtype or a.dtype == dtype) and a.ndim == dimensions and a.flags.c_contiguous:
                words.append(id(a))
            else:
                return None
        return (ctypes.c_int64 * len(words))(*words)

    def _open(self) -> None:
        """Link the object file, if there is one; other threads wait."""
        with _opening:
            if not self._opened:
                self._find()
                self._opened = True

    def _find(self) -> None:
        import numpy as np

        for folder in _folders(self.function.__code__.co_filename):
            try:
                digest, _, content = (folder / self._file).read_bytes().partition(b"\n")
            except OSError:
                continue
            if hashlib.sha256(content).hexdigest().encode() == digest:
                head, _, code = content.partition(b"\n")
                facts = json.loads(head)
                self._parameters = [(np.dtype(name), dimensions) for name, dimensions in facts["parameters"]]
                self._returns = facts["returns"]
                try:
                    self._entry = _link(code, facts["entry"], facts["externals"])
                except Exception:  # another llvmlite: numba serves as well
                    self._entry = None
                return

    @property
    def _file(self) -> str:
        return f"{self.__module__.rpartition('.')[2]}.{self.__name__}-{_stamp(self.__module__)}.o"

    def _keep(self) -> None:
        """Write the object file. Any trouble leaves things as they are: numba serves as well."""
        try:
            made = _emit(self)
        except Exception:  # numba's internals moved, or a kernel of another shape
            return
        if made is None:
            return
        facts, code = made
        content = json.dumps(facts).encode() + b"\n" + code
        for folder in _folders(self.function.__code__.co_filename):
            whole, part = folder / self._file, folder / f"{self._file}.{os.getpid()}"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                part.write_bytes(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
                part.replace(whole)
                return
            except OSError:
                part.unlink(missing_ok=True)


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorator: a :class:`Kernel`. Options are numba's, on top of ``OPTIONS``."""
    if function is None:
        return lambda f: Kernel(f, {**OPTIONS, **options})
    return Kernel(function, OPTIONS)


_compiling: set[str] = set()  # modules whose kernels numba has seen


@cache
def _dispatchers(module: str) -> dict[str, Any]:
    """Every kernel of a module as numba's dispatcher.

    The functions are rebuilt over a copy of the module's names, in which kernels are
    dispatchers, so that numba can follow calls from one to the next. Numba's cache watches
    only the file a kernel is in, so kernels that call those of other files are not in it.
    """
    from numba import njit

    _compiling.add(module)
    names = dict(vars(sys.modules[module]))
    made: dict[str, Any] = {}
    foreign = {name: value for name, value in names.items() if isinstance(value, Kernel) and value.__module__ != module}
    names.update({name: _dispatchers(value.__module__)[value.__name__] for name, value in foreign.items()})
    for name, value in vars(sys.modules[module]).items():
        if isinstance(value, Kernel) and value.__module__ == module:
            f = value.function
            copy = types.FunctionType(f.__code__, names, f.__name__, f.__defaults__)
            copy.__module__, copy.__qualname__, copy.__doc__ = module, f.__qualname__, f.__doc__
            names[name] = made[name] = njit(**{**value.options, "cache": value.options["cache"] and not foreign})(copy)
    return made


def ready(source: Path, name: str) -> bool:
    """Whether a kernel can be called without compiling it: cheap, and so a guess.

    Parameters
    ----------
    source : Path
        File of the kernel.
    name : str
        Its name.
    """
    changed = source.stat().st_mtime
    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    for folder in _folders(str(source)):
        for pattern in (f"{source.stem}.{name}-*.o", f"{source.stem}.{name}-*.{tag}.nbi", f"*/{source.stem}.{name}-*.{tag}.nbi"):
            if any(file.stat().st_mtime >= changed for file in folder.glob(pattern)):
                return True
    return False


@cache
def _stamp(module: str) -> str:
    """What machine code depends on: the sources, this file, the processor, the compiler."""
    import llvmlite
    import llvmlite.binding as llvm

    machine = "\n".join((llvmlite.__version__, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()))
    sources = [Path(__file__), *(Path(str(sys.modules[name].__file__)) for name in sorted(_sources(module)))]
    return hashlib.sha256(machine.encode() + b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]


def _sources(module: str) -> set[str]:
    """A module, and those whose kernels its kernels call."""
    found, todo = {module}, [module]
    while todo:
        kernels = (value for value in vars(sys.modules[todo.pop()]).values() if isinstance(value, Kernel))
        new = {value.__module__ for value in kernels} - found
        found |= new
        todo += new
    return found


def _folders(file: str) -> list[Path]:
    """Where object files may be, as numba has it: beside the byte code, or in the user's cache."""
    home = Path(os.environ.get("NUMBA_CACHE_DIR") or os.path.expanduser("~/.cache/numba"))
    return [Path(file).parent / "__pycache__", home]


@cache
def _engine() -> Any:
    """LLVM's linker of machine code in this process."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


def _link(code: bytes, entry: str, externals: list[str]) -> Any:
    """The entry point as a function that releases the GIL."""
    import llvmlite.binding as llvm

    engine = _engine()
    never = ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p).value
    for name in externals:  # numba's helpers on paths that only a bug takes
        if llvm.address_of_symbol(name) is None:
            llvm.add_symbol(name, never)
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(engine.get_function_address(entry))


def _emit(kernel: Kernel) -> tuple[dict[str, Any], bytes] | None:
    """Facts and object code of a kernel that numba has compiled; ``None`` when it does not qualify."""
    import llvmlite.binding as llvm
    import numpy as np
    from numba.core import types as nt

    (compiled,) = kernel.dispatcher.overloads.values()
    parameters: list[Parameter] = []
    for t in compiled.signature.args:
        if isinstance(t, nt.Array) and t.layout == "C":
            parameters.append((str(np.dtype(str(t.dtype))), t.ndim))
        elif t == nt.int64:
            parameters.append(("int64", -1))
        else:
            return None
    returns = str(compiled.signature.return_type)
    if returns not in RETURNS:
        return None
    module = compiled.library._get_module_for_linking().clone()
    target = compiled.fndesc.llvm_func_name
    entry = f"{ENTRY}_{kernel.__module__}.{kernel.__name__}".replace(".", "_")
    declared = [str(a.type) for a in module.get_function(target).arguments]
    text = _entry_point(entry, target, parameters, declared)
    if text is None:
        return None
    shim = llvm.parse_assembly(text)
    shim.triple, shim.data_layout = module.triple, module.data_layout
    module.link_in(shim)
    for f in module.functions:
        if not f.is_declaration and f.name != entry:
            f.linkage = "internal"
    for v in module.global_variables:
        if not v.is_declaration:
            v.linkage = "internal"
    machine = compiled.library._codegen._tm
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    externals = [f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")]
    if ALLOCATES in externals:
        return None
    facts = {"entry": entry, "parameters": parameters, "returns": returns, "externals": externals}
    return facts, machine.emit_object(module)


def _entry_point(entry: str, target: str, parameters: list[Parameter], declared: list[str]) -> str | None:
    """LLVM code that calls ``target`` on a block of words; ``None`` when numba passes arguments in some other way."""
    import numpy as np

    head = object.__basicsize__
    lines = ["%error = alloca ptr"]
    values = ["ptr %block", "ptr %error"]
    for i, (dtype, dimensions) in enumerate(parameters):
        lines.append(f"%p{i} = getelementptr i64, ptr %block, i64 {RESULT + i}")
        if dimensions < 0:
            lines.append(f"%a{i} = load i64, ptr %p{i}")
            values.append(f"i64 %a{i}")
            continue
        lines.append(f"%o{i} = load ptr, ptr %p{i}")
        for name, offset in (("data", head), ("shape", head + 16), ("strides", head + 24)):
            lines.append(f"%at_{name}{i} = getelementptr i8, ptr %o{i}, i64 {offset}")
            lines.append(f"%{name}{i} = load ptr, ptr %at_{name}{i}")
        count, sizes = "1", []
        for name in ("shape", "strides"):
            for d in range(dimensions):
                lines.append(f"%at_{name}{i}_{d} = getelementptr i64, ptr %{name}{i}, i64 {d}")
                lines.append(f"%{name}{i}_{d} = load i64, ptr %at_{name}{i}_{d}")
                sizes.append(f"i64 %{name}{i}_{d}")
        for d in range(dimensions):
            lines.append(f"%count{i}_{d} = mul i64 {count}, %shape{i}_{d}")
            count = f"%count{i}_{d}"
        values += ["ptr null", "ptr null", f"i64 {count}", f"i64 {np.dtype(dtype).itemsize}", f"ptr %data{i}", *sizes]
    if [value.split()[0] for value in values] != declared:
        return None
    body = "\n".join(lines)
    return (
        f'declare i32 @"{target}"({", ".join(declared)})\n'
        f'define i32 @"{entry}"(ptr %block) {{\n{body}\n%status = call i32 @"{target}"({", ".join(values)})\nret i32 %status\n}}\n'
    )
