"""all_machines.py TEST: every arch/*.yaml is named in TEST and in docs/Machines.md."""
import pathlib
import sys

root = pathlib.Path(__file__).parents[4]
test = pathlib.Path(sys.argv[1]).read_text()
page = (root / "docs" / "Machines.md").read_text()
names = sorted(p.stem for p in (root / "arch").glob("*.yaml"))
assert len(names) >= 12, names
for name in names:
    assert f"--load-arch={name} --arch-check" in test, name
    assert f"`{name}`" in page, name
