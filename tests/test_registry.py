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
            assert source.licensed or source.mirror_only or file.url.startswith("https://"), file.name
            assert (file.sha256 is None) == (file.bytes is None)


def test_every_benchmark_has_a_builder_known_sources_and_a_fingerprint():
    assert set(registry.benchmarks()) == set(BUILDERS)
    for entry in registry.benchmarks().values():
        assert all(registry.source(source).files for source in entry.sources)
        assert len(entry.fingerprint) == 64 and entry.notes


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
FILE = WHOLE + "files: [{name: x, "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WHOLE + "colour: d\n", ": colour: unknown key; expected one of citation, files, homepage, licence"),
        (WHOLE + "files: [{name: ../x}]\n", "name: expected a path within its folder, found '../x'"),
        (WHOLE + "files: [{name: /x}]\n", "name: expected a path within"),
        (FILE + "member: a/../../x}]\n", "member: expected a path within"),
        (FILE + "url: ftp://a/b}]\n", "url: expected an address .*, found 'ftp://a/b'"),
        (FILE + "mirror: '/etc/x'}]\n", "mirror: expected an address .*https.*file"),
    ],
)
def test_a_broken_registry_file_is_named(write, tmp_path, text, message):
    path = write("broken.yaml", text)
    with pytest.raises(ValueError, match=message) as error:
        registry.sources(tmp_path)
    assert str(error.value).startswith(f"{path}:") and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n", "expected a mapping of benchmarks by id"),
        ("toy: {title: a, sources: [b], fingerprints: c}\n", ": toy: fingerprints: unknown key"),
    ],
)
def test_a_broken_list_of_benchmarks_is_named(write, tmp_path, text, message):
    write("benchmarks.yaml", text)
    with pytest.raises(ValueError, match=message):
        registry.benchmarks(tmp_path)


@pytest.fixture
def served(write):
    """Serve a content under an address of this machine."""
    return lambda content=TEXT, name="served.txt": write(name, content).as_uri()


def stored(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_mirror_may_hold_a_file_compressed_or_not(write, tmp_path):
    source, file = described("corpus/a.txt.gz")
    write("corpus/a.txt", TEXT)
    assert locate(source, file, tmp_path).name == "a.txt"
    write("corpus/a.txt.gz", TEXT)
    assert locate(source, file, tmp_path).name == "a.txt.gz"
    assert size_and_sha256(tmp_path / "corpus" / "a.txt.gz") == (len(TEXT), DIGEST)


def test_a_missing_file_says_what_to_do(tmp_path):
    source, file = described(url="https://example.org/a.txt")
    with pytest.raises(MissingFile, match="make data.*https://example.org/a.txt"):
        locate(source, file, tmp_path)
    with pytest.raises(MissingFile, match="no official download"):
        locate(source, file.model_copy(update={"mirror_only": True}), tmp_path)


BOMB = bytes(1 << 22)  # nothing, of which few bytes remain when it is packed
EXPECTED = "expected 9 bytes with SHA-256"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *(("a.txt", wrong, EXPECTED) for wrong in (TEXT + b"x", TEXT[:-1], b"", TEXT.upper())),
        ("a.txt.gz", BOMB, "found more, of which the rest was not read; delete it"),
    ],
)
def test_other_content_is_refused(write, tmp_path, name, content, message):
    source, file = described(name)
    path = write(name, content)
    with pytest.raises(WrongContent, match=message):
        locate(source, file, tmp_path)
    path.write_bytes(gzip.compress(TEXT)[:-6])
    with pytest.raises(WrongContent, match="damaged" if name.endswith(".gz") else EXPECTED):
        locate(source, file, tmp_path)


def test_a_download_is_verified_and_put_in_place(served, tmp_path):
    source, file = described(url=served())
    folder = tmp_path / "data"
    assert fetch_file(source, file, folder) == ("DOWNLOADED", "")
    assert fetch_file(source, file, folder) == ("OK", "")
    assert (folder / "corpus" / "a.txt").read_bytes() == TEXT


def test_what_cannot_be_fetched_is_told_and_leaves_nothing_behind(served, tmp_path):
    source, file = described(url=served(b"other line"))
    state, said = fetch_file(source, file, tmp_path / "data")
    assert state == "WRONG" and "expected 9 bytes" in said
    source, file = described(url=(tmp_path / "nowhere.txt").as_uri())
    state, said = fetch_file(source, file, tmp_path / "data")
    assert state == "MISSING" and "nowhere.txt" in said and "by hand" in said
    assert not stored(tmp_path / "data")


