"""Webhook hooks, against real servers on this machine."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.handlers.builders import around_in, hook
from tests.handlers.servers import Server
from tests.waiting import DEADLINE_S

from hookline.handlers.http.exchange import closed_reason, is_allowed_host, proxy_for, resolve
from hookline.handlers.http.webhook import run_webhook, shown_url
from hookline.model.errors import HandlerError
from hookline.model.hooks import HandlerInput, Webhook, parted
from hookline.system.loops import loop as loops

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.model.results import RawResult

CANARY = "canary-4f9d2c71"


def post(
    folder: Path,
    url: str,
    headers: dict[str, str] | None = None,
    env: dict[str, str] | None = None,
    drive: Callable[..., RawResult] = asyncio.run,
    allowed_env: tuple[str, ...] | None = None,
    method: str = "POST",
    timeout_s: float = 60.0,
    payload: dict[str, Any] | None = None,
    **options: Any,
) -> RawResult:
    action = Webhook(url=url, method=method, headers=headers or {}, allowed_env=allowed_env)
    given = HandlerInput(payload=payload or {"event": "PreToolUse", "text": "ä😀"})
    around = around_in(folder, env, timeout_s=timeout_s)
    return drive(run_webhook(action, hook(action, **parted(options)), given, around))


@pytest.mark.parametrize("drive", [asyncio.run, loops.run], ids=["asyncio", "poll loop"])
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_the_payload_is_sent_as_json_with_the_headers(
    server: Server, tmp_path: Path, method: str, drive: Any
) -> None:
    server.body = b'{"Reject": {"reason": "no"}}\n'
    raw = post(tmp_path, f"{server.url}/hook?a=b c", {"X-Team": "core"}, drive=drive, method=method)
    (seen,) = server.seen
    assert (seen["method"], seen["path"]) == (method, "/hook?a=b%20c")
    assert json.loads(seen["body"]) == {"event": "PreToolUse", "text": "ä😀"}
    assert (seen["headers"]["X-Team"], seen["headers"]["Content-Type"]) == ("core", "application/json")
    assert (raw.http_status, raw.value, raw.failed) == (200, {"Reject": {"reason": "no"}}, False)
    assert raw.stdout == '{"Reject": {"reason": "no"}}\n'
    assert raw.timings.run > 0


@pytest.mark.parametrize("body", [b"", b"fine, go on", b"\xff\xfe"])
def test_an_answer_that_is_no_json_is_text_without_a_value(
    server: Server, tmp_path: Path, body: bytes
) -> None:
    server.body = body
    raw = post(tmp_path, server.url)
    assert (raw.http_status, raw.value, raw.stdout) == (200, None, body.decode("utf-8", "replace"))


def test_a_status_outside_2xx_is_a_failure_with_code_and_phrase(server: Server, tmp_path: Path) -> None:
    server.status = 503
    raw = post(tmp_path, server.url)
    assert (raw.http_status, raw.stderr, raw.failed) == (503, "503 Service Unavailable", True)
    assert raw.launch_error == ""


def test_a_redirect_is_never_followed(server: Server, tmp_path: Path) -> None:
    server.status, server.headers = 302, (("Location", f"{server.url}/elsewhere"),)
    raw = post(tmp_path, f"{server.url}/first")
    assert [seen["path"] for seen in server.seen] == ["/first"]
    assert (raw.http_status, raw.failed, raw.notes) == (302, True, ("the redirect was not followed",))


def test_a_huge_answer_is_read_up_to_a_limit(server: Server, tmp_path: Path) -> None:
    server.body = b'"' + b"x" * (8 << 20) + b'"'
    raw = post(tmp_path, server.url)
    assert (len(raw.stdout), raw.truncated, raw.value) == (1 << 20, True, None)
    assert raw.notes == ("only the first 1048576 bytes of the answer were read",)


def test_a_server_silent_past_the_hooks_own_time_is_a_time_out(server: Server, tmp_path: Path) -> None:
    """The hook's time is shorter."""
    server.silent = threading.Event()
    raw = post(tmp_path, server.url, timeout_s=0.2)
    assert (raw.timed_out, raw.launch_error, raw.http_status) == (True, "", None)


