"""Recording the games of a batch to a directory."""

from __future__ import annotations

from typing import Dict, Mapping, Sequence, Tuple

from ._config import Indices
from ._games import Games
from ._server import alone


class Record(Games):
    #: Name of the client in the record, and names by power that differ from it.
    _record_as: Tuple[str, Dict[str, str]]

    @alone
    def write_record(self) -> int:
        """Writes all finished games to the directory of `record`. Returns the number of games finished since the batch
        was made.

        Raises LepantoError if the batch records nothing, or if a file cannot be written.
        """
        self._ready()
        return int(self._server.call("write"))

    @alone
    def set_record_names(self, names: Sequence[Mapping[str, str]], games: Indices) -> None:
        """Sets your names in the record for games that have not ended yet.

        names: for each game, names by power. Powers without a name get the name of `record_as`. games: the games.

        Raises LepantoError if the batch records nothing, ValueError for another number of mappings.
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
