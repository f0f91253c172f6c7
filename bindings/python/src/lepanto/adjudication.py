"""Adjudicates positions with orders as text, one or many at a time."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union, cast

from .diplomacy.engine.game import Game
from .state import DiplomacyState, State, shared_engine

#: Orders as text by power.
Orders = Mapping[str, Sequence[str]]
#: What holds a position, or JSON as `lepanto adjudicate` reads it, as a dict or as text.
Position = Union[Game, State, DiplomacyState, str, Mapping[str, Any]]


def _record(position: Position, orders: Optional[Orders]) -> Dict[str, Any]:
    if isinstance(position, (Game, State, DiplomacyState)):
        with position._lock:
            # "S1901M" with its units, centers and retreats; what is due follows from them.
            record = position._enter().position(0)
        own: Orders = position.get_orders() if isinstance(position, Game) else {}
        record = {name: record[name] for name in ("phase", "units", "centers", "retreats") if name in record}
        record["map"] = position._engine.batch.map
        record["orders"] = own if orders is None else orders
    else:
        record = json.loads(position) if isinstance(position, str) else dict(position)
        if orders is not None:
            record["orders"] = orders
    if record.get("orders") is not None and isinstance(record["orders"], Mapping):
        record["orders"] = {power: list(texts) for power, texts in record["orders"].items()}
    return record


def adjudicate(position: Any, orders: Any = None) -> Any:
    """Plays one phase of a position: the result of each order and why, and the position after it. Nothing is changed.

    position: a Game, State or DiplomacyState, or JSON as `lepanto adjudicate` reads it, as a dict or as text, with its
        "map"; or a list of these, and then orders is a list as well, or None.
    orders: as text by power, in any usual notation: {"FRANCE": ["A PAR - BUR"]}. None: those that are set in a Game, or
        that the JSON has. Units without an order hold, dislodged ones are disbanded.

    Returns what `lepanto adjudicate` answers, as a dict, or a list of them: phase, next_phase, orders (each with power,
    unit, order, result, a name of lepanto.RESULTS or "illegal", fate, and reason, which says why it failed or did not
    count), units, centers, dislodged, retreats, destroyed, contested, built, disbanded. By the rules datc-3.2, or those
    of a Game or State. Many positions take one call of the engine. Raises LepantoError that names the position and what
    is wrong with it.
    """
    if not isinstance(position, (list, tuple)):
        return _ask([position], [orders])[0]
    given = [None] * len(position) if orders is None else list(orders)
    if isinstance(orders, Mapping) or len(given) != len(position):
        raise ValueError(f"orders: got {len(given)} for {len(position)} positions, wanted one mapping for each")
    return _ask(list(position), given)


def _ask(positions: Sequence[Position], orders: Sequence[Optional[Orders]]) -> List[Dict[str, Any]]:
    records = [_record(one, own) for one, own in zip(positions, orders)]
    engines = {id(one._engine): one._engine for one in positions if isinstance(one, (Game, State, DiplomacyState))}
    if len({engine.batch.rules for engine in engines.values()}) > 1:
        raise ValueError("positions: got games of several rules, wanted one for all")
    engine = next(iter(engines.values()), None) or shared_engine()
    with engine.batch._lock:
        return cast(List[Dict[str, Any]], engine.batch._server.ask(op="adjudicate_records", records=records))