def test_a_server_that_is_silent_past_the_http_limit_did_not_answer(server: Server, tmp_path: Path) -> None:
    """The HTTP limit is shorter."""
    server.silent = threading.Event()
    raw = post(tmp_path, server.url, timeout_s=60, http_timeout_s=0.2)
    assert (raw.timed_out, raw.http_status) == (False, None)
    assert raw.launch_error == "no answer within 0.2 s"


def test_a_dialects_limit_beyond_the_hooks_own_time_changes_nothing(server: Server, tmp_path: Path) -> None:
    server.silent = threading.Event()
    raw = post(tmp_path, server.url, timeout_s=0.2, http_timeout_s=30)
    assert (raw.timed_out, raw.launch_error) == (True, "")


def test_a_cancelled_hook_hangs_up(server: Server, tmp_path: Path) -> None:
    server.silent = threading.Event()
    action = Webhook(url=server.url)

    async def go() -> None:
        task = asyncio.create_task(run_webhook(action, hook(action), HandlerInput(), around_in(tmp_path)))
        async with asyncio.timeout(DEADLINE_S):
            while not server.seen:  # noqa: ASYNC110 - the server is in another thread
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())


def test_a_refused_connection_is_a_launch_error(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        raw = post(tmp_path, f"http://127.0.0.1:{port}/x")
    assert raw.launch_error == f"`127.0.0.1:{port}` refused the connection"
    assert raw.http_status is None


def test_a_name_that_does_not_exist_is_a_launch_error(tmp_path: Path) -> None:
    raw = post(tmp_path, "http://no-such-host.invalid/")
    assert raw.launch_error.startswith("the name `no-such-host.invalid` could not be resolved: ")


def end(connection: socket.socket) -> None:
    """Says no more and hears the rest: closed with something unread, the kernel would send a reset instead."""
    with connection:
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass


def test_a_server_that_hangs_up_is_a_launch_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def hang_up() -> None:
            connection, _ = listening.accept()
            end(connection)

        thread = threading.Thread(target=hang_up)
        thread.start()
        raw = post(tmp_path, f"http://127.0.0.1:{port}/")
        thread.join()
    assert raw.launch_error == f"`127.0.0.1:{port}` closed the connection without an answer"


def test_an_answer_that_is_not_http_is_a_launch_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def talk() -> None:
            connection, _ = listening.accept()
            connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
            end(connection)

        thread = threading.Thread(target=talk)
        thread.start()
        raw = post(tmp_path, f"http://127.0.0.1:{port}/")
        thread.join()
    assert raw.launch_error == f"`127.0.0.1:{port}` did not answer in HTTP"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://example.org/x", "the webhook's URL is of the kind `ftp:`; "),
        ("file:///etc/passwd", "the webhook's URL is of the kind `file:`; "),
        ("example.org/x", "the webhook's URL does not say how to reach it; "),
        ("http://", "the webhook's URL names no host; "),
        ("http://h:99999/", "the webhook's URL is wrong: "),
        ("http://[::1", "the webhook's URL is wrong: "),
    ],
)
def test_a_url_that_cannot_be_asked_is_a_launch_error(tmp_path: Path, url: str, words: str) -> None:
    assert post(tmp_path, url).launch_error.startswith(words)


def test_a_header_is_filled_from_the_environment_and_its_value_is_seen_nowhere(
    server: Server, tmp_path: Path
) -> None:
    """Not even when the server sends it back."""
    server.body = json.dumps({"echo": f"Bearer {CANARY}", "other": [CANARY]}).encode()
    server.status = 500
    headers = {"Authorization": "Bearer ${HOOK_API_KEY}", "X-Literal-Token": "literal-canary-77"}
    raw = post(tmp_path, f"{server.url}/{CANARY}?key={CANARY}", headers, {"HOOK_API_KEY": CANARY})
    sent = server.seen[0]["headers"]
    assert (sent["Authorization"], sent["X-Literal-Token"]) == (f"Bearer {CANARY}", "literal-canary-77")
    assert CANARY not in repr(raw)
    assert "literal-canary-77" not in repr(raw)
    assert raw.value == {"echo": "***", "other": ["***"]} or raw.value == {
        "echo": "Bearer ***",
        "other": ["***"],
    }


