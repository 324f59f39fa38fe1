"""Diversity collapse: what makes one right answer crowd out the others.

The KL-regularised optimum keeps the reference's proportions among the right answers.
Training often does not; each module here isolates one reason.

================  ==============================================================
Module            Question
================  ==============================================================
``answers``       How diverse are the right answers, and how many draws find one?
``flow``          What does the exact gradient, without any sampling, do to them?
``drift``         What does refitting to finitely many samples do, on average?
``filtering``     What does the sample, filter, fine-tune loop do, run by run?
``constrained``   What if the policy cannot hold the optimum?
``tempering``     Does heat bring back what was lost?
``switches``      All causes in one table, each switched on and off
================  ==============================================================
"""
