"""mutate.py OLD NEW: arch/edge.yaml with OLD replaced by NEW, on stdout."""
import pathlib
import sys

arch = pathlib.Path(__file__).parents[4] / "arch" / "edge.yaml"
text = arch.read_text()
old, new = (a.encode().decode("unicode_escape") for a in sys.argv[1:3])
assert old in text, old
print(text.replace(old, new, 1), end="")
