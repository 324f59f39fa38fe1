"""What every reader of an evaluation log needs: looks at a file, counts, concludes.

============  ===============================================================
Module        Idea
============  ===============================================================
``errors``    the one error that a file can cause
``options``   what the user says about a file that the file does not say
``archive``   zip archives, those compressed by zstd among them
``head``      the beginning of a file: its kind, its fields, its first rows
``outcomes``  when is a sample right: true, 1, a score and a threshold
``tally``     rows, right ones and unscored ones of each problem
``result``    from a tally to counts, with notes on what was assumed
``grouping``  the tally of a table of rows, computed by any engine
``engine``    a file as a table of DuckDB, through Ibis
``nested``    rows out of one large JSON value, a few at a time
``progress``  a bar on a terminal while a file is read
``fields``    which field of a file is which, or what to ask the user
``names``     what fields are called where no tool in particular wrote
``samples``   files with a row for each sample
``dumps``     such files of trainers, which have no id of the problem
``tasks``     files with a list of samples for each problem
``format``    what a reader says of itself
============  ===============================================================

The formats themselves are in :mod:`toolkit.evals.readers`, one file each.
"""
