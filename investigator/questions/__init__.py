"""Analyses a question: splits it into parts, finds the constraints on each part, and matches text against the
constraints. All functions are pure and use only rules and word lists.

To read a question: `kinds` (what it asks for), `parts`, `constraints`, `answer_types`; `topics` for a survey, `missing`
and `imprints` for reports, `following` for a follow-up. To match a constraint: start at `matching`, which has a
function for each kind; `timing` (with `periods`, `spans`, `phases`, `succession`), `roles` (with `order`), `names`,
`measured`, `bounds`, `happening`, `causes`. Words: `cues` (`data/cues.toml`) and `related` (synonyms and roots).
"""
