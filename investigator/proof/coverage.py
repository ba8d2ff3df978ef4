"""Computes the coverage: how each document in the folder was treated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from investigator.records import Coverage, LeftOut, Unreadable

_MOST_NAMES = 3


def coverage(
    document_ids: Iterable[str],
    read: Iterable[str],
    worth_asking: Iterable[str],
    unreadable: Iterable[Unreadable],
    left_out: Iterable[LeftOut] = (),
) -> Coverage:
    """Sort each document into exactly one of three lists: read, not opened or only searched.

    The documents that were asked are `read`; of the other documents, those `worth_asking` are not opened, and all
    others were only searched. Unreadable files are listed only as unreadable; excluded files are included unchanged.
    """
    failed = {item.path: item for item in unreadable}
    every = set(document_ids) - failed.keys()
    done = every & set(read)
    left = every - done
    missed = left & set(worth_asking)
    return Coverage(
        read=tuple(sorted(done)),
        searched=tuple(sorted(left - missed)),
        not_opened=tuple(sorted(missed)),
        unreadable=tuple(failed[path] for path in sorted(failed)),
        left_out=tuple(left_out),
    )


def coverage_line(coverage: Coverage, *, with_names: bool = True) -> str:
    """Return the coverage in one line: "read 9 of 11 documents; 1 unreadable: x.pdf (encrypted); 1 not opened:
    y.txt"; without names, only the counts. If no document was read, those that were searched are counted.
    """
    read, searched = len(coverage.read), len(coverage.searched)
    is_searched = searched > 0 and not read
    documents = "document" if coverage.total == 1 else "documents"
    parts = [f"{'searched' if is_searched else 'read'} {read or searched} of {coverage.total} {documents}"]
    failed = [f"{file.path} ({file.status.value.replace('_', ' ')})" for file in coverage.unreadable if file.counts]
    lists: dict[str, Sequence[str]] = {"unreadable": failed}
    for file in coverage.unreadable:
        if not file.counts:
            lists[file.status.value] = [*lists.get(file.status.value, ()), file.path]
    for state, names in {**lists, "not opened": coverage.not_opened}.items():
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        named = f": {', '.join(names[:_MOST_NAMES])}{more}" if with_names else ""
        parts += [f"{len(names)} {state}{named}"] if names else []
    if searched and not is_searched:
        parts.append(f"{searched} only searched")
    parts += (item.line for item in coverage.left_out)
    return "; ".join(parts)
