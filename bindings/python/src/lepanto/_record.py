"""Recording the games of a batch to a directory."""

from __future__ import annotations

from typing import Dict, Mapping, Sequence, Tuple

from ._config import Indices
from ._games import Games
from ._server import alone


class Record(Games):
    #: Name of the client in the record, and by power.
    _record_as: Tuple[str, Dict[str, str]]

    @alone
    def write_record(self) -> int:
        """Writes all games that have ended to the directory of `record`; returns how many that are since the beginning.

        Raises LepantoError if the batch records nothing, or if a file cannot be written.
        """
        self._ready()
        return int(self._server.call("write"))

    @alone
    def set_record_names(self, names: Sequence[Mapping[str, str]], games: Indices) -> None:
        """Says who you are in some games of the record, which have not ended yet: for each a name by power.

        Powers that a mapping leaves out have the name of `record_as`. Raises LepantoError if the batch records nothing.
        """
        self._changes("set_record_names")
        self._ready()
        index = self._index(games)
        if len(names) != len(index):
            raise ValueError(f"names: got {len(names)} mappings, wanted {len(index)}, one for each game")
        own, by_power = self._record_as
        rows = []
        for mapping in names:
            row = [by_power.get(power, own) for power in self.powers]
            for power, name in mapping.items():
                row[self._power(power)] = str(name)
            rows.append(row)
        self._server.ask(op="record names", games=index.tolist(), names=rows)
