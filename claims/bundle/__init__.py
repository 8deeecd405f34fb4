"""A claim as one file that can be checked without this software: its format, and the script that checks it."""
