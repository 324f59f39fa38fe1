"""Agents: what returns when the world answers back over several turns (section 11.5).

One tool-using agent with a few dozen states serves every demonstration, so that each
value is exact by backward induction.

================  ==============================================================
Module            Question
================  ==============================================================
``mdp``           What is a finite-horizon decision process?
``coding_agent``  Which one does the section use?
``values``        What is each state worth, and how often is it visited?
``soft``          What is the best policy at a price of KL?
``imitation``     What does imitating one's own successes do?
``luck``          How much of the reward is the agent's doing?
``bandit``        What of the single response's properties is left?
``episodes``      Episodes, sampled for many policies at once
``estimates``     How good are Monte-Carlo and TD estimates of values?
``credit``        How noisy is the gradient, by what weighs it?
``critic``        What can be learned from all episodes seen so far?
``learning``      Learning curves at equal samples
``staleness``     What if the episodes are some updates old?
``hacking``       When does the true reward turn along a proxy's path?
``monitoring``    What does a monitor in the reward do?
``reflection``    What does a bonus on self-judgement teach?
``calibration``   Is what the agent says about its answers true?
``bonus``         What does such a bonus do to the agent's actions?
``environment``   The process to step through, as Gymnasium has it
================  ==============================================================
"""