def test_a_header_of_no_secret_name_leaves_the_answer_as_it_is(server: Server, tmp_path: Path) -> None:
    server.body = b'{"reason": "ask alice-smith about keyboards"}'
    raw = post(tmp_path, server.url, {"X-Author": "alice-smith", "X-Keyboard": "keyboards"})
    assert raw.value == {"reason": "ask alice-smith about keyboards"}


@pytest.mark.parametrize("env", [{}, {"HOOK_API_KEY": " "}])
def test_a_header_whose_variable_is_missing_sends_nothing_and_names_it(
    server: Server, tmp_path: Path, env: dict[str, str]
) -> None:
    raw = post(tmp_path, server.url, {"Authorization": "Bearer ${HOOK_API_KEY}"}, env)
    assert raw.launch_error.startswith(
        "the header `Authorization` needs the variable `HOOK_API_KEY`, which is "
    )
    assert server.seen == []


def test_with_allowed_names_any_other_variable_is_empty_and_told(server: Server, tmp_path: Path) -> None:
    env = {"MINE": "visible", "OTHER": CANARY}
    raw = post(tmp_path, server.url, {"X-A": "$MINE/${OTHER}/$OTHER."}, env, allowed_env=("MINE",))
    assert server.seen[0]["headers"]["X-A"] == "visible//."
    assert raw.notes == ("`OTHER` is empty in the header `X-A`: it is not an allowed name",) * 2


def test_line_breaks_in_a_variable_cannot_add_a_header(server: Server, tmp_path: Path) -> None:
    post(tmp_path, server.url, {"X-A": "${V}"}, {"V": "one\r\nX-Evil: yes\nmore"})
    assert server.seen[0]["headers"]["X-A"] == "oneX-Evil: yesmore"
    assert "X-Evil" not in server.seen[0]["headers"]


def test_headers_that_frame_the_request_are_left_out(server: Server, tmp_path: Path) -> None:
    raw = post(tmp_path, server.url, {"Content-Length": "3", "Transfer-Encoding": "chunked"})
    assert json.loads(server.seen[0]["body"])["event"] == "PreToolUse"
    assert len(raw.notes) == 2


def test_a_closed_address_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    raw = post(tmp_path, "http://169.254.169.254/latest/meta-data/")
    assert raw.launch_error.startswith("`169.254.169.254` is a link-local address")
    assert "HOOKLINE_WEBHOOK_ALLOW" in raw.launch_error


@pytest.mark.parametrize(
    "address",
    [
        "10.1.2.3", "172.31.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.0.192", "::", "fe80::1", "fe80::1%eth0",
        "fd00:ec2::254", "ff02::1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::10.0.0.1",
         "64:ff9b::a00:1", "2002:a00:1::1", "2001:0:1::1",
    ],
)  # fmt: skip
def test_addresses_inside_a_network_are_closed(address: str) -> None:
    """And so are IPv6 forms of them."""
    assert closed_reason(address)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "::1", "::ffff:127.0.0.1", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1"],
)
def test_loopback_and_public_addresses_are_open(address: str) -> None:
    assert closed_reason(address) == ""


def test_a_closed_address_opens_when_it_is_listed() -> None:
    assert closed_reason("10.0.0.5", ("10.0.0.0/16",)) == ""
    assert closed_reason("10.1.0.5", ("10.0.0.0/16", "host")) != ""
    assert closed_reason("::ffff:10.0.0.5", ("10.0.0.5",)) == ""
    assert is_allowed_host("API.corp.example.", ("*.corp.example",))
    assert not is_allowed_host("evilcorp.example", ("*.corp.example",))


@pytest.mark.parametrize("host", ["2886729729", "0xac100001", "0254.020.0.1"])
def test_an_address_in_disguise_is_seen_through(host: str) -> None:
    with pytest.raises(HandlerError, match="private address"):
        resolve(host, 80)


