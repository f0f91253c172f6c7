"""A bot for Lepanto's arenas: it moves to centres of others where it can, and otherwise gives random legal orders.

lepanto arena --agents "exec:python -m lepanto.bot my_bot.py:Taker,dumbbot" --games 14 --until 1903
"""

import random
from typing import Any

from lepanto.bot import Bot


class Taker(Bot):
    name = "taker"

    def orders(self, positions: Any) -> Any:
        return [{power: self.power_orders(position, power) for power in position.powers} for position in positions]

    def power_orders(self, position: Any, power: Any) -> Any:
        draw = random.Random(position.seed)
        own = set(position.centers.get(power, []))
        centers = {center for owned in position.centers.values() for center in owned} - own
        orders = []
        for legal in list(position.legal[power].values())[: self.most(position, power)]:
            gains = [
                order
                for order in legal
                if " - " in order and order.split()[3][:3] in centers and order.split()[2] == "-"
            ]
            orders.append(draw.choice(gains or legal))
        return orders

    def most(self, position: Any, power: Any) -> Any:
        """Returns the number of builds or removals due; None in other phases, in which all units get an order."""
        return abs(position.builds[power]) if power in position.builds else None
