"""Forgetting: what learning a new task does to an old one, and what predicts it.

=====================  =========================================================
Module                 Idea
=====================  =========================================================
``labels``             which right answers supervised fine-tuning shows
``pythagoras``         what a choice of labels costs in KL: a floor and a surcharge
``gradients``          which way each method pushes the logits of an answer
``snapshots``          a model during fine-tuning; quadratic fits against KL
``shared_parameters``  two tasks that share a map of low rank
``digits``             two tasks on 1,797 real images
``network``            a small ReLU network, many copies side by side
``fine_tuning``        pretrain on both tasks, fine-tune on one, by five methods
``sweep``              all methods, learning rates and seeds; the stored results
=====================  =========================================================

Each module imports only from those above it.
"""
