"""Charts as inline SVG: Altair says what is drawn, vl-convert draws it, `svg` makes it fit to stand in a page."""
