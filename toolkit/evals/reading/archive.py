"""Zip archives, those compressed by zstd among them if a package for that is there.

Python reads them from 3.14 on. Before, ``backports.zstd`` of the extra ``evals`` has a
module ``zipfile`` that does; without it other archives are still read.
"""

try:
    from backports.zstd import zipfile
except ImportError:
    import zipfile  # type: ignore[no-redef]

__all__ = ["zipfile"]
