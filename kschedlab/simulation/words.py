"""Words that the scheduler's messages are made of."""

from __future__ import annotations

NOTE_LENGTH = 1024
"""The longest note of an event. v1.37: pkg/apis/core/validation/events.go, NoteLengthLimit."""


def duration(microseconds: int) -> str:
    """As Go prints a time.Duration: ``1h0m5s``, ``2.5s``, ``300ms``."""
    if microseconds < 1_000_000:
        if microseconds == 0:
            return "0s"
        return f"{microseconds / 1000:.6g}ms" if microseconds >= 1000 else f"{microseconds}µs"
    minutes, rest = divmod(microseconds, 60_000_000)
    hours, minutes = divmod(minutes, 60)
    whole, fraction = divmod(rest, 1_000_000)
    seconds = f"{whole}.{fraction:06}".rstrip("0").rstrip(".") + "s"
    return (f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else "") + seconds


def truncated(message: str) -> str:
    """The message, cut if an event can't hold it. v1.37: schedule_one.go, truncateMessage (which counts bytes)."""
    encoded = message.encode()
    if len(encoded) <= NOTE_LENGTH:
        return message
    return encoded[: NOTE_LENGTH - 4].decode(errors="ignore") + " ..."
