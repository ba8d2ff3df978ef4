"""Probabilities from features: relations that hold however the models were fitted."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.engines.extractive.candidates import SentenceFit
from investigator.records import Record, Standing
from investigator.scoring.calibration import Logistic, default_calibration, log_odds


class Two(Record):
    """Two features."""

    first: float = 0.0
    second: float = 0.0


def test_a_chance_follows_the_logistic_function() -> None:
    assert Logistic(bias=0.0, weights={}).chance(Two()) == 0.5
    model = Logistic(bias=-1.0, weights={"first": 2.0})
    assert model.chance(Two(first=0.5)) == pytest.approx(0.5)
    assert model.chance(Two(first=0.5 + math.log(3) / 2, second=9.0)) == pytest.approx(0.75)


@pytest.mark.parametrize("far", [1e9, -1e9])
def test_a_chance_stays_a_chance_however_far_its_features_lie(far: float) -> None:
    chance = Logistic(bias=0.0, weights={"first": 1.0}).chance(Two(first=far))
    assert chance == pytest.approx(float(far > 0), abs=1e-12)


@given(st.floats(1e-5, 1 - 1e-5))
def test_log_odds_turn_a_chance_back_and_are_finite(chance: float) -> None:
    assert Logistic(bias=0.0, weights={"first": 1.0}).chance(Two(first=log_odds(chance))) == pytest.approx(chance)
    assert log_odds(1.0) == pytest.approx(-log_odds(0.0))
    assert math.isfinite(log_odds(1.0))


def test_what_ships_has_a_feature_for_each_weight() -> None:
    fitted = default_calibration()
    fit = SentenceFit(**dict.fromkeys(SentenceFit.model_fields, 0.5))
    assert all(0.0 < model.chance(Standing()) < 1.0 for model in (fitted.english, fitted.foreign))
    assert fitted.sentence.log_odds(fit) > fitted.sentence.log_odds(fit.changed(similarity=0.0))
    assert 0 < fitted.similarity < 1


def test_a_question_has_the_models_of_its_language() -> None:
    fitted = default_calibration()
    assert fitted.of("Who owns the mill?") is fitted.english
    assert fitted.of("Wem gehört die Mühle?") is fitted.foreign
    assert fitted.of("磨坊是谁的？") is fitted.foreign


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"period": 1.0}, {"period": -1.0}),
        ({"age": 1.0}, {"age": -1.0}),
        ({"named": 1.0}, {"named": 0.0}),
        ({"names": 1.0}, {"names": 0.0}),
        ({"similarity": 0.8, "overlap": 0.8}, {"similarity": 0.8, "overlap": 0.1}),
        ({"similarity": 0.8, "overlap": 0.8}, {"similarity": 0.2, "overlap": 0.8}),
        ({}, {"gap": -0.5}),
    ],
)
def test_a_document_that_fits_better_in_one_way_has_the_higher_chance(
    better: dict[str, float], worse: dict[str, float]
) -> None:
    model = default_calibration().english
    assert model.chance(Standing(**better)) > model.chance(Standing(**worse))
