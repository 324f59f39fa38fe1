"""Run the notebooks that must be run side by side, one for each processor.

Jupyter Book runs them one after the other while it reads the pages. Here those that
the cache lacks are run before, and their results put into the cache, where the reading
finds them. A notebook that fails is left alone: the reading runs it again and says what
is wrong. The kernels talk through files where the system can, since two kernels that
start at the same moment, of this build or of another, may choose the same port.
"""

import copy
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from traitlets.config import Config

LOGGER = logging.getLogger(__name__)
TRANSPORT = "ipc" if os.name == "posix" else "tcp"


def unknown_notebooks(
    env: BuildEnvironment, docnames: list[str], cache: Any
) -> dict[Path, Any]:
    """Return the notebooks among the pages that the cache has no results for."""
    found = {}
    for docname in docnames:
        path = Path(env.doc2path(docname))
        text = path.read_text(encoding="utf-8")
        config = env.mystnb_config  # type: ignore[attr-defined]
        reader = create_nb_reader(str(path), env.myst_config, config, text)  # type: ignore[attr-defined]
        if reader is None:
            continue
        notebook = reader.read(text)
        if "kernelspec" not in notebook.metadata:
            continue
        try:
            cache.match_cache_notebook(notebook)
        except KeyError:
            found[path] = notebook
    return found


def run_together(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Run what the pages about to be read lack, and keep the results."""
    config = env.mystnb_config  # type: ignore[attr-defined]
    if config.execution_mode != "cache":
        return
    cache = get_cache(config.execution_cache_path)
    notebooks = unknown_notebooks(env, docnames, cache)
    if not notebooks:
        return

    def run(path: Path) -> tuple[Path, ExecutionResult | None]:
        wires = {"transport": TRANSPORT}
        if TRANSPORT == "ipc":
            wires["ip"] = str(Path(folder, path.stem))
        try:
            result = single_nb_execution(
                copy.deepcopy(notebooks[path]),
                cwd=str(path.parent),
                timeout=config.execution_timeout,
                allow_errors=False,
                config=Config({"KernelManager": wires}),
            )
        except Exception as error:  # a kernel that did not start, for one
            LOGGER.info("could not run %s: %s", path.stem, error)
            return path, None
        return path, result

    LOGGER.info("running %d notebooks ...", len(notebooks))
    with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, result in pool.map(run, notebooks):
            if result is None or result.err is not None:
                continue
            LOGGER.info("ran %s in %.1f s", path.stem, result.time)
            bundle = CacheBundleIn(
                result.nb, str(path), data={"execution_seconds": result.time}
            )
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step, after the notebook extension has read its settings."""
    app.connect("env-before-read-docs", run_together, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