def test_a_name_with_one_closed_address_is_refused_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the address that was checked is the one that is used."""
    places = [(2, 1, 6, "", ("1.1.1.1", 80)), (2, 1, 6, "", ("10.0.0.1", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: places)
    with pytest.raises(HandlerError, match=r"`rebind.example` \(10.0.0.1\) is a private address"):
        resolve("rebind.example", 80)


def test_the_name_is_looked_up_once_so_that_it_cannot_change_its_mind(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = socket.getaddrinfo

    def once(host: str, *rest: Any, **named: Any) -> Any:
        if host == "flips.example":
            asked.append(host)
            host = "127.0.0.1" if len(asked) == 1 else "169.254.169.254"
        return real(host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", once)
    raw = post(tmp_path, f"http://flips.example:{server.server_port}/")
    assert (raw.http_status, asked) == (200, ["flips.example"])
    assert server.seen[0]["headers"]["Host"] == f"flips.example:{server.server_port}"


def test_the_environment_can_open_an_address(server: Server, tmp_path: Path) -> None:
    url = f"http://0.0.0.0:{server.server_port}/"
    assert "unspecified" in post(tmp_path, url).launch_error
    assert post(tmp_path, url, env={"HOOKLINE_WEBHOOK_ALLOW": "other, 0.0.0.0"}).http_status == 200
    assert post(tmp_path, url, allow_hosts=["0.0.0.0"]).http_status == 200


def test_a_proxy_gets_the_whole_url_and_its_own_password(server: Server, tmp_path: Path) -> None:
    proxy = f"http://user:pa%20ss@127.0.0.1:{server.server_port}"
    raw = post(tmp_path, "http://93.184.216.34/hook", env={"http_proxy": proxy})
    assert raw.http_status == 200
    assert server.seen[0]["path"] == "http://93.184.216.34/hook"
    assert server.seen[0]["headers"]["Host"] == "93.184.216.34"
    assert server.seen[0]["headers"]["Proxy-Authorization"] == "Basic dXNlcjpwYSBzcw=="


def test_a_closed_address_is_refused_by_way_of_a_proxy_too(server: Server, tmp_path: Path) -> None:
    raw = post(tmp_path, "http://10.0.0.1/", env={"http_proxy": server.url})
    assert raw.launch_error.startswith("`10.0.0.1` is a private address")
    assert server.seen == []


def test_the_proxy_variables_are_read_as_other_programs_read_them() -> None:
    env = {"HTTPS_PROXY": "p:3128", "no_proxy": "corp.example, .dev.example,9.9.9.9:8443"}
    proxy = proxy_for("https", "api.example", 443, env)
    assert proxy is not None
    assert (proxy.host, proxy.port) == ("p", 3128)
    for host, port in [("corp.example", 443), ("a.dev.example", 443), ("9.9.9.9", 8443), ("localhost", 443)]:
        assert proxy_for("https", host, port, env) is None
    assert proxy_for("http", "api.example", 80, env) is None
    assert proxy_for("https", "x", 1, {"ALL_PROXY": "h:1", "NO_PROXY": "*"}) is None
    with pytest.raises(HandlerError, match="`socks5`"):
        proxy_for("https", "x", 1, {"all_proxy": "socks5://h:1"})


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    path = tmp_path / "server.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", path, "-out", tmp_path / "cert.pem", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True,
    )  # fmt: skip
    path.write_text(path.read_text() + (tmp_path / "cert.pem").read_text())
    return path


def test_certificates_are_checked_by_name_and_authority(
    server: Server, certificate: Path, tmp_path: Path
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    port = server.server_port
    trusted = {"SSL_CERT_FILE": str(tmp_path / "cert.pem")}
    unknown = post(tmp_path, f"https://localhost:{port}/")
    assert unknown.launch_error.startswith(f"the certificate of `localhost:{port}` was refused: ")
    other_name = post(tmp_path, f"https://127.0.0.1:{port}/", env=trusted)
    assert "IP address mismatch" in other_name.launch_error
    assert post(tmp_path, f"https://localhost:{port}/", env=trusted).http_status == 200
    assert len(server.seen) == 1


def test_a_url_is_shown_without_login_query_and_token() -> None:
    """The URL itself may be the secret."""
    url = "https://u:p@hooks.example:8443/services/T024BE7LD0/abcdEFGH12345678?sig=1"
    assert shown_url(url) == "https://hooks.example:8443/services/T024BE7LD0/…?…"


def test_the_urls_own_login_is_sent_as_authorization(server: Server, tmp_path: Path) -> None:
    server.body = b'"Basic bWU6cHc="'
    raw = post(tmp_path, server.url.replace("http://", "http://me:pw@"))
    assert server.seen[0]["headers"]["Authorization"] == "Basic bWU6cHc="
    assert (raw.value, "me:pw" in repr(raw)) == ("***", False)
