"""Evaluation logs of two models: where RL is below its base, and on which problems.

==========  =================================================================
Module      Idea
==========  =================================================================
``counts``  the table everything works on: problem, n samples, c right ones
``pairs``   two tables about the same problems, side by side
``plain``   that table as a CSV file, written and read
``shipped`` real counts of a base and an RL model, 1,060 problems x 128
==========  =================================================================

Each module imports only from those above it.
"""
