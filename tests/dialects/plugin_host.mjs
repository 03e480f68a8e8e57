// Stands in for an agent that loads plugins: runs the steps on stdin, and prints what came of each.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , agent, file] = process.argv;
const { directory, steps } = JSON.parse(readFileSync(0, "utf8"));
const calls = [];
const record = (name, answer) => async (given) => {
  calls.push({ name, ...(given && JSON.parse(JSON.stringify(given))) });
  return answer;
};

const hosts = {
  opencode: async (module) => {
    const client = {
      app: { log: record("log") },
      tui: { showToast: record("toast") },
      session: {
        messages: record("messages", { data: [{ info: { role: "assistant" }, parts: [{ type: "text", text: "Done." }] }] }),
        promptAsync: record("prompt"),
        abort: record("abort"),
      },
      _client: { post: record("post", { data: true }) },
      postSessionIdPermissionsPermissionId: record("reply"),
    };
    const load = () => module.default.server({ client, directory, worktree: directory });
    const hooks = await load();
    hooks.twice = async () => Object.keys(await load());
    return async (name, [input, output]) => {
      const returned = await hooks[name](input, output);
      return name === "twice" ? returned : output;
    };
  },
  pi: async (module) => {
    const handlers = {};
    module.default({ on: (name, handler) => ((handlers[name] ??= []).push(handler)) });
    const ctx = {
      cwd: directory,
      hasUI: true,
      ui: { notify: (message, type) => void calls.push({ name: "notify", message, type }), confirm: record("confirm", false) },
      sessionManager: { getSessionId: () => "s1", getSessionFile: () => "/s1.jsonl" },
    };
    return async (name, [event, more]) => {
      const answers = [];
      for (const handler of handlers[name] ?? []) answers.push(await handler({ type: name, ...event }, { ...ctx, ...more }));
      return { event, answers };
    };
  },
};

hosts.amp = async (module) => {
  const handlers = {};
  const helpers = {
    shellCommandFromToolCall: ({ input }) => (input.cmd ? { command: input.cmd, dir: input.cwd } : null),
    filesModifiedByToolCall: ({ input }) => input.files?.map((file) => new URL(`file://${file}`)) ?? null,
    filePathFromURI: (uri) => uri.pathname,
  };
  module.default({ on: (name, handler) => ((handlers[name] ??= []).push(handler)), helpers });
  const ui = { notify: async (message) => void calls.push({ name: "notify", message }), confirm: record("confirm", true) };
  return async (name, [event, ctx]) => (await handlers[name][0]({ thread: { id: "T-1" }, ...event }, { ui, ...ctx })) ?? null;
};

const run = await hosts[agent](await import(pathToFileURL(file)));
const results = [];
for (const [name, ...given] of steps) {
  try {
    results.push(await run(name, given));
  } catch (error) {
    results.push({ threw: error.message });
  }
}
console.log(JSON.stringify({ results, calls }));
