"""All files of a model or none."""

import pytest

from credo.app.web.generations import FILES, fresh, latest


def write(folder, text):
    for name in FILES:
        (folder / name).write_text(text)


def told(folder):
    return [(latest(folder) / name).read_text() for name in FILES]


def test_the_newest_takes_the_place_of_the_others(tmp_path):
    assert latest(tmp_path) is None
    for text in ("first", "second"):
        with fresh(tmp_path) as there:
            write(there, text)
            assert latest(tmp_path) is None or told(tmp_path) == ["first"] * 3
        assert told(tmp_path) == [text] * 3
    assert len(list(tmp_path.iterdir())) == 1


def test_what_fails_on_the_way_leaves_what_was_there(tmp_path):
    with fresh(tmp_path) as there:
        write(there, "first")
    with pytest.raises(FileNotFoundError), fresh(tmp_path) as there:
        (there / "nowhere" / "model.credo").write_text("second")
    assert told(tmp_path) == ["first"] * 3
    assert len(list(tmp_path.iterdir())) == 1


def test_what_was_killed_on_the_way_does_not_count_and_goes_with_the_next(tmp_path):
    with fresh(tmp_path) as there:
        write(there, "first")
    (tmp_path / "learning-killed").mkdir()
    write(tmp_path / "learning-killed", "second")
    assert told(tmp_path) == ["first"] * 3
    with fresh(tmp_path) as there:
        write(there, "third")
    assert told(tmp_path) == ["third"] * 3
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", FILES)
def test_one_that_lacks_a_file_does_not_count(tmp_path, name):
    with fresh(tmp_path) as there:
        write(there, "first")
    (latest(tmp_path) / name).unlink()
    assert latest(tmp_path) is None
