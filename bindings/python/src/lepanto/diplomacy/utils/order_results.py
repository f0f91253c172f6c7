"""The words for what came of an order."""

from __future__ import annotations

from typing import Any, Dict


class OrderResult(str):
    """A text, "bounce", with the number that the package gives it."""

    code: int

    def __new__(cls, code: int, message: str) -> "OrderResult":
        made = super().__new__(cls, message)
        made.code = code
        return made

    @property
    def message(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"{self.code}:{self}"

    def __reduce__(self) -> Any:
        return OrderResult, (self.code, str(self))


OK = OrderResult(0, "")
NO_CONVOY = OrderResult(10001, "no convoy")
BOUNCE = OrderResult(10002, "bounce")
VOID = OrderResult(10003, "void")
CUT = OrderResult(10004, "cut")
DISLODGED = OrderResult(10005, "dislodged")
DISRUPTED = OrderResult(10006, "disrupted")
DISBAND = OrderResult(10007, "disband")
MAYBE = OrderResult(10008, "maybe")

#: By word.
RESULTS: Dict[str, OrderResult] = {
    result: result for result in (OK, NO_CONVOY, BOUNCE, VOID, CUT, DISLODGED, DISRUPTED, DISBAND, MAYBE)
}


def result_of(word: str) -> OrderResult:
    """The result of a word; one that the package does not know has the number -1."""
    return RESULTS.get(word) or OrderResult(-1 if word else 0, word)
