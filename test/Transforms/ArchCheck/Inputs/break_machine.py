"""break_machine.py FOLDER: arch/edge.yaml, each time with one thing wrong."""
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
edge = (pathlib.Path(__file__).parents[4] / "arch" / "edge.yaml").read_text()
BUFFER = "  - name: buffer\n"
LANES = "    lanes: 256\n    memory: buffer\n"
BROKEN = {
    "feeds-nothing": ("", "  - name: scratch\n    capacity_bytes: 1024\n"),
    "no-memory": (LANES, "    lanes: 256\n"),
    "on-dram": (LANES, "    lanes: 256\n    memory: dram\n"),
    "cycle": ("  - name: dram\n", "  - name: dram\n    in: buffer\n    capacity_bytes: 1024\n"),
    "bandwidth-zero": ("32212254720", "0"),
    "capacity": ("5242880", "9223372036854775808"),
    "instances": (BUFFER, BUFFER + "    instances: 3\n"),
    "keeps": (BUFFER, BUFFER + "    keeps: [input, weights]\n"),
    "keeps-not-all": ("  - name: dram\n", "  - name: dram\n    keeps: [weight]\n"),
    "share": ("    grid: [16, 16]\n", "    grid: [16, 16]\n    rows_share: output\n"),
    "share-lanes": (LANES, LANES + "    rows_share: outputs\n"),
    "leakage": (BUFFER, BUFFER + "    leakage_w: -1\n"),
    "keeps-word": (BUFFER, BUFFER + '    keeps: ["input|weight"]\n'),
    "leaks": (BUFFER, BUFFER + "    leakage_w: 1e308\n"),
    "leaks-lanes": (LANES, LANES + "    leakage_w: 2e9\n"),
    "milliwatt": (BUFFER, BUFFER + "    leakage_w: 5000\n"),
    "infinite": ("energy_pj_per_byte: 31.2", "energy_pj_per_byte: 1e308"),
    "infinite-op": ("energy_pj: 17.16", "energy_pj: 1e308"),
    "femto": ("energy_pj_per_byte: 31.2", "energy_pj_per_byte: 31200"),
    "joule": ("energy_pj: 17.16", "energy_pj: 17.16e-12"),
}
for name, (old, new) in BROKEN.items():
    assert old in edge, old
    text = edge.replace(old, new, 1) if old else edge + new
    (folder / (name + ".yaml")).write_text(text)
