"""The registry, and the files it describes: found, fetched, verified, refused."""

import gzip
import hashlib
import io
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from study import corpora as datasets
from study.corpora import BUILDERS, MissingFile, WrongContent, files, registry
from study.corpora.fetch import fetch_file, main
from study.corpora.files import download, find, locate, size_and_sha256, unpack
from study.corpora.registry import File, Source

UNSEEN = ("medmentions-st21pv-official", "bc5cdr-complete")
TEXT = b"one line\n"
DIGEST = hashlib.sha256(TEXT).hexdigest()


def described(name: str = "corpus/a.txt", url: str = "", **more) -> tuple[Source, File]:
    file = File(name=name, url=url, bytes=len(TEXT), sha256=DIGEST, **more)
    homepage = "https://example.org"
    return Source(id="toy", title="Toy", homepage=homepage, licence="none", files=(file,)), file


def test_every_source_is_whole():
    for source in registry.sources():
        assert source.title and source.homepage.startswith("https://") and source.licence
        assert source.licensed or source.files
        for file in source.files:
            assert not file.mirror or file.mirror.startswith("https://"), file.name
            assert not Path(file.name).is_absolute() and ".." not in file.name
            assert source.licensed or source.mirror_only or file.url.startswith("https://"), file.name
            assert (file.sha256 is None) == (file.bytes is None)


def test_every_benchmark_has_a_builder_known_sources_and_a_fingerprint():
    assert set(registry.benchmarks()) == set(BUILDERS)
    for id, entry in registry.benchmarks().items():
        assert all(registry.source(source).files for source in entry.sources)
        # What nobody here has seen cannot be pinned.
        assert (len(entry.fingerprint) == 64 and entry.notes) or id in UNSEEN


@pytest.mark.parametrize("id", ["umls", "share", "n2c2"])
def test_a_licensed_source_says_what_to_obtain_and_where_to_put_it(id, tmp_path):
    source = registry.source(id)
    where = "umls/" if id == "umls" else "folder as the dataset"  # notes are read from any folder
    assert source.licensed and where in source.obtain
    for file in source.files:
        with pytest.raises(MissingFile, match="obtain a free licence"):
            locate(source, file, tmp_path)
    with pytest.raises(ValueError, match=f"obtain a free licence|agreement.* {where}"):
        datasets.load(id)


def test_an_unknown_name_lists_those_there_are():
    with pytest.raises(ValueError, match="ncbi-disease.*medmentions-st21pv"):
        datasets.load("ncbi")
    with pytest.raises(ValueError, match="expected one of"):
        registry.source("nowhere")


WHOLE = "title: a\nhomepage: b\nlicence: c\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: a\nhomepage: b\n", ": licence: expected a value, found none"),
        (WHOLE + "colour: d\n", ": colour: unknown key; expected one of citation, files, homepage, licence"),
        (WHOLE + "id: other\n", ": id: unknown key"),
        ("title: [a\n", ":2: expected YAML"),
        (WHOLE + "title: b\n", ":4: expected YAML, found: the key 'title' a second time .first in line 1"),
        ("- a\n", ": expected a mapping, found"),
        ("", ": expected a mapping, found None"),
        (WHOLE + "files: a.txt\n", ": files: expected a list, found 'a.txt'"),
        (WHOLE + "files: [a.txt]\n", r": files\[0\]: expected a mapping, found 'a.txt'"),
        (WHOLE + "files: [{url: x}]\n", r": files\[0\].name: expected a value"),
        (
            WHOLE + "files: [{name: x}, {name: x, size: 3}]\n",
            r"files\[1\].size: unknown key; .*of bytes, mem",
        ),
        (WHOLE + "files: [{name: x, bytes: many}]\n", "bytes: expected a whole number, found 'many'"),
        (WHOLE + "files: [{name: x, bytes: true}]\n", "bytes: expected a whole number, found True"),
        (WHOLE + "files: [{name: x, sha256: 3}]\n", "sha256: expected text, found 3"),
        (WHOLE + "files: [{name: ../x}]\n", "name: expected a path within the data folder, found '../x'"),
        (WHOLE + "files: [{name: /x}]\n", "name: expected a path within"),
        (WHOLE + "files: [{name: x, url: ftp://a/b}]\n", "url: expected an address .*, found 'ftp://a/b'"),
        (WHOLE + "files: [{name: x, mirror: '/etc/x'}]\n", "mirror: expected an address .*https.*file"),
        (WHOLE + "notes: one\n", "notes: expected a list, found 'one'"),
        (WHOLE + "licensed: maybe\n", "licensed: expected true or false, found 'maybe'"),
    ],
)
def test_a_broken_registry_file_is_named(tmp_path, text, message):
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        registry.sources(tmp_path)
    assert str(error.value).startswith(f"{path}:") and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n", "expected a mapping of benchmarks by id"),
        ("toy: a\n", ": toy: expected a mapping, found 'a'"),
        (
            "toy: {title: a, sources: [b], fingerprints: c}\n",
            ": toy: fingerprints: unknown key; expected one of",
        ),
        ("toy: {title: a}\n", ": toy: sources: expected a value, found none"),
        ("toy: {title: a, sources: b}\ntoy: {}\n", "benchmarks.yaml:2: .*'toy' a second time"),
    ],
)
def test_a_broken_list_of_benchmarks_is_named(tmp_path, text, message):
    (tmp_path / "benchmarks.yaml").write_text(text)
    with pytest.raises(ValueError, match=message):
        registry.benchmarks(tmp_path)


