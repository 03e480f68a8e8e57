const SHELLS = ["Bash", "shell_command"];

export default function (amp) {
  const place = Symbol.for(`hookline ${AGENT}`);
  if (globalThis[place] && globalThis[place] !== amp) return; // installed for the user and for the project
  globalThis[place] = amp;

  let going_on = false;
  const told = new Set();
  const notify = (ctx) => (words) => {
    if (told.has(words)) return;
    told.add(words);
    Promise.resolve(ctx?.ui?.notify?.(words)).catch(() => {}); // nobody listens
  };
  const tell = (name, event, ctx, payload = {}) =>
    asked(name, { session_id: event?.thread?.id ?? "default", ...payload }, process.cwd(), notify(ctx));
  const helped = (name, event) => {
    try {
      return amp.helpers?.[name]?.(event) ?? null;
    } catch {
      return null; // an older version
    }
  };
  const path_of = (uri) => {
    try {
      return amp.helpers?.filePathFromURI?.(uri) ?? String(uri);
    } catch {
      return String(uri);
    }
  };
  /** The call in words of ours: a shell line as one, and a patch of several files as one call for each. */
  const calls_of = (event) => {
    const input = event.input ?? {};
    const call = { tool_name: event.tool, tool_input: { ...input }, tool_use_id: event.toolUseID };
    const shell = helped("shellCommandFromToolCall", event);
    const line = shell?.command ?? (SHELLS.includes(event.tool) ? input.cmd ?? input.command : undefined);
    if (line !== undefined) {
      const { cmd, ...others } = input;
      const cwd = shell?.dir === undefined ? {} : { cwd: shell.dir };
      return [{ ...call, tool_name: "Bash", tool_input: { ...others, ...cwd, command: line } }];
    }
    const files = (helped("filesModifiedByToolCall", event) ?? []).map(path_of);
    return files.length ? files.map((path) => ({ ...call, tool_input: { ...input, path } })) : [call];
  };

  amp.on("session.start", async (event, ctx) => {
    going_on = false;
    await tell("session.start", event, ctx, { source: "startup" });
  });
  amp.on("agent.start", async (event, ctx) => {
    if (!going_on) await tell("agent.start", event, ctx, { prompt: event.message });
  });
  amp.on("tool.call", async (event, ctx) => {
    for (const call of calls_of(event)) {
      const said = await tell("tool.call", event, ctx, call);
      const agrees = async () =>
        Boolean(await ctx?.ui?.confirm?.({ title: `${event.tool}?`, message: said.reason, confirmButtonText: "Allow" }));
      const refused = said.denied || (said.asks && !(await agrees().catch(() => false)));
      if (refused) return { action: "reject-and-continue", message: said.reason };
    }
    return { action: "allow" };
  });
  amp.on("tool.result", async (event, ctx) => {
    if (event.status === "cancelled") return;
    const ended = event.status === "error" ? { error: as_text(event.error ?? "error") } : { tool_response: event.output };
    const name = event.status === "error" ? "tool.error" : "tool.result";
    for (const call of calls_of(event)) await tell(name, event, ctx, { ...call, ...ended });
  });
  amp.on("agent.end", async (event, ctx) => {
    if (event.status === "error") return void (await tell("agent.error", event, ctx, { error: "error" }));
    if (event.status !== "done") return;
    const said = await tell("agent.end", event, ctx, { stop_hook_active: going_on });
    going_on = Boolean(said.denied && !said.ended);
    if (going_on) return { action: "continue", userMessage: said.reason };
  });
}
