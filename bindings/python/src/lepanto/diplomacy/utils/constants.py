"""Constants of the package `diplomacy`. The constants of its servers have no effect here."""

from __future__ import annotations

from ..engine.game import DEFAULT_GAME_RULES

NB_CONNECTION_ATTEMPTS = 12
ATTEMPT_DELAY_SECONDS = 5
DEFAULT_BACKUP_DELAY_SECONDS = 600
DEFAULT_PING_SECONDS = REQUEST_TIMEOUT_SECONDS = 30
DEFAULT_HOST = "localhost"
DEFAULT_PORT, DEFAULT_SSL_PORT = 8432, 8433
PRIVATE_BOT_TIMEOUT_SECONDS = 60


class OrderSettings:
    """Possible values of Power.order_is_set."""

    ORDER_NOT_SET, ORDER_SET_EMPTY, ORDER_SET = range(3)
    ALL_SETTINGS = {0, 1, 2}


__all__ = ["DEFAULT_GAME_RULES", "OrderSettings"]
