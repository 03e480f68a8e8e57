"""What Python's own functions and methods, and those of well-known packages, do: tables for `python_code`."""

from __future__ import annotations

from collections.abc import Mapping

SHELLS = frozenset((
    "os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput",
    "asyncio.create_subprocess_shell", "popen2.popen2",
))  # fmt: skip
STARTS = frozenset((
    "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen",
    "pty.spawn", "asyncio.create_subprocess_exec", "sh.Command", "plumbum.local",
))  # fmt: skip
# What they read where they are told no file.
READ_UNNAMED: Mapping[str, str] = {"dotenv.dotenv_values": ".env", "netrc.netrc": "~/.netrc"}
# A call as the words of a command that does the same; its arguments stand behind them.
AS_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "os.remove": ("rm",), "os.unlink": ("rm",), "os.rmdir": ("rmdir",), "os.removedirs": ("rmdir", "-p"),
    "dbutils.fs.rm": ("rm", "-rf"), "shutil.rmtree": ("rm", "-rf"),
    "shutil.move": ("mv",), "os.rename": ("mv",), "os.replace": ("mv",),
    "os.renames": ("mv",), "shutil.copy": ("cp",), "shutil.copyfile": ("cp",), "shutil.copy2": ("cp",),
    "shutil.copytree": ("cp", "-r"), "shutil.copymode": ("cp",), "shutil.copystat": ("cp",),
    "os.symlink": ("ln", "-s"), "os.link": ("ln",), "os.mkdir": ("python:write",),
    "os.makedirs": ("python:write",), "os.chmod": ("python:mode",), "os.chown": ("python:write",),
    "os.truncate": ("truncate", "-s", "0"), "os.kill": ("python:kill",), "os.killpg": ("python:kill",),
    "urllib.request.urlopen": ("python:connect",), "urllib.request.urlretrieve": ("python:retrieve",),
    "urllib.urlopen": ("python:connect",), "http.client.HTTPSConnection": ("python:connect",),
    "http.client.HTTPConnection": ("python:connect",), "socket.create_connection": ("python:connect",),
    "os.setuid": ("setpriv", "--reuid"),
    "os.listdir": ("python:read",), "os.scandir": ("python:read",), "glob.glob": ("python:read",),
    "linecache.getlines": ("python:read",), "netrc.netrc": ("python:read",), "fileinput.input": ("python:read",),
    "urllib.request.Request": ("python:connect",), "ftplib.FTP": ("python:connect",),
    "dotenv.dotenv_values": ("python:read",), "runpy.run_path": ("python3",), "runpy.run_module": ("python3", "-m"),
    "smtplib.SMTP": ("python:connect",), "smtplib.SMTP_SSL": ("python:connect",),
}  # fmt: skip
METHODS: Mapping[str, tuple[str, ...]] = {
    "unlink": ("rm",), "rmdir": ("rmdir",), "write_text": ("python:write",), "write_bytes": ("python:write",),
    "touch": ("python:write",), "mkdir": ("python:write",), "chmod": ("python:mode",), "rename": ("mv",),
    "replace": ("mv",), "symlink_to": ("python:write",), "read_text": ("python:read",), "read_bytes": ("python:read",),
    "iterdir": ("python:read",),
}  # fmt: skip
MAKES_TEMPORARY = frozenset((
    "tempfile.mkdtemp", "tempfile.mktemp", "tempfile.TemporaryDirectory", "tempfile.NamedTemporaryFile",
))  # fmt: skip
WEB = ("requests.", "httpx.", "httpx2.", "aiohttp.", "urllib3.")
LISTS = frozenset(("glob.glob", "glob.iglob", "os.listdir", "os.scandir", "os.walk"))
OPENS = frozenset(("open", "io.open", "codecs.open", "os.open", "gzip.open", "os.fdopen", "io.FileIO"))
BLIND = frozenset(("exec", "eval", "compile", "__import__", "getattr", "runpy.run_path", "runpy.run_module"))
# What may be imported without anybody asking what it does.
PLAIN = frozenset((
    "os", "sys", "re", "json", "math", "time", "datetime", "string", "random", "itertools", "functools", "operator",
    "collections", "subprocess", "shutil", "pathlib", "io", "glob", "fnmatch", "base64", "hashlib", "hmac", "uuid",
    "csv", "tomllib", "typing", "types", "enum", "dataclasses", "textwrap", "difflib", "pprint", "statistics",
    "decimal", "fractions", "secrets", "struct", "binascii", "codecs", "platform", "locale", "urllib", "http", "socket",
    "ssl", "tempfile", "zipfile", "tarfile", "gzip", "logging", "argparse", "traceback", "warnings", "contextlib",
    "signal", "getpass", "importlib", "inspect", "ast", "sysconfig", "site", "sqlite3", "xml", "html", "email",
    "calendar", "copy", "heapq", "bisect", "array", "unicodedata", "stat", "errno", "shlex", "pty", "asyncio",
    "requests", "httpx", "yaml", "__future__", "builtins", "zlib", "configparser", "threading", "queue",
))  # fmt: skip
# What fetches a text, or unpacks a hidden one.
ELSEWHERE = frozenset((
    "urlopen", "get", "recv", "b64decode", "urlsafe_b64decode", "b32decode", "a85decode", "b85decode", "decompress",
    "unhexlify", "fromhex", "input", "check_output", "getoutput", "getstatusoutput", "popen", "Popen", "run",
))  # fmt: skip
