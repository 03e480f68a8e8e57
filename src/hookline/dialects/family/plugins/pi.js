export default function (pi) {
  const place = Symbol.for(`hookline ${AGENT}`);
  if (globalThis[place] && globalThis[place] !== pi) return; // installed for the user and for the project
  globalThis[place] = pi;

  let going_on = false;
  let waiting = ""; // what the model is to read with the next prompt

  const tell = (event, ctx, payload = {}) => {
    const session_id = ctx.sessionManager?.getSessionId?.() ?? "default";
    const transcript_path = ctx.sessionManager?.getSessionFile?.() ?? "";
    return asked(event, { session_id, transcript_path, ...payload }, ctx.cwd, (words) => notify(ctx, words));
  };
  const said_before = new Set();
  const notify = (ctx, words) => {
    if (said_before.has(words)) return;
    said_before.add(words);
    ctx.hasUI ? ctx.ui.notify(words, "warning") : console.error(`hookline: ${words}`);
  };
  const call_of = (tool, input) => {
    const { edits, ...others } = input ?? {};
    if (!Array.isArray(edits)) return { tool_name: tool, tool_input: { ...input } };
    const texts = (name) => edits.map((edit) => edit?.[name] ?? "").join("\n");
    const together = { oldText: texts("oldText"), newText: texts("newText") };
    return { tool_name: tool, tool_input: { ...others, ...together, ...(edits.length > 1 ? { edits } : {}) } };
  };
  const rewrite = (input, changed) => {
    if (!Array.isArray(input.edits)) return replace_in(input, changed);
    if (input.edits.length > 1) throw new Error("a hook changed this call, and several edits in one call cannot be changed");
    const { oldText, newText, edits, ...others } = changed;
    replace_in(input, { ...others, edits: [{ ...input.edits[0], oldText, newText }] });
  };
  const text_of = (content) =>
    joined(...(content ?? []).filter((part) => part.type === "text").map((part) => part.text));

  pi.on("session_start", async ({ reason }, ctx) => {
    going_on = false;
    const source = reason === "resume" || reason === "fork" ? "resume" : reason === "new" ? "clear" : "startup";
    const said = await tell("session_start", ctx, { source });
    waiting = joined(waiting, said.context);
  });
  pi.on("session_shutdown", async ({ reason }, ctx) => {
    await tell("session_shutdown", ctx, { reason: reason ?? "other" });
    if (globalThis[place] === pi) delete globalThis[place];
  });
  pi.on("input", async ({ text, source, images }, ctx) => {
    if (source === "extension") return { action: "continue" };
    going_on = false;
    const said = await tell("input", ctx, { prompt: text });
    if (said.denied) {
      notify(ctx, said.reason);
      said_before.delete(said.reason);
      return { action: "handled" };
    }
    waiting = joined(waiting, said.context);
    return said.prompt === undefined ? { action: "continue" } : { action: "transform", text: said.prompt, images };
  });
  pi.on("before_agent_start", async () => {
    if (!waiting) return;
    const content = waiting;
    waiting = "";
    return { message: { customType: "hookline", content, display: false } };
  });
  pi.on("tool_call", async (event, ctx) => {
    const call = call_of(event.toolName, event.input);
    const said = await tell("tool_call", ctx, { ...call, tool_use_id: event.toolCallId });
    if (said.denied) return { block: true, reason: said.reason, terminate: said.ended };
    if (said.asks) {
      const agreed = ctx.hasUI && (await ctx.ui.confirm(`${event.toolName}?`, said.reason));
      if (!agreed) return { block: true, reason: said.reason };
    }
    if (said.input) rewrite(event.input, said.input);
  });
  pi.on("tool_result", async (event, ctx) => {
    const text = text_of(event.content);
    const call = { ...call_of(event.toolName, event.input), tool_use_id: event.toolCallId };
    const said = event.isError
      ? await tell("tool_error", ctx, { ...call, error: text })
      : await tell("tool_result", ctx, { ...call, tool_response: { content: event.content, details: event.details } });
    const more = joined(said.denied && said.reason, said.context);
    if (!more && said.output === undefined) return;
    const shown = said.output === undefined ? event.content : [{ type: "text", text: as_text(said.output) }];
    return { content: more ? [...shown, { type: "text", text: more }] : shown };
  });
  pi.on("agent_before_settle", async (event, ctx) => {
    if (event.outcome === "aborted") return;
    if (event.outcome === "error") return void (await tell("agent_error", ctx, { error: "error" }));
    const stop_hook_active = going_on;
    const said = await tell("agent_before_settle", ctx, { stop_hook_active });
    going_on = Boolean(said.denied && !said.ended);
    if (!going_on) return;
    const entry = { type: "custom_message", customType: "hookline", content: said.reason, display: true };
    return { continue: true, entries: [...(event.entries ?? []), entry] };
  });
  pi.on("session_before_compact", async ({ reason, customInstructions }, ctx) => {
    const trigger = reason === "manual" ? "manual" : "auto";
    const said = await tell("session_before_compact", ctx, { trigger, custom_instructions: customInstructions });
    if (said.denied) return { cancel: true };
  });
  pi.on("session_compact", async (event, ctx) => {
    await tell("session_compact", ctx, { trigger: "auto" });
  });
}
