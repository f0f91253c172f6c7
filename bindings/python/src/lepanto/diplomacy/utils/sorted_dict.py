"""Dicts that are sorted by their keys."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, MutableMapping, Optional, Tuple


class SortedDict(MutableMapping[Any, Any]):
    """A dict that iterates in the order of its keys. key: function that returns the sort key of a key."""

    def __init__(self, items: Optional[Mapping[Any, Any]] = None, key: Optional[Callable[[Any], Any]] = None) -> None:
        self._by = key
        self._values: Dict[Any, Any] = {}
        self.fill(items)

    @property
    def _keys(self) -> List[Any]:
        """Keys of the dict, sorted."""
        return sorted(self._values, key=self._by)

    def __getitem__(self, key: Any) -> Any:
        return self._values[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._values[key] = value

    def __delitem__(self, key: Any) -> None:
        del self._values[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"SortedDict({{{', '.join(f'{key!r}: {self[key]!r}' for key in self)}}})"

    def __copy__(self) -> "SortedDict":
        return self.copy()

    def put(self, key: Any, value: Any) -> None:
        self[key] = value

    def remove(self, key: Any) -> Any:
        """Removes a key and returns its value; None if the key is missing."""
        return self.pop(key, None)

    def fill(self, items: Optional[Mapping[Any, Any]]) -> None:
        for key, value in (items or {}).items():
            self[key] = value

    def copy(self) -> "SortedDict":
        return SortedDict(self, self._by)

    def keys(self) -> List[Any]:  # type: ignore[override]
        return self._keys

    def values(self) -> List[Any]:  # type: ignore[override]
        return [self[key] for key in self]

    def items(self) -> List[Tuple[Any, Any]]:  # type: ignore[override]
        return [(key, self[key]) for key in self]

    def reversed_values(self) -> Iterable[Any]:
        return (self[key] for key in reversed(self._keys))

    def reversed_items(self) -> Iterable[Tuple[Any, Any]]:
        return ((key, self[key]) for key in reversed(self._keys))

    def first_key(self) -> Any:
        return self._keys[0]

    def last_key(self) -> Any:
        return self._keys[-1]

    def first_value(self) -> Any:
        return self[self.first_key()]

    def last_value(self) -> Any:
        return self[self.last_key()]

    def last_item(self) -> Tuple[Any, Any]:
        return self.last_key(), self.last_value()

    def key_from_index(self, index: int) -> Any:
        """Returns the key at an index, counted from the end if negative; None if the index is out of range."""
        return self._keys[index] if -len(self) <= index < len(self) else None

    def get_previous_key(self, key: Any) -> Any:
        at = self._keys.index(key)
        return self._keys[at - 1] if at else None

    def get_next_key(self, key: Any) -> Any:
        return self.key_from_index(self._keys.index(key) + 1)

    def sub_keys(self, key_from: Any = None, key_to: Any = None) -> List[Any]:
        """Returns the keys from `key_from` to `key_to`, both included. None: no bound."""
        by = self._by or (lambda key: key)
        first, last = (None if key is None else by(key) for key in (key_from, key_to))
        return [key for key in self if (first is None or first <= by(key)) and (last is None or by(key) <= last)]

    def sub(self, key_from: Any = None, key_to: Any = None) -> List[Any]:
        """Returns the values of the keys from `key_from` to `key_to`, both included. None: no bound."""
        return [self[key] for key in self.sub_keys(key_from, key_to)]

    def remove_sub(self, key_from: Any = None, key_to: Any = None) -> None:
        for key in self.sub_keys(key_from, key_to):
            del self[key]


class LazyDict(SortedDict):
    """A SortedDict that computes a value each time it is read. made: function that returns the value of a key."""

    def __init__(self, keys: Iterable[Any], made: Callable[[Any], Any], key: Callable[[Any], Any]) -> None:
        super().__init__(dict.fromkeys(keys), key)
        self._made = made

    def __getitem__(self, key: Any) -> Any:
        if key not in self._values:
            raise KeyError(key)
        return self._made(key)
