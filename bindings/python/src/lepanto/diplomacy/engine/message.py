"""Messages between powers, with the API of the package `diplomacy`."""

from __future__ import annotations

from typing import Any, Dict, Optional

from ..utils.checks import entries, shown, text

#: Sender of messages that come from no power.
SYSTEM = "SYSTEM"
#: Recipients other than a power. GLOBAL: everybody. OBSERVER: observers. OMNISCIENT: observers who see everything.
GLOBAL, OBSERVER, OMNISCIENT = "GLOBAL", "OBSERVER", "OMNISCIENT"
#: Greatest number of characters of a message.
LONGEST = 65_536

_FIELDS = ("sender", "recipient", "time_sent", "phase", "message")


class Message(Dict[str, Any]):
    """A message between powers: a dict whose entries are also attributes. Messages compare by `time_sent`.

    sender, recipient: a power; recipient also GLOBAL. message: at most 65,536 characters. phase: "S1901M". time_sent:
    microseconds; Game.add_message() replaces None by the current time.

    Raises ValueError for a field that is not text, a message that is too long or not valid UTF-8, and a time that is
    not an integer.
    """

    sender: str
    recipient: str
    phase: str
    message: str
    time_sent: Optional[int]

    def __init__(self, sender: str, recipient: str, message: str, phase: str, time_sent: Optional[int] = None) -> None:
        for field, value in (("sender", sender), ("recipient", recipient), ("phase", phase), ("message", message)):
            text(f"{field} of a message", value)
        if len(message) > LONGEST:
            raise ValueError(f"message: got {len(message):,} characters, wanted at most {LONGEST:,}")
        try:
            message.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError(f"message: got {shown(message)}, wanted UTF-8: {error.reason}") from None
        if time_sent is not None and (not isinstance(time_sent, int) or isinstance(time_sent, bool)):
            raise ValueError(f"time_sent of a message: got {shown(time_sent)}, wanted whole microseconds or None")
        super().__init__(zip(_FIELDS, (sender, recipient, time_sent, phase, message)))

    def __getattr__(self, field: str) -> Any:
        if field not in _FIELDS:
            raise AttributeError(field)
        return self[field]

    def __setattr__(self, field: str, value: Any) -> None:
        if field not in _FIELDS:
            raise AttributeError(field)
        self[field] = value

    def is_global(self) -> bool:
        """True if the message is for everybody (recipient GLOBAL)."""
        return self.recipient == GLOBAL

    def for_observer(self) -> bool:
        """True if the message is for observers (recipient OBSERVER)."""
        return self.recipient == OBSERVER

    def to_dict(self) -> Dict[str, Any]:
        """Returns the message as a plain dict."""
        return dict(self)

    @classmethod
    def from_dict(cls, given: Any) -> "Message":
        """Returns the message with the fields of a mapping. Raises ValueError unless they are valid."""
        fields: Dict[str, Any] = {field: entries("message", given).get(field) for field in _FIELDS}
        return cls(**fields)

    def __str__(self) -> str:
        return f"[{self.time_sent or 0}/{self.phase}/{self.sender}->{self.recipient}]({self.message})"

    __repr__ = __str__

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.time_sent)

    def __eq__(self, other: Any) -> bool:
        return self.time_sent == other.time_sent if isinstance(other, Message) else dict(self) == other

    def __lt__(self, other: "Message") -> bool:
        return (self.time_sent or 0) < (other.time_sent or 0)

    def __le__(self, other: "Message") -> bool:
        return not other < self

    def __gt__(self, other: "Message") -> bool:
        return other < self

    def __ge__(self, other: "Message") -> bool:
        return not self < other


__all__ = ["GLOBAL", "LONGEST", "Message", "OBSERVER", "OMNISCIENT", "SYSTEM"]
