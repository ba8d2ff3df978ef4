"""The method: plan, ask, remember, answer, check, and plan again while a part is open. Start at `loop`."""
