"""Evaluation logs of two models: where RL is below its base, and on which problems.

===================  ===============================================================
Module               Idea
===================  ===============================================================
``counts``           the table everything works on: problem, n samples, c right ones
``pairs``            two tables about the same problems, side by side
``plain``            that table as a CSV file, written and read
``shipped``          real counts of a base and an RL model, 1,060 problems x 128
``reading``          what every reader of a log needs
``readers``          the logs of evaluation tools, one file a format
``counts_command``   ``python -m toolkit counts``
``files``            the two tables of two files, or of the shipped pair
``estimates``        unbiased pass@k of many problems at every k
``curves``           both mean curves, over one fixed set of problems
``bands``            RL minus base with a band, for these or for new problems
``crossing``         the first k where RL is below, as a confidence set
``joint``            the joint law of both success rates behind the counts
``decomposition``    gained and lost: observed, by chance alone, corrected
``lost``             which problems were probably lost
``extrapolation``    past the samples, by a model that is checked
``comparison``       all of that in one call
``words``            a comparison as a verdict and a table
``export``           a comparison as JSON
``svg``              line drawings that need no drawing library
``report``           a comparison as one HTML page that stands alone
``compare_command``  ``python -m toolkit compare``
``checked``          what simulation said about bands, sets and the split
``wrong_ways``       ten ways pass@k is computed wrongly
===================  ===============================================================

Each module imports only from those above it.
"""
