"""Intervals, calibration and paired tests against values worked out by hand."""

import math

import pytest

from recollect.bench import statistics

# Tables 3 and 9
PRINTED = [
    (21, 23, 73, 98), (22, 23, 79, 99), (14, 14, 78, 100), (1, 2, 9, 91), (3, 4, 30, 95), (2, 2, 34, 100),
    (35, 37, 82, 99), (36, 37, 86, 100), (0, 6, 0, 39), (5, 6, 44, 97), (4, 6, 30, 90),
]  # fmt: skip


@pytest.mark.parametrize(("successes", "trials", "low", "high"), PRINTED)
def test_wilson_intervals_are_those_of_the_memx_paper(successes, trials, low, high):
    found = statistics.wilson(successes, trials)
    assert tuple(round(end * 100) for end in found) == (low, high)


def test_wilson_of_nothing_knows_nothing():
    assert statistics.wilson(0, 0) == (0.0, 1.0)


def test_auroc_counts_pairs_and_half_of_the_ties():
    # pairs: .9>.1 .9>.5 .5>.1 .5=.5 → 3.5 of 4
    assert statistics.auroc([0.9, 0.5], [0.1, 0.5]) == 3.5 / 4
    assert statistics.auroc([1.0], [0.0]) == 1
    assert statistics.auroc([0.3, 0.3], [0.3]) == 0.5
    assert math.isnan(statistics.auroc([], [1.0]))


def test_the_interval_of_an_auroc_lies_around_it():
    there, absent = [0.2, 0.4, 0.6, 0.8] * 10, [0.1, 0.3, 0.5, 0.7] * 5
    low, high = statistics.auroc_interval(there, absent)
    assert 0.4 < low < statistics.auroc(there, absent) == 0.625 < high < 0.85
    assert statistics.auroc_interval([1.0, 0.9], [0.1, 0.2]) == (1.0, 1.0)
    assert statistics.auroc_interval([0.5], [0.5]) == (0.5, 0.5)
    assert all(map(math.isnan, statistics.auroc_interval([], [1.0])))


def test_calibration_error_is_the_gap_over_equal_mass_bins():
    # two bins of two: said .15, true .5; said .85, true 1 → (2·.35 + 2·.15) / 4
    said, true = [0.1, 0.2, 0.8, 0.9], [0, 1, 1, 1]
    bins = statistics.equal_mass_bins(said, true, 2)
    assert [(round(b.said, 3), b.true, b.count) for b in bins] == [(0.15, 0.5, 2), (0.85, 1.0, 2)]
    assert statistics.calibration_error(said, true, 2) == pytest.approx(0.25)


def test_a_calibrated_answer_has_little_error_and_an_interval_around_it():
    said = [0.1] * 100 + [0.9] * 100
    true = [1.0] * 10 + [0.0] * 90 + [1.0] * 90 + [0.0] * 10
    assert statistics.calibration_error(said, true, 2) == pytest.approx(0, abs=1e-9)
    low, high = statistics.calibration_interval(said, true, 2)
    assert 0 <= low < high < 0.1
    assert (low, high) == statistics.calibration_interval(said, true, 2)


def test_mcnemar_is_a_fair_coin():
    assert statistics.mcnemar(5, 0) == 2 / 32
    assert statistics.mcnemar(0, 0) == 1
    assert statistics.mcnemar(6, 1) == pytest.approx(2 * (1 + 7) / 128)


def test_a_paired_difference_says_whether_it_is_noise():
    before, after = [0.0] * 10 + [1.0] * 10, [1.0] * 20
    found = statistics.paired(before, after)
    assert (found.better, found.worse, found.change) == (10, 0, 0.5)
    assert found.p == pytest.approx(2 / 1024) and found.verdict == "better"
    assert statistics.paired(after, before).verdict == "worse"
    assert statistics.paired([1, 0, 1], [1, 1, 1]).verdict == "within noise"


def test_graded_answers_are_compared_by_bootstrap():
    found = statistics.paired([0.2] * 30, [0.4] * 30)
    assert found.low == pytest.approx(0.2) and found.high == pytest.approx(0.2)
    assert found.verdict == "better"
    assert statistics.paired([0.5, 0.2], [0.5, 0.2]).p == 1


def test_latency_gives_mean_median_and_p95():
    found = statistics.latency([10.0, 20.0, 30.0, 40.0])
    assert found == {"mean": 25.0, "p50": 25.0, "p95": pytest.approx(38.5)}


def test_the_mean_of_equal_values_has_no_spread():
    assert statistics.mean_interval([0.5] * 8) == (0.5, 0.5)
    assert math.isnan(statistics.mean([]))


def test_equal_confidences_give_the_same_bins_in_any_order():
    # ten times 0.9, half of them true: the gap is 0.4, also when all true ones are listed first
    said, true = [0.9] * 10, [1.0] * 5 + [0.0] * 5
    assert statistics.calibration_error(said, true, bins=5) == pytest.approx(0.4)
    assert statistics.equal_mass_bins(said, true, 5) == statistics.equal_mass_bins(said, true[::-1], 5)
