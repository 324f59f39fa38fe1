"""Charts that follow sliders, as Vega-Lite, for results that a page has computed.

A chart computes nothing that the page did not: it shows for every position of its
sliders what the toolkit found there. Where a formula gives the numbers the browser
evaluates the formula; elsewhere the numbers travel with the page, rounded.

==============  ==============================================================
Module          What is in it
==============  ==============================================================
``slider``      a number the reader can turn
``curves``      what is drawn: numbers by position, or a formula
``book_chart``  the chart as a page shows it, with its text and its numbers
``looks``       the house style, in the colours of ``toolkit.style``
``lines``       curves as lines, with bands
``bars``        curves as groups of bars
==============  ==============================================================

The other modules are named for the sections whose charts they make.
"""
