"""Reference data: whole games and solved endgames, made with a separate implementation."""

import gzip
import json
from pathlib import Path

_DATA = Path(__file__).parent / "data"

GAMES = [
    json.loads(line)
    for line in gzip.decompress((_DATA / "games.jsonl.gz").read_bytes()).splitlines()
]
ENDGAMES = json.loads(
    (Path(__file__).parents[1] / "experiments" / "data" / "endgames.json").read_text()
)
