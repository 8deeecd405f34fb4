"""One part an instrument: `recompute(rows, registration)`, its point estimates by plain formulas from the rows.

`rows` is an iterator over the rows of the run, in their order, to be read once; `registration` the frozen document, in
which a parameter that was not stated is absent. The answer holds every metric and diagnostic that the rows define;
one that is not defined is absent. A bundle holds the part of its own instrument only.
"""
