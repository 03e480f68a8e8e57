"""JavaScript, Perl, Ruby, PHP and the like: calls by their names, with the strings that stand in them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.shell.code.environment import with_places, with_variables
from hookline.shell.code.pieces import OF_CODE, argv, code, lost, of_any_language, opaque, unescaped
from hookline.shell.code.script_calls import (
    COPIES,
    MARK,
    OPENS,
    READS,
    SHELL_NAMED,
    WRITES,
    call,
    command_of,
    in_folders,
    is_bare_shell,
    word_of,
)
from hookline.shell.code.script_expressions import JAVASCRIPT
from hookline.shell.code.script_values import with_values
from hookline.shell.reading import Argv, Hole, Inner, Word
from hookline.system.patterns.late import late

_STRING = late(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`((?:[^`\\]|\\.)*)`", re.DOTALL)
# A method that a text names: `fs["rmSync"](`, `File.send(:unlink, `, `call_user_func("unlink", `.
_SELECTED = late(
    r"(?:(?P<before>)(?:\[\s*['\"](?=\w+['\"]\s*\]\s*\()|\b(?:call_user_func(?:_array)?|array_(?:map|walk))\(\s*['\"](?=\w+['\"]\s*,)"
    r"|\b(?:public_)?send[ (]\s*(?::|['\"])(?=\w+['\"]?\s*,)|\bmethod\(:(?=\w+\)\.call\())"
    r"(?P<name>\w+))(?:['\"]\s*\]\s*\(|['\"]?\s*,\s*|\)\.call\()",
    needs=("[", "call_user_func", "array_", "send", "method(:"),
)
_RUNS = late(
    r"(?P<name>(?:\b(?:(?:system|exec)\s*+\{[^{}]*+\}|system2?|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?|fork|p?open[23]|popen|Popen|capture[23e]*"
    r"|shell_exec|passthru|proc_open|pcntl_exec|os\.execute|do\s+(?:shell\s+)?script|shell-command(?:-to-string)?"
    r"|call-process|doShellScript|qx|execa(?:Command)?(?:Sync)?|cross-spawn['\"]\)(?:\.sync)?|Deno\.Command|System\.(?:cmd|shell)|os[.:]cmd|(?:uiop:)?run-program|exec\.Command|Sys\.command|callCommand|callProcess"
    r"|ProcessBuilder|readProcess|gorge|staticExec|exec(?:ShellCmd|Cmd)|Process\.(?:start|run|Start)|shell|run)|%x|\$))"
    r"(?!\s*\(\s*['\"`](?i:select|insert\s+into|update|delete\s+from|create|alter|drop|pragma)\s[^;&|`$\\'\"]*+;?['\"`])"
    r"(?!\s[^'\"`\n]{0,200}(?:[\w./-]{3}|[\w./=!?)-](?<![bfqrux]))['\"`])"  # words of a text: `'npm run lint'`
    r"(?!\s*[}=,;:)])\s*(?P<open>[(\s{\[`'\"!/|])",
    needs=(
        "ystem", "xec", "spawn", "fork", "open", "capture", "passthru", "script", "hell", "call-process", "qx",
        "Deno.Command", "cmd", "run", "command", "callCommand", "Process", "gorge", "%x", "$",
    ),
)  # fmt: skip
MOST_BLOCKS, MOST_LETTERS, MOST_LOOPED = 300, 400_000, 100_000
_BLOCKS = late(
    r"(?:\bqx|%x)\s*(?:\(([^)]*)\)|\{([^}]*)\}|\[([^\]]*)\]|<([^>]*)>|\|([^|]*)\||!([^!]*)!|/([^/]*)/)",
    needs=("qx", "%x"),
)
_SENT = late(r"([\"'])((?:[^\"'\\]|\\.)*)\1\s*\.\s*(?:execute\s*\(|!)", needs=("execute", "!"))
_SENT_LIST = late(r"\[([^\[\]]*)\]\s*\.\s*(?:execute\s*\(|!)", needs=("execute", "!"))
# `p.launchPath = "/bin/sh"; p.arguments = ["-c", "x"]`
_LAUNCHED = late(
    r"\b(?:launchPath|executableURL)\s*=[^\"\n;]{0,60}\"([^\"\n]+)\"[^=]{0,80}\barguments\s*=\s*\[([^\[\]]*)\]",
    needs=("launchPath", "executableURL"),
)
_ONLY_RUN = ("system", "shell_exec", "passthru", "popen", "proc_open", "execSync", "spawnSync", "os.execute")
_BACKTICKS = late(r"`((?:[^`\\]|\\.)+)`", needs=("`",))
_CALL = late(
    r"\b(?P<name>(?:File|Directory)\.Delete|remove(?:Dir|File)|unlink(?:Sync)?|rm(?:Sync|dir(?:Sync)?|_rf|_r|_f|tree)?|delete(?:Sync|Async)|remove(?:Sync|_tree|_dir|_entry(?:_secure)?)?|emptyDir(?:Sync)?"
    r"|File\.(?:delete|unlink|write|open|rename|chmod|symlink)|(?:File|IO)\.(?:bin)?(?:write|read(?:lines)?|foreach)|delete(?:-file|-directory(?:-tree)?|-tree)|insert-file-contents"
    r"|file\.(?:remove|rename|copy|create|append)|(?:(?<![.>$])file|io\.lines|each_?line|read(?:lines?|Lines|RDS|\.csv|_lines)?)(?=\()|writeLines|sink|sysopen"
    r"|(?:write|append|copy|read|truncate|output)(?:Text)?File(?:Sync)?|Bun\.(?:file|write)|create(?:Write|Read)Stream|cp(?:Sync|_r)?|mv"
    r"|rename(?:Sync)?|(?:copy|move|remove|create)Item|copy|move|file_(?:put|get)_contents|readfile|highlight_file|show_source|parse_ini_file|fopen|open(?:Sync)?|truncate(?:Sync)?|symlink(?:Sync)?"
    r"|link(?:Sync)?|chmod(?:Sync)?|chown(?:Sync)?|touch|mkdir|fetch|https?\.(?:get|request)"
    r"|os\.(?:Remove(?:All)?|Rename|WriteFile|Create|Truncate|ReadFile|Open(?:File)?)|IO\.copy_stream|download"
    r"|(?:java\.(?:io|nio\.file)\.)?(?:File(?:Reader|Writer|InputStream|OutputStream)|PrintWriter|Files\.(?:read\w+|write\w*|delete\w*))"
    r"|fs::(?:remove_(?:file|dir|dir_all)|rename|copy|write|read|read_to_string)"
    r"|(?:post|put|patch)(?=\(\s*['\"]https?:)|axios(?:\.\w+)?|curl_init|Net::HTTP\.\w+|URI\.open|LWP::Simple::\w+|getstore|getprint|net\.connect)"
    r"!?\s*(?P<open>[(\s])",
    needs=(
        "rm", "elete", "emove", "move", "link", "emptyDir", "File", "file", "IO.", "line", "read", "write", "Writer",
        "sink", "pen", "append", "copy", "runcate", "put", "Bun.", "reate", "cp", "mv", "ename", "highlight",
        "show_source", "parse_ini", "chmod", "chown", "touch", "mkdir", "fetch", "http", "HTTP", "download",
        "post", "patch", "axios", "curl_init", "URI.", "LWP", "get", "connect",
    ),
)  # fmt: skip
# `new File("x").delete()`, `Pathname.new("x").read`
_METHOD = late(
    r"\b(?:File|Pathname(?:\.new)?|Path(?:\.of|s\.get)?)\(\s*(['\"])([^'\"\n]+)\1\s*\)\s*\.\s*"
    r"(?P<name>(?P<rm>delete\w*|unlink|rmtree)|(?P<w>(?:write|append|set)\w*)|text|bytes|(?:read|get|each)\w*)",
    needs=("File", "Path"),
)
# Names of files that a script looks up; each such call is read as a text with a mark before it.
_LOOKED_UP = late(
    r"\b(?P<name>(?:bsd_)?glob(?:Sync|by)?|Dir(?:\.(?:glob|children|each_child|entries|foreach|new|each))?|scandir"
    r"|readdir(?:Sync)?|opendir(?:\s*+(?:\(\s*+)?(?:my\b\s*+)?[$(]?\w++\)?\s*,)?|Find\.find|lfs\.dir"
    r"|(?:Recursive)?DirectoryIterator|FilesystemIterator|Deno\.readDir(?:Sync)?|walk(?:Sync)?"
    r"|find(?:depth)?\s*+(?:\(\s*+)?(?:sub\s*\{[^{}]*\}|\\&\w+)\s*,)"
    r"\s*+(?:[(\[]\s*+)?(?P<quote>[\"'`])(?P<place>(?:(?!(?P=quote))[^\\\n])*)(?P=quote)",
    needs=("glob", "Dir", "scandir", "readdir", "opendir", "find", "lfs.dir", "Iterator", "walk"),
)
_PERL_GLOB = late(r"<((?:~/|[\w./-]*[*?])[\w./*?~-]*)>", needs=("<",))
_LISTED = late(r"[\"'`](?:ls|find)\s+(?:-\S+\s+)*([\w./~*-]+)", needs=("ls", "find"))
_QW = late(
    r"(?:\bqw|%w)\s*(?:\(([^()']*)\)|\{([^{}']*)\}|\[([^\[\]']*)\]|<([^<>']*)>|/([^/']*)/)",
    needs=("qw", "%w"),
)
_DELETED = late(
    r"\bfetch\s*\(\s*(['\"`])([^'\"`]+)\1\s*,[^()]{0,200}\bmethod\s*:\s*['\"`]DELETE\b", needs=("DELETE",)
)
_ASKED = late(
    r"(?:\.|->|::)\s*(?:query|execute\w*|raw|unsafe|\$\w+Unsafe|prepare|statement|unprepared"
    r"|(?:exec|do|run)(?=\s*\(\s*['\"`]\s*(?i:drop|truncate|delete|update|alter)\b))\s*(?P<open>\()\s*['\"`]",
    needs=("query", "exec", "raw", "nsafe", "prepare", "statement", "unprepared", "do", "run"),
)
_EVALUATES = late(
    r"\b(?:eval|loadstring)\b|\bload\s*\((?=[^\n]{0,300}\)\s*\()|\bnew\s+Function\b|\bvm\.run|\b(?:instance|class)_eval\b",
    needs=("eval", "load", "Function", "vm.run"),
)
_DECODED = late(
    r"(?:\batob|\bbase64_decode|\bdecode_base64|\bBase64\.(?:strict_|urlsafe_)?decode64|\bBuffer\.from)\s*\(?\s*"
    r"(?P<quote>['\"])(?P<text>[\w+/=-]{4,})(?P=quote)(?:\s*,\s*['\"]base64['\"])?\s*\)?(?:\.toString\([^()]*\))?"
)
_DECODES = late(
    r"\b(?:atob|base64_decode|decode_base64|decode64|str_rot13|gzinflate)\b|['\"]base64['\"]|\b(?:un)?pack1?\s*\(\s*['\"][HhmuU]",
    needs=("atob", "base64", "decode64", "str_rot13", "gzinflate", "pack"),
)
# A module that is its own address, read as one more text that is decoded: `data:text/javascript,…`.
_ADDRESSED = late(r"\bdata:\w*/[\w+.=-]*(?:;[\w=-]+)*?(?:;base64,([\w+/=-]{4,})|,(?=[^'\"`\s]*%))")
_FETCHES = late(
    r"\bfetch\s*\(|https?://|[\"'`(\[{<\s](?:curl|wget)[\s\"']|\bURI\.open|\bNet::HTTP|\bLWP\b|\bcurl_exec\b"
)
_COMES_IN = late(r"\.on\(\s*['\"]data['\"]|\.(?:text|body)\b")
_IMPORTED = late(r"\b(?:import|from|importScripts)\s*\(?\s*(['\"`])(https?://[^'\"`\s]+)\1", needs=("http",))
_CONNECTS_RAW = late(
    r"\bTCPSocket\b|\bfsockopen\b|\bIO::Socket|\bsocket\b|\bnet['\"]?\)?\.(?:connect|Socket|createConnection)|require\(['\"](?:node:)?net['\"]\)|\bsockaddr_in\b",
    needs=("ocket", "fsockopen", "net", "sockaddr"),
)
_RUNS_NAMED = late(r"\b(?:popen[23e]?|exec|system|spawn)\s*\(?\s*(?:[$]?[a-z]\w*\s*[,)\]]|\$_\b)")
_KILLS = late(
    r"\b(?:process\.kill|Process\.kill|posix_kill|Deno\.kill|syscall\.Kill)\s*\((?![^()]*,\s*0\s*\))"
    r"|(?<![\w.$@%])kill\s*\(?\s*(?:['\"][A-Z]+['\"]|-?[1-9]\d*|[A-Z]+\s*=)\s*[,>]",
    needs=("kill", "Kill"),
)
_PROMISED = late(
    r"\bpromisify\(\s*(?:require\(['\"][\w:]+['\"]\)\.|\w+\.)?(exec(?:File)?)\s*\)", needs=("promisify",)
)
_KILLS_ALL = late(
    r"\bkill\s*+\(?\s*+(?:-1\b|(?:['\"]?\w++['\"]?|-\d++)\s*+(?:,|=>)\s*+-1\b)", needs=("kill",)
)
_PERL_FILES = late(
    r"@ARGV\b[^=;\n]{0,20}=\s*+(\(?['\"][^;\n]*+)", needs=("@ARGV",)
)  # `@ARGV = "x"; print while <>`
_INTERPOLATED = late(r"#\{[^{}\n]*+\}", needs=("#{",))  # to a shell `#{x}` begins a comment
_RENAMED = late(
    r"[{,]\s*(?P<called>[A-Za-z]\w{1,40})\s*(?::|\bas\b)\s*(?P<as>[A-Za-z_$]\w{0,40})(?=\s*[,}])",
    needs=(":", "as"),
)
_BOUND_CALL = late(
    r"\b(?:const|let|var)\s+(?P<as>[A-Za-z_$]\w{0,40})\s*=\s*[^;,=\n]{1,80}\.(?P<called>[A-Za-z]\w{1,20})\s*(?=[;,\n])",
    needs=("const", "let", "var"),
)
_DELETER = late(
    r"\b(?:unlink(?:Sync)?|rmSync|rmdir(?:Sync)?|rm_rf|rm_r|rm_f|rmtree|remove_tree|removeSync|rimraf(?:\.sync)?"
    r"|(?:File|Dir|FileUtils|fs|fsp|fse|promises|os|Deno)\.(?:unlink|rm|remove|delete|rmdir)(?:Sync)?|os\.Remove(?:All)?|fs::remove_\w+)\b"
    r"|[&(]:(?:delete|unlink|rmtree)\b|method\(:(?:delete|unlink|rm_rf?)\)",
    needs=("unlink", "rm", "remove", "Remove", "rimraf", "delete"),
)
_RIMRAF = late(
    r"(?:\brequire\(\s*['\"](?:rimraf|del|trash)['\"]\s*\)|\brimraf)(?:\.sync|Sync)?\(",
    needs=("rimraf", "require"),
)
_GIT = late(r"\.(push|reset|clean|checkout|branch|stash|raw)\s*(\()")
_BARE_NAME = late(r"[(\s]\s*[$@]?[A-Za-z_]\w*\s*,")
_CALLED = late(r"(?<![\w.$])[A-Za-z_$][\w$]*(?=\s*\()")


def commands_of_script(text: str, how: str) -> Iterator[Inner]:
    """What the calls of a script do; the rest is opaque."""
    text = _QW.sub(
        lambda found: f"({', '.join(repr(word) for word in (found[found.lastindex or 0]).split())})", text
    )
    text = _plainly(_decoded(text))
    if (
        "child_process" in text
        and _COMES_IN.search(text)
        and _RUNS_NAMED.search(text)
        and _FETCHES.search(text)
    ):
        yield lost(how)  # what is fetched, under a name that begins as an empty text
    letters = 0
    seen: dict[Inner, None] = {}
    for each in with_values(text):
        letters += len(each or "")
        if each is None or letters > len(text) + MOST_LOOPED:
            yield lost(how)
            break
        each = _INTERPOLATED.sub(OF_CODE, _plainly(each))
        seen |= dict.fromkeys(with_variables(in_folders(each, lambda piece: _commands(piece, how)), each))
    yield from seen


def _plainly(text: str) -> str:
    """With calls by their own names, and paths that are one text."""
    text = _PROMISED.sub(r"child_process.\1", text)
    return with_places(_with_names(_RIMRAF.sub("rmSync(", _SELECTED.sub(r"\g<before>\g<name>(", text))))


def _commands(text: str, how: str) -> Iterator[Inner]:
    if text.count("qx") + text.count("%x") > MOST_BLOCKS:  # each looks for its end
        yield lost(how)
        return
    letters = 0
    for found in _RUNS.finditer(text):
        around = text[max(0, found.start() - 1) : found.start()] + found["open"]
        if around in ("''", '""', "``", '/"', "/'"):
            continue  # a text, or the end of one: `"os/exec"`
        arguments = _arguments(text, found.end() - 1)
        letters += len(arguments)
        if letters > MOST_LETTERS:  # calls in calls, or brackets that stay open
            yield lost(how)
            return
        strings = _strings(arguments)
        if strings and is_bare_shell(strings[0]) and (len(strings) == 1 or "input" in arguments):
            yield code(strings[1], how) if strings[1:] else lost(how)  # what it is told, it runs
        else:
            yield from _run(strings, how, found["name"])
    for found in _BLOCKS.finditer(text):
        yield code(unescaped(found[found.lastindex or 0]), how)
    for found in _SENT.finditer(text):
        yield code(unescaped(found[2]), how)
    for found in _LAUNCHED.finditer(text):
        yield argv(how, unescaped(found[1]), *_strings(found[2]))
    for found in _SENT_LIST.finditer(text):
        yield argv(how, *_strings(found[1]))
    if not JAVASCRIPT.search(text):
        for found in _BACKTICKS.finditer(text):
            yield code(unescaped(found[1]), how)
    for found in _ASKED.finditer(text):
        yield argv(how, "psql", "-c", *_strings(_arguments(text, found.end() - 1))[:1])
    for found in _GIT.finditer(text) if "simple-git" in text or "simpleGit" in text else ():
        verb = () if found[1] == "raw" else (found[1],)
        yield argv(how, "git", *verb, *_strings(_arguments(text, found.start(2))))
    yield from of_any_language(text, how)
    for found in _DELETED.finditer(text):
        yield argv(how, "curl", "-X", "DELETE", unescaped(found[2]))
    for found in _IMPORTED.finditer(text):
        yield argv(how, "deno", "run", found[2])
    if _EVALUATES.search(text) and (_FETCHES.search(text) or _DECODES.search(text)):
        yield lost(how)
    if _CONNECTS_RAW.search(text) and (SHELL_NAMED.search(text) or _RUNS_NAMED.search(text)):
        yield argv(how, "ncat", "-e", "sh")
    if _KILLS_ALL.search(text):
        yield argv(how, "kill", "-9", "-1")
    for found in _PERL_FILES.finditer(text):
        yield from (argv(how, "python:read", name) for name in _strings(found[1]))
    if _KILLS.search(text):
        yield argv(how, "python:kill")
    listed = _LISTED.findall(text)
    text = _PERL_GLOB.sub(rf'"{MARK}\1"', _LOOKED_UP.sub(_looked_up, text))
    for found in _METHOD.finditer(text):
        words = ("rm", "-rf") if found["rm"] else ("python:write" if found["w"] else "python:read",)
        yield command_of(how, *words, unescaped(found[2]))
    for found in _CALL.finditer(text):
        given = _arguments(text, found.end() - 1)
        strings = _strings(given)
        if strings and not (
            _BARE_NAME.match(given) and not found["name"].startswith((*COPIES, *OPENS, "IO.copy"))
        ):
            yield from call(found["name"], strings, how)
        elif found["name"].startswith(WRITES):
            yield from _to_files(("python:write",), text, listed, how)
        elif found["name"].startswith(READS) and MARK in text:
            yield from _to_files(("python:read",), text, listed, how)
    if any(not _strings(_behind(text, found.end())) for found in _DELETER.finditer(text)):
        yield from _to_files(("rm", "-rf"), text, listed, how)
    yield opaque(how)


def _decoded(text: str) -> str:
    """With what base64 hides in the place of it; and once more at the end, for where that is code of its own."""
    hidden: list[str] = []
    for found in _ADDRESSED.finditer(text) if "data:" in text else ():
        if found[1] is None:
            from urllib.parse import unquote

            return unquote(text)
        text += f"\natob('{found[1]}')"

    def shown(found: re.Match[str]) -> str:
        from base64 import urlsafe_b64decode

        plain = found["text"].replace("+", "-").replace("/", "_").rstrip("=")
        try:
            hidden.append(urlsafe_b64decode(plain + "=" * (-len(plain) % 4)).decode())
        except ValueError:
            return found[0]
        return '"' + hidden[-1].replace("\\", "\\\\").replace('"', '\\"') + '"'

    return "\n".join((_DECODED.sub(shown, text), *hidden)) if _DECODES.search(text) else text


def _with_names(text: str) -> str:
    """With the names of calls in the place of others that they were given: `const {rmSync: r} = require("fs")`."""
    named = [(found["as"], found["called"]) for found in _RENAMED.finditer(text)]
    named += [(found["as"], found["called"]) for found in _BOUND_CALL.finditer(text)]
    called = dict(named)
    return _CALLED.sub(lambda found: called.get(found[0], found[0]), text) if called else text


def _looked_up(found: re.Match[str]) -> str:
    """A call that looks up names of files, as the pattern that these fit."""
    place = found["place"]
    folder = "glob" not in found["name"] and found["name"] != "Dir"
    before = found[0][: found.start("quote") - found.start()]
    return f'{before}"{MARK}{place.rstrip("/") + "/*" if folder else place}"'


def _behind(text: str, at: int) -> str:
    """What a name is called with; nothing where it is only handed on (`array_map("unlink", …)`)."""
    follows = text[at : at + 1]
    return _arguments(text, at) if follows in ("(", " ") else ""


def _to_files(words: tuple[str, ...], text: str, listed: list[str], how: str) -> Iterator[Inner]:
    """What is done to files that a variable names: those that the script looks up, or any."""
    places = [each for each in _strings(text) if each.startswith(MARK)] + [f"{MARK}{each}" for each in listed]
    unknown = Word((Hole("word", f"a value of the code of `{how}`", how),))
    for target in [word_of(each) for each in places] or [unknown]:
        yield Argv((*(Word((word,)) for word in words), target), how)


def _run(strings: list[str], how: str, name: str) -> Iterator[Inner]:
    if not strings:
        if name in _ONLY_RUN:
            yield lost(how)
        return
    first = " ".join(strings) if name == "Process.Start" else strings[0].strip()  # its second has all
    if " " in first or "\n" in first or len(strings) == 1:
        yield code(first, how)
    else:
        yield argv(how, *strings)


def _arguments(text: str, at: int) -> str:
    """From an opening bracket to its end; without one, to the end of the statement."""
    if text[at] not in "([{":
        end = min(
            (place for place in (text.find(mark, at + 1) for mark in ";\n}") if place >= 0), default=len(text)
        )
        return text[at : _past_strings(text, at, end)]
    depth, place = 0, at
    while place < len(text):
        letter = text[place]
        if letter in "'\"`":
            found = _STRING.match(text, place)
            place = found.end() if found is not None else place + 1
            continue
        depth += (letter in "([{") - (letter in ")]}")
        place += 1
        if depth == 0:
            break
    return text[at:place]


def _past_strings(text: str, at: int, end: int) -> int:
    """The end of a statement, not that of a string in it."""
    for found in _STRING.finditer(text, at):
        if found.start() >= end:
            break
        if found.end() > end:
            end = found.end()
    return end


def _strings(text: str) -> list[str]:
    """The strings of a piece of code; those that are joined to each other are one."""
    found: list[str] = []
    last = -1
    for each in _STRING.finditer(text):
        value = unescaped(next(group for group in each.groups() if group is not None))
        if last >= 0 and text[last : each.start()].strip() in ("+", "."):
            found[-1] += value
        else:
            found.append(value)
        last = each.end()
    return found
