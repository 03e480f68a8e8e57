async function server(ctx) {
  const here = ctx.directory;
  const place = Symbol.for(`hookline ${AGENT} ${here}`);
  if (globalThis[place]) return {}; // installed for the user and for the project: once is enough
  globalThis[place] = true;

  const parents = new Map(); // subagent's session to the one that started it
  const kinds = new Map(); // subagent's session to what it is
  const starting = new Map();
  const calls = new Map();
  const going_on = new Set(); // sessions that a stop hook keeps going
  const ended_early = new Set(); // sessions whose next idle is no stop: they failed, or the user ended them
  const waiting = new Set();
  let servers = [];

  const say = once((words) => {
    console.error(`hookline: ${words}`);
    ctx.client.app?.log?.({ body: { service: "hookline", level: "warn", message: words } })?.catch?.(() => {});
    return ctx.client.tui?.showToast?.({ body: { title: "hookline", message: words, variant: "warning" } });
  });
  const whose = (session) => {
    let root = session;
    while (parents.has(root)) root = parents.get(root);
    return root === session
      ? { session_id: root }
      : { session_id: root, agent_id: session, agent_type: kinds.get(session) ?? "" };
  };
  const tell = (event, session, payload = {}) => {
    if (!EVENTS.includes(event)) return Promise.resolve({});
    const answer = asked(event, { ...whose(session), ...payload }, here, say);
    waiting.add(answer);
    return answer.finally(() => waiting.delete(answer));
  };
  const call_of = (tool, args) => {
    const found = servers
      .filter((name) => tool.startsWith(`${name}_`))
      .sort((a, b) => b.length - a.length)[0];
    const { patchText, ...others } = args ?? {};
    return {
      tool_name: found ? `mcp__${found}__${tool.slice(found.length + 1)}` : tool,
      tool_input: tool === "apply_patch" && patchText !== undefined ? { command: patchText, ...others } : { ...args },
    };
  };
  const rewrite = (tool, args, changed) => {
    if (tool !== "apply_patch" || args.patchText === undefined) return replace_in(args, changed);
    args.patchText = changed.command;
  };
  const stopped = async (session) => {
    const found = await ctx.client.session?.messages?.({ path: { id: session } }).catch(() => undefined);
    const last = (found?.data ?? []).filter((each) => each.info?.role === "assistant").pop();
    const text = joined(...(last?.parts ?? []).filter((part) => part.type === "text").map((part) => part.text));
    const stop_hook_active = going_on.delete(session);
    const said = await tell("session.idle", session, { stop_hook_active, last_assistant_message: text });
    if (!said.denied || said.ended) return;
    going_on.add(session);
    const body = { parts: [{ type: "text", text: said.reason }] };
    await (ctx.client.session.promptAsync ?? ctx.client.session.prompt).call(ctx.client.session, { path: { id: session }, body });
  };
  const permission = async (request) => {
    const known = calls.get(request.tool?.callID);
    const call = known ?? { tool_name: request.permission, tool_input: { patterns: request.patterns, ...request.metadata } };
    const said = await tell("permission.asked", request.sessionID, call);
    if (said.behavior !== "allow" && said.behavior !== "deny") return; // the user is asked
    const body = said.behavior === "allow" ? { reply: "once" } : { reply: "reject", message: said.message };
    const path = { requestID: request.id };
    const sent = await ctx.client._client
      ?.post({ url: "/permission/{requestID}/reply", path, body, headers: { "Content-Type": "application/json" } })
      .catch(() => undefined);
    if (sent?.data !== undefined && !sent.error) return;
    await ctx.client.postSessionIdPermissionsPermissionId({
      path: { id: request.sessionID, permissionID: request.id },
      body: { response: body.reply },
    });
  };
  const seen = {
    "session.created": ({ info }) => {
      if (info.parentID) {
        parents.set(info.id, info.parentID);
        kinds.set(info.id, info.agent ?? "");
        return tell("subagent.created", info.id);
      }
      const begun = tell("session.created", info.id, { source: "startup" });
      starting.set(info.id, begun);
      return begun;
    },
    "session.idle": ({ sessionID }) => {
      if (ended_early.delete(sessionID)) return;
      return parents.has(sessionID) ? tell("subagent.idle", sessionID) : stopped(sessionID);
    },
    "session.error": ({ sessionID, error }) => {
      if (!sessionID) return;
      ended_early.add(sessionID);
      if (error?.name !== "MessageAbortedError") return tell("session.error", sessionID, { error: error?.name ?? "" });
    },
    "session.compacted": ({ sessionID }) => tell("session.compacted", sessionID, { trigger: "auto" }),
    "permission.asked": permission,
    "permission.replied": ({ sessionID, reply }) =>
      reply === "reject" ? tell("permission.replied", sessionID, { tool_name: "", tool_input: {} }) : undefined,
  };

  return {
    config: async (config) => {
      servers = Object.keys(config.mcp ?? {}).map((name) => name.replace(/[^a-zA-Z0-9_-]/g, "_"));
    },
    event: async ({ event }) => {
      try {
        await seen[event.type]?.(event.properties);
      } catch (error) {
        say(`${event.type}: ${error.message}`);
      }
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID;
      if (parents.has(session) || going_on.has(session)) return; // nobody has spoken
      ended_early.delete(session);
      await starting.get(session);
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic);
      const said = await tell("chat.message", session, { prompt: joined(...texts.map((part) => part.text)) });
      if (said.denied) {
        say(said.reason);
        throw new Error(said.reason);
      }
      if (said.prompt !== undefined && texts.length) {
        texts[0].text = said.prompt;
        for (const part of texts.slice(1)) output.parts.splice(output.parts.indexOf(part), 1);
      }
      if (said.context) {
        const last = output.parts[output.parts.length - 1];
        const id = last?.id ? `${last.id}h` : `prt_${Date.now().toString(36)}`;
        const where = { sessionID: session, messageID: output.message.id };
        output.parts.push({ id, ...where, type: "text", text: said.context, synthetic: true });
      }
    },
    "tool.execute.before": async (input, output) => {
      const call = call_of(input.tool, output.args);
      calls.set(input.callID, call);
      const said = await tell("tool.execute.before", input.sessionID, { ...call, tool_use_id: input.callID });
      if (said.ended) await ctx.client.session?.abort?.({ path: { id: input.sessionID } }).catch(() => {});
      if (said.denied) throw new Error(said.reason);
      if (said.input) rewrite(input.tool, output.args, said.input);
    },
    "tool.execute.after": async (input, output) => {
      calls.delete(input.callID);
      const tool_response = output.content ? { content: output.content } : { ...output };
      const said = await tell("tool.execute.after", input.sessionID, {
        ...call_of(input.tool, input.args),
        tool_use_id: input.callID,
        tool_response,
      });
      const more = joined(said.denied && said.reason, said.context);
      if (Array.isArray(output.content)) {
        if (said.output !== undefined) output.content = [{ type: "text", text: as_text(said.output) }];
        if (more) output.content.push({ type: "text", text: more });
      } else {
        if (said.output !== undefined) output.output = as_text(said.output);
        if (more) output.output = joined(output.output, more);
      }
      if (said.ended) await ctx.client.session?.abort?.({ path: { id: input.sessionID } }).catch(() => {});
    },
    "experimental.session.compacting": async (input, output) => {
      const said = await tell("experimental.session.compacting", input.sessionID, { trigger: "auto" });
      if (said.context) output.context.push(said.context);
    },
    dispose: async () => {
      await Promise.allSettled([...waiting]);
      await Promise.allSettled([...starting.keys()].map((session) => tell("dispose", session, { reason: "other" })));
      delete globalThis[place];
    },
  };
}

export default { id: "hookline", server };
