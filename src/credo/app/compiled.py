"""What earlier commands have compiled is kept in the user's cache folder: it is most of the time of the first one.

Only the command line does so, and the children of `credo ui`; `import credo` leaves JAX's cache as it is. A folder is
for one version of JAX and one kind of processor, is the user's alone, and holds code, not data.
"""

import hashlib
import os
import platform
import sys
import warnings
from pathlib import Path

import jax

__all__ = ["compiled_folder", "keep_compiled"]

_SWITCH = "JAX_COMPILATION_CACHE_DIR"
_MOST = 512 * 2**20  # bytes, from which the older half goes


def keep_compiled() -> None:
    """Let JAX keep what it compiles, unless the user has told it where, or nobody may write there.

    `JAX_ENABLE_COMPILATION_CACHE=false` switches it off. To be called before anything is computed, in each process: the
    environment is left as it is, for programs that measure are somebody else's.
    """
    folder = compiled_folder()
    if _SWITCH in os.environ or not folder.is_absolute() or not _own(folder):  # a user without a home
        return
    _pruned(folder)
    _begin_backend()
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    # A file that was cut off when its writer was killed is compiled again, which is no news.
    warnings.filterwarnings("ignore", "Error (reading|writing) persistent compilation cache entry")


def _begin_backend() -> None:
    """Let XLA compile for no more than AVX2, where it would else note preferences of the processor as if they were
    features of it, and complain each time that such code is loaded. It reads its flags once, when it begins."""
    before = os.environ.get("XLA_FLAGS")
    if platform.machine() in ("x86_64", "AMD64") and "xla_cpu_max_isa" not in (before or ""):
        os.environ["XLA_FLAGS"] = f"{before or ''} --xla_cpu_max_isa=AVX2".strip()
    jax.devices()
    if before is None:
        os.environ.pop("XLA_FLAGS", None)
    else:
        os.environ["XLA_FLAGS"] = before


def compiled_folder() -> Path:
    """Where it is kept: in the cache folder of the user, by version of JAX and kind of processor."""
    kind = hashlib.sha256(f"{platform.machine()} {_features()}".encode()).hexdigest()[:12]
    return _user_cache() / "credo" / f"jax-{jax.__version__}-{kind}"


def _user_cache() -> Path:
    given = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    if given and os.path.isabs(given):
        return Path(given)
    home = Path(os.path.expanduser("~"))
    return home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"


def _features() -> str:
    """What the processor can do, as code that was compiled for another one would crash."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            return next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:
        return platform.processor()


def _own(folder: Path) -> bool:
    """Whether the folder is there, and nobody else can put code into it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError:
        return False
    if not hasattr(os, "getuid"):  # on Windows the folders of a user are closed to others
        return True
    return status.st_uid == os.getuid() and not status.st_mode & 0o022 and os.access(folder, os.W_OK)


def _pruned(folder: Path) -> None:
    """Take away what was cut off, and the older half of what has become too much."""
    try:
        found = [(entry.stat(), entry.path) for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)]
        gone = [path for status, path in found if status.st_size == 0]
        if sum(status.st_size for status, _ in found) > _MOST:
            oldest = sorted(found, key=lambda each: each[0].st_mtime)
            gone += [path for _, path in oldest[: len(oldest) // 2]]
        for path in gone:
            os.unlink(path)
    except OSError:  # another command was faster
        return
