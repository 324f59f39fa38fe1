"""The laboratories: one short question a module, in the smallest setting that has it.

A laboratory states what a paper reports, rebuilds the mechanism where it can be
computed, derives its law, and says what follows and what does not. What several of them
need lives in the modules below; what is here belongs to one page.

====  ======================  ========================================================
Page  Module                  Question
====  ======================  ========================================================
all   ``laboratories``        What does every recipe do on one testbed?
L1    ``exploration``         What do resets of the reference do, and when does a rare
                              success take off?
L2    ``entropy_law``         Does reward follow from entropy, and what do brakes on
                              entropy do?
L3    ``formats``             Which of several formats survives?
L4    ``squeeze``             How many different answers do RL and fine-tuning leave?
L5    ``templates``           Can answers forget the prompt while entropy looks well?
L6    ``two_phases``          Why would execution be learned first and planning later?
L7    ``plasticity``          Does moving away from the base slow the next task?
L8    ``sparse_updates``      Which weights change when small updates are rounded?
L9    ``negatives``           Is it the wrong answers that keep pass@k up?
L9    ``pass_at_k_training``  What does training on pass@k itself give?
L10   ``entropy_keepers``     At one pass@1, which way to keep entropy covers most?
====  ======================  ========================================================
"""
