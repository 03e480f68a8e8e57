import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** Asks hookline about one event: `{answer}` as it was printed, or `{failure}` in words. Never throws, never hangs. */
async function ask(event, payload, cwd) {
  const began = performance.now();
  const given = JSON.stringify(payload);
  const folder = existing(cwd);
  const heard = await ask_resident(event, given, folder, began);
  if (heard.code !== undefined) return answer_of(heard);
  const waited = Math.round(performance.now() - began);
  // A resident that was asked is not asked again; the call counts as begun when it was.
  return ask_process(event, heard.asked ? ["--waited", `${waited}`] : [], given, folder, LIMIT_MS - waited);
}

/** The same by a process of hookline's own. */
function ask_process(event, options, payload, cwd, patience_ms) {
  return new Promise((resolve) => {
    let child;
    let size = 0;
    let complaint = "";
    const pieces = [];
    const timer = setTimeout(() => give_up(`there was no answer within ${LIMIT_MS / 1000} s`), patience_ms);
    const end = (result) => {
      clearTimeout(timer);
      resolve(result);
    };
    const give_up = (words) => {
      child?.kill("SIGTERM");
      setTimeout(() => child?.kill("SIGKILL"), 2000).unref?.();
      end({ failure: words });
    };
    try {
      child = spawn(LAUNCHER[0], [...LAUNCHER.slice(1), "bridge", AGENT, "--event", event, ...options], {
        cwd,
        stdio: ["pipe", "pipe", "pipe"],
      });
    } catch (error) {
      return end({ failure: error.message });
    }
    child.on("error", (error) => end({ failure: error.message }));
    child.stdin.on("error", () => {}); // it may leave without reading
    child.stdout.on("data", (piece) => {
      size += piece.length;
      size > MOST_OUTPUT ? give_up("its answer is too long") : pieces.push(piece);
    });
    child.stderr.on("data", (piece) => {
      if (complaint.length < 65536) complaint += piece;
    });
    child.on("close", (code, signal) => end(answer_of({ code: code ?? signal, out: String(Buffer.concat(pieces)), complaint })));
    child.stdin.end(payload);
  });
}

/** What was printed, read: `{answer}` or `{failure}`. `code` is the name of a signal where one ended it. */
function answer_of({ code, out, complaint }) {
  if (code === 2) return { answer: { decision: "block", reason: complaint.trim() } };
  if (code !== 0) return { failure: complaint.trim().split("\n").pop() || `it ended with ${code}` };
  try {
    return { answer: JSON.parse(out.trim() || "{}") };
  } catch {
    return { failure: "its answer is no JSON" };
  }
}

/** That folder by its own path, or `/` when it is gone. */
function existing(folder) {
  try {
    return realpathSync(folder);
  } catch {
    return "/";
  }
}

/** What an answer says. When there is none: a denial where hooks may be that could have objected. */
async function asked(event, payload, cwd, say) {
  const { answer, failure } = await ask(event, { session_id: "default", cwd, hook_event_name: event, ...payload }, cwd);
  if (failure !== undefined) {
    const denied = may_be_guarded(cwd);
    const words = `hookline could not be asked: ${failure}. \`hookline doctor\` says more.`;
    say(denied ? words : `${words} No hooks are known here, so nothing is held up.`);
    return { denied, reason: words };
  }
  const more = answer.hookSpecificOutput ?? {};
  if (answer.systemMessage) say(answer.systemMessage);
  return {
    denied: answer.decision === "block" || answer.continue === false,
    ended: answer.continue === false,
    asks: more.permissionDecision === "ask",
    reason: answer.reason || answer.stopReason || more.permissionDecisionReason || "blocked by a hook",
    input: more.updatedInput,
    prompt: more.prompt,
    context: more.additionalContext,
    output: more.updatedToolOutput,
    behavior: more.decision?.behavior,
    message: more.decision?.message,
  };
}

/** Whether hooks may be registered for work in that folder: config of some dialect is there, or around it. */
function may_be_guarded(folder) {
  const home = homedir();
  const config = process.env.XDG_CONFIG_HOME || join(home, ".config");
  const there = (pattern, workspace) =>
    existsSync(pattern.replace("{ws}", workspace).replace("{home}", home).replace("{config}", config));
  for (let workspace = folder; ; workspace = dirname(workspace)) {
    if (PLACES.some((pattern) => there(pattern, workspace))) return true;
    if (dirname(workspace) === workspace) return false;
  }
}

/** Says each thing once. */
function once(tell) {
  const said = new Set();
  return (words) => {
    if (said.has(words)) return;
    said.add(words);
    try {
      Promise.resolve(tell(words)).catch(() => {});
    } catch {} // nobody listens
  };
}

/** Puts other contents into an object that somebody else holds. */
function replace_in(held, contents) {
  for (const key of Object.keys(held)) if (!(key in contents)) delete held[key];
  Object.assign(held, contents);
}

function joined(...texts) {
  return texts.filter(Boolean).join("\n");
}

function as_text(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
