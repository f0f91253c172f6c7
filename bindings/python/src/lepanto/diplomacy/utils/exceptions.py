"""Exceptions of the package `diplomacy`, for code that catches them. Lepanto raises only GamePhaseException,
MapPowerException and DiplomacyException. All are subclasses of ValueError."""

from __future__ import annotations

from typing import Any


class DiplomacyException(ValueError):
    """Base class of the exceptions."""

    def __init__(self, message: Any = "", *more: Any) -> None:
        self.message = " ".join(str(one) for one in (message, *more) if one not in ("", None)) or type(self).__name__
        super().__init__(self.message)


class ResponseException(DiplomacyException):
    """Base class of errors that a server of the package `diplomacy` would return."""


def _classes(names: str, base: Any) -> None:
    for name in names.split():
        globals()[name] = type(
            name, (base,), {"__module__": __name__, "__doc__": f"{name} of the package `diplomacy`."}
        )


_classes(
    "AlreadyScheduledException CommonKeyException KeyException LengthException NaturalIntegerException "
    "RandomPowerException TypeException ValueException NotificationException",
    DiplomacyException,
)
_classes("NaturalIntegerNotNullException", globals()["NaturalIntegerException"])
_classes(
    "RequestException AdminTokenException DaidePortException GameCanceledException GameCreationException "
    "GameFinishedException GameIdException GameJoinRoleException GameRoleException GameMasterTokenException "
    "GameNotPlayingException GameObserverException GamePhaseException GamePlayerException "
    "GameRegistrationPasswordException GameSolitaireException GameTokenException MapIdException MapPowerException "
    "FolderException ServerRegistrationException TokenException UserException PasswordException ServerDirException",
    ResponseException,
)