def test_a_mirror_may_hold_a_file_compressed_or_not(tmp_path):
    source, file = described("corpus/a.txt.gz")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_bytes(TEXT)
    assert locate(source, file, tmp_path).name == "a.txt"
    (tmp_path / "corpus" / "a.txt.gz").write_bytes(gzip.compress(TEXT))
    assert locate(source, file, tmp_path).name == "a.txt.gz"
    assert size_and_sha256(tmp_path / "corpus" / "a.txt.gz") == (len(TEXT), DIGEST)


def test_a_missing_file_says_what_to_do(tmp_path):
    source, file = described(url="https://example.org/a.txt")
    with pytest.raises(MissingFile, match="make data.*https://example.org/a.txt"):
        locate(source, file, tmp_path)
    with pytest.raises(MissingFile, match="no official download"):
        locate(source, file.model_copy(update={"mirror_only": True}), tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [TEXT + b"x", TEXT[:-1], b"", TEXT.upper()],
    ids=["longer", "shorter", "empty", "same size"],
)
def test_other_content_is_refused(tmp_path, wrong):
    source, file = described()
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_bytes(wrong)
    with pytest.raises(WrongContent, match="expected 9 bytes with SHA-256"):
        locate(source, file, tmp_path)


def test_a_cut_archive_is_refused(tmp_path):
    source, file = described("a.txt.gz")
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(TEXT)[:-6])
    with pytest.raises(WrongContent, match="damaged"):
        locate(source, file, tmp_path)


def test_a_download_is_verified_and_put_in_place(tmp_path):
    (tmp_path / "served.txt").write_bytes(TEXT)
    source, file = described(url=(tmp_path / "served.txt").as_uri())
    folder = tmp_path / "data"
    assert fetch_file(source, file, folder) == ("DOWNLOADED", "")
    assert fetch_file(source, file, folder) == ("OK", "")
    assert (folder / "corpus" / "a.txt").read_bytes() == TEXT


def test_a_tampered_download_leaves_nothing_behind(tmp_path):
    (tmp_path / "served.txt").write_bytes(b"other line")
    source, file = described(url=(tmp_path / "served.txt").as_uri())
    state, said = fetch_file(source, file, tmp_path / "data")
    assert state == "WRONG" and "expected 9 bytes" in said
    assert not [path for path in (tmp_path / "data").rglob("*") if path.is_file()]


def test_an_address_that_does_not_answer_is_reported(tmp_path):
    source, file = described(url=(tmp_path / "nowhere.txt").as_uri())
    state, said = fetch_file(source, file, tmp_path / "data")
    assert state == "MISSING" and "nowhere.txt" in said and "by hand" in said


