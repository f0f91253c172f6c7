"""A dict that is sorted by its values."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple


class PriorityDict(Dict[Any, Any]):
    """A dict from keys to priorities. It iterates in ascending order of priority, then of key."""

    def _ordered(self) -> List[Tuple[Any, Any]]:
        return sorted(((value, key) for key, value in super().items()))

    def smallest(self) -> Optional[Tuple[Any, Any]]:
        """Returns the smallest priority and its key, as (priority, key); None if the dict is empty."""
        return min(((value, key) for key, value in super().items()), default=None)

    def copy(self) -> "PriorityDict":
        return PriorityDict(dict.items(self))

    def __iter__(self) -> Iterator[Any]:
        return iter([key for _, key in self._ordered()])

    def keys(self) -> Any:
        return iter(self)

    def values(self) -> Any:
        return iter([value for value, _ in self._ordered()])

    def items(self) -> Any:
        return iter([(key, value) for value, key in self._ordered()])
