"""Placeholder for `diplomacy.client`: importing it raises ImportError, because Lepanto has no game server."""

raise ImportError("diplomacy.client: got no server here, wanted a bot of `exec:`: see lepanto.bot")
