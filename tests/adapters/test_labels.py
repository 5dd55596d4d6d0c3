"""Every label of another library's namespace is a part of one of our paths, and comes back as it was."""

from hypothesis import given
from hypothesis import strategies as st

from recollect import checks
from recollect.namespaces import decoded, encoded

LABELS = st.text(max_size=8)


@given(LABELS)
def test_a_label_of_a_namespace_survives_as_part_of_a_path(label):
    assert decoded(encoded(label)) == label
    assert checks.path(f"default/{encoded(label)}")


@given(st.text(st.characters(categories=("Cs", "Cc", "Zs", "Zl")), max_size=4))
def test_a_label_of_control_characters_survives_too(label):
    assert decoded(encoded(label)) == label


@given(st.lists(LABELS, max_size=3, unique=True))
def test_different_labels_give_different_paths(labels):
    assert len({encoded(label) for label in labels}) == len(labels)
