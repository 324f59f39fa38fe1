"""Generalization and memorization: what a method learns where it was not trained.

============  ======================================================================
Module        Question
============  ======================================================================
``chain``     What does an error cost on a path one can fall off and return to?
``recovery``  Which way of training teaches an agent to return?
``hands``     A card game: the hands, the right answers before and after a rule change
``memory``    A policy with a rule and a table: which of the two learns the game?
``sweep``     How does the answer change with how fast the rule is learnt?
============  ======================================================================
"""
