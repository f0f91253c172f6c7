"""Stands for the client of the package `diplomacy`: there is no server here."""

raise ImportError("diplomacy.client: got no server here, wanted a bot of `exec:`: see lepanto.bot")
