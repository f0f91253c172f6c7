"""Adjudicates positions with orders as text, one position or many at once."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union, cast

from .diplomacy.engine.game import Game
from .state import DiplomacyState, State, shared_engine

#: Orders as text, keyed by power.
Orders = Mapping[str, Sequence[str]]
#: An object with a position, or a position in the JSON of `lepanto adjudicate`, as a dict or as text.
Position = Union[Game, State, DiplomacyState, str, Mapping[str, Any]]


def _record(position: Position, orders: Optional[Orders]) -> Dict[str, Any]:
    if isinstance(position, (Game, State, DiplomacyState)):
        with position._lock:
            # Keeps phase, units, centers and retreats only: the engine derives the number of builds from them.
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
    """Adjudicates one phase of a position. Returns the result of each order and the next position.

    Does not change the given position. Uses the rules datc-3.2, or the rules of the given Game or State.

    position: a Game, State or DiplomacyState, or the JSON of `lepanto adjudicate` as a dict or as text, with its "map".
        A list of positions is adjudicated in one call of the engine.
    orders: texts by power in any usual notation: {"FRANCE": ["A PAR - BUR"]}; a list of such mappings for a list of
        positions. None: the orders set in a Game or given in the JSON. Units without an order hold; dislodged units are
        disbanded.

    Returns the answer of `lepanto adjudicate` as a dict, or a list of dicts, with the keys phase, next_phase, orders,
    units, centers, dislodged, retreats, destroyed, contested, built, disbanded. Each of the orders has power, unit,
    order, result (a name of lepanto.RESULTS or "illegal"), fate, and reason, which explains why it failed or did not
    count. Raises LepantoError naming the position and the mistake in it.
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
