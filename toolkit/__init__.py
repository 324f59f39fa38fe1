"""The library behind the book: a toy language, and what training does to its policies.

Everything here is either exact, by listing all responses, or sampled with a generator
the caller passes. Import functions from the module that is named for the idea; each
module imports only from layers below its own.

=====  ==================  =======================================================
Layer  Module              Responsibility
=====  ==================  =======================================================
0      ``_types``          names of arrays and their axes
0      ``style``           colours by role, and the look of every figure
0      ``numbering``       the number of a figure and the label it has on its page
1      ``_checks``         argument checks: raise, or return an array
1      ``drawn``           the numbers that a drawing holds, and their checksum
2      ``language``        the toy language: responses, rewards, reference policies
2      ``divergences``     entropy, KL, chi-square, total variation, in nats
2      ``price``           KL between a policy and its reference, taken apart
2      ``reported``        numbers that papers report, as data
2      ``evidence``        the evidence table: load, validate, filter, show
3      ``policies``        probabilities, samples and gradients of policies
3      ``passk``           pass@k: exact, estimated, gained and lost
4      ``optima``          closed forms: tilted policy, soft value, best allocation
4      ``updates``         what weighs a sample; one step of Adam
4      ``sampling``        the inner loop of training: many runs at once
5      ``training``        iterate a method and keep the trajectory
5      ``brakes``          hold single tokens back: clips and covariance brakes
6      ``capacity``        one distribution, several tasks (section 11.1)
6      ``generalization``  the recovery chain and the hands game (section 11.2)
6      ``forgetting``      KL-minimal labels, shared parameters, digits (section 11.3)
6      ``collapse``        filtering, drift, constrained policies (section 11.4)
6      ``agents``          a tool-using agent with several turns (section 11.5)
6      ``landing``         several methods stopped at one success rate (section 11.6)
6      ``evals``           evaluation logs of two models, compared
7      ``labs``            one short question a file, worked to the end
7      ``display``         figures, tables and numbers as a page shows them
8      ``figures``         draw results; computes nothing
8      ``charts``          charts that follow sliders; computes nothing
9      ``catalogue``       every figure by its number: make, save, check, cite
10     ``__main__``        the command line
=====  ==================  =======================================================

===================================  =============================================
Section                              Modules
===================================  =============================================
11.0 The toy language                ``language``, ``policies``, ``optima``
11.1 Sharpening or new capability?   ``passk``, ``optima``, ``capacity``
11.2 Generalization                  ``generalization``
11.3 Forgetting                      ``forgetting``
11.4 Diversity collapse              ``collapse``
11.5 Agents                          ``agents``
11.6 Connections                     ``price``, ``landing``, ``evidence``
Laboratories                         ``labs``
===================================  =============================================
"""