@pytest.mark.parametrize("official", ["nowhere.txt", "other.txt"])
def test_the_mirror_serves_when_the_official_address_does_not(served, tmp_path, official):
    served(b"another edition", "other.txt")
    _, file = described(url=(tmp_path / official).as_uri(), mirror=served())
    assert download(file, tmp_path / "data").read_bytes() == TEXT


def archive(path: Path, name: str, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as packed:
        packed.writestr(name, content)
    return path


def test_a_member_of_an_archive_is_taken_out(tmp_path):
    packed = archive(tmp_path / "a.zip", "folder/a.txt", TEXT)
    _, file = described(url=packed.as_uri(), member="folder/a.txt")
    assert download(file, tmp_path / "data").read_bytes() == TEXT
    assert find(file, tmp_path / "data") is not None


def test_archives_cannot_write_outside(write, tmp_path):
    packed = archive(tmp_path / "a.zip", "../evil.txt", TEXT)
    for member in ("../evil.txt", "/evil.txt"):
        with pytest.raises(ValueError, match="a path within"):
            described(member=member)
    # Not even where the registry is passed over.
    assert unpack(packed, "../evil.txt", tmp_path / "out") == tmp_path / "out" / "evil.txt"
    assert not (tmp_path / "evil.txt").exists()
    for path in (packed, write("b.zip", TEXT)):
        with pytest.raises(WrongContent, match="cannot take"):
            unpack(path, "b.txt", tmp_path / "out")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_damaged_member_is_told_as_such(tmp_path, method):
    packed = archive(tmp_path / "a.zip", "a.txt", bytes(range(256)) * 20, method)
    damaged = bytearray(packed.read_bytes())
    damaged[60:90] = b"\xff" * 30
    packed.write_bytes(damaged)
    with pytest.raises(WrongContent, match="a.zip: cannot take a.txt from it"):
        unpack(packed, "a.txt", tmp_path / "out")


def test_no_more_of_a_stream_is_read_than_it_should_have():
    stream = io.BytesIO(bytes(100))
    bounded = files.LimitedStream(stream, 10, "a")
    assert len(bounded.read(4)) == 4
    with pytest.raises(WrongContent, match="a: expected 10 bytes, found more; the rest was not read"):
        bounded.read(1000)
    assert stream.tell() == 11
    whole = files.LimitedStream(io.BytesIO(TEXT), len(TEXT), "a")
    assert [whole.read(1000), whole.read(1000)] == [TEXT, b""]


def test_an_archive_bomb_is_refused_at_the_size_that_is_declared(tmp_path):
    packed = archive(tmp_path / "a.zip", "a.txt", BOMB)
    assert packed.stat().st_size < len(BOMB) / 100
    with pytest.raises(WrongContent, match="a.txt: expected 9 bytes, found more"):
        unpack(packed, "a.txt", tmp_path / "out", len(TEXT))
    assert (tmp_path / "out" / "a.txt").stat().st_size <= len(TEXT)
    _, file = described(url=packed.as_uri(), member="a.txt")
    with pytest.raises(WrongContent, match="expected 9 bytes, found more"):
        download(file, tmp_path / "data")
    assert not stored(tmp_path / "data")


def test_a_download_of_more_than_any_file_has_is_stopped(served, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST", 100)
    with pytest.raises(WrongContent, match="served.txt: expected 100 bytes, found more"):
        download(File(name="a.txt", url=served(bytes(1000))), tmp_path / "data")
    assert not stored(tmp_path / "data")


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
        Thread(target=server.handle_request).start()
        url = f"http://127.0.0.1:{server.server_port}/a.txt"
        with pytest.raises(OSError, match="9 bytes came of 100|IncompleteRead"):
            download(File(name="a.txt", url=url), tmp_path / "data")
    assert not stored(tmp_path / "data")


def test_the_command_reports_and_fails_when_files_are_missing(tmp_path, data_folder, capsys):
    assert main(["--folder", str(tmp_path), "umls"]) == 1
    said = capsys.readouterr().out
    assert said.count("MISSING") == 4 and "free licence" in said and "4 files are missing" in said
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
