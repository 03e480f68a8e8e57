"""What a browser is shown that comes without the token: where it is found, and a field for it."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from starlette.responses import HTMLResponse

STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:38rem;margin:12vh auto;"
    "padding:0 16px}input,button{font:inherit;padding:6px 10px}input{width:100%;box-sizing:border-box;"
    "margin:4px 0 10px}code{overflow-wrap:anywhere}"
)
POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PAGE = f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>hookline wants its token</title><style>{STYLE}</style></head>
<body><main>
<h1>This page wants its token</h1>
<p>Only who started the server may use it. The terminal where it runs shows a line
<code>open http://…/?token=…</code>: open that address. A server that was started anew has a new token,
unless one was given with <code>--token-file</code>, <code>--token</code> or <code>HOOKLINE_TOKEN</code>.</p>
<form method="get" action="/">
<label for="token">Or put the token here</label>
<input id="token" name="token" type="password" autocomplete="off" required autofocus>
<button>Open</button>
</form>
</main></body></html>
"""


def locked_page() -> HTMLResponse:
    """401, with the way in; nothing of the workspace is in it."""
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store", "WWW-Authenticate": "Bearer"}
    return HTMLResponse(PAGE, 401, headers)