def test_a_member_of_an_archive_is_taken_out(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("folder/a.txt", TEXT)
    source, file = described(url=(tmp_path / "a.zip").as_uri(), member="folder/a.txt")
    assert download(file, tmp_path / "data").read_bytes() == TEXT
    assert find(file, tmp_path / "data") is not None


def test_archives_cannot_write_outside(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("../evil.txt", TEXT)
    for member in ("../evil.txt", "/evil.txt"):
        with pytest.raises(WrongContent, match="refused"):
            unpack(tmp_path / "a.zip", member, tmp_path / "out")
    with pytest.raises(WrongContent, match="cannot take"):
        unpack(tmp_path / "a.zip", "b.txt", tmp_path / "out")
    (tmp_path / "b.zip").write_bytes(TEXT)
    with pytest.raises(WrongContent, match="cannot take"):
        unpack(tmp_path / "b.zip", "a.txt", tmp_path / "out")
    assert not (tmp_path / "evil.txt").exists()


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_damaged_member_is_told_as_such(tmp_path, method):
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w", method) as packed:
        packed.writestr("a.txt", bytes(range(256)) * 20)
    damaged = bytearray(archive.read_bytes())
    damaged[60:90] = b"\xff" * 30
    archive.write_bytes(damaged)
    with pytest.raises(WrongContent, match="a.zip: cannot take a.txt from it"):
        unpack(archive, "a.txt", tmp_path / "out")


BOMB = 1 << 22  # bytes of nothing, of which few remain when they are packed


def packed_gz(path: Path) -> Path:
    path.write_bytes(gzip.compress(bytes(BOMB)))
    return path


def test_no_more_of_a_stream_is_read_than_it_should_have():
    stream = io.BytesIO(bytes(100))
    bounded = files.LimitedStream(stream, 10, "a")
    assert len(bounded.read(4)) == 4
    with pytest.raises(WrongContent, match="a: expected 10 bytes, found more; the rest was not read"):
        bounded.read(1000)
    assert stream.tell() == 11
    whole = files.LimitedStream(io.BytesIO(TEXT), len(TEXT), "a")
    assert [whole.read(1000), whole.read(1000)] == [TEXT, b""]


def test_a_file_that_unpacks_to_more_than_it_should_is_left_before_it_is_read(tmp_path):
    source, file = described("a.txt.gz")
    packed_gz(tmp_path / "a.txt.gz")
    with pytest.raises(WrongContent, match="found more, of which the rest was not read; delete it"):
        locate(source, file, tmp_path)


def test_an_archive_bomb_is_refused_at_the_size_that_is_declared(tmp_path):
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.txt", bytes(BOMB))
    assert archive.stat().st_size < BOMB / 100
    with pytest.raises(WrongContent, match="a.txt: expected 9 bytes, found more"):
        unpack(archive, "a.txt", tmp_path / "out", len(TEXT))
    assert (tmp_path / "out" / "a.txt").stat().st_size <= len(TEXT)
    _, file = described(url=archive.as_uri(), member="a.txt")
    with pytest.raises(WrongContent, match="expected 9 bytes, found more"):
        download(file, tmp_path / "data")
    assert not list((tmp_path / "data" / "corpus").iterdir())


def test_a_download_of_more_than_any_file_has_is_stopped(tmp_path, monkeypatch):
    (tmp_path / "served.txt").write_bytes(bytes(1000))
    monkeypatch.setattr(files, "MOST", 100)
    with pytest.raises(WrongContent, match="served.txt: expected 100 bytes, found more"):
        download(File(name="a.txt", url=(tmp_path / "served.txt").as_uri()), tmp_path / "data")
    assert not list((tmp_path / "data").iterdir())


def test_the_command_reports_and_fails_when_files_are_missing(tmp_path, capsys):
    assert main(["--folder", str(tmp_path), "umls"]) == 1
    said = capsys.readouterr().out
    assert said.count("MISSING") == 4 and "free licence" in said and "4 files are missing" in said


def test_the_command_finds_a_whole_mirror(data_folder, capsys):
    # medic is a source of two files; bc2gn a benchmark of two corpus files and two dictionaries
    assert main(["--folder", str(data_folder), "medic", "bc2gn"]) == 0
    assert capsys.readouterr().out.count("OK ") == 6


def test_only_what_a_download_gives_or_was_asked_for_must_be_there(tmp_path, monkeypatch, capsys):
    source, file = described(mirror_only=True)
    monkeypatch.setattr(registry, "sources", lambda: (source,))
    monkeypatch.setattr(registry, "source", lambda id: source)
    assert main(["--folder", str(tmp_path)]) == 0
    assert "MISSING" in capsys.readouterr().out
    assert main(["--folder", str(tmp_path), "toy"]) == 1


@pytest.mark.parametrize("official", ["nowhere.txt", "other.txt"])
def test_the_mirror_serves_when_the_official_address_does_not(tmp_path, official):
    (tmp_path / "other.txt").write_bytes(b"another edition")
    (tmp_path / "mirrored.txt").write_bytes(TEXT)
    _, file = described(url=(tmp_path / official).as_uri(), mirror=(tmp_path / "mirrored.txt").as_uri())
    assert download(file, tmp_path / "data").read_bytes() == TEXT


def test_a_download_cut_short_is_refused_even_without_a_checksum(tmp_path):
    class Short(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(TEXT)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Short) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        with pytest.raises(OSError, match="9 bytes came of 100|IncompleteRead"):
            download(
                File(name="a.txt", url=f"http://127.0.0.1:{server.server_port}/a.txt"), tmp_path / "data"
            )
        thread.join()
    assert not list((tmp_path / "data").iterdir())
