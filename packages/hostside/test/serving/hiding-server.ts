/**
 * A server that hides characters in every text that it can send, as a program. `hide(text)` puts
 * them into the middle.
 */
export const hidingServer = String.raw`
  import { createInterface } from "node:readline";
  const hidden = "\u{E0041}\u{E007F}\u{E0101}\uFE01\u202E\u2066\u200B\u00AD\u3164";
  const hide = (text) => text.slice(0, 1) + hidden + text.slice(1);
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  const extra = { title: hide("Title"), description: hide("Describes."), mimeType: hide("text/plain") };
  const field = { type: "string", title: hide("Field"), description: hide("A field."), default: hide("def") };
  const schema = {
    type: "object",
    title: hide("Input"),
    properties: {
      plain: field,
      choice: { type: "string", enum: ["one", hide("two")] },
      [hide("name")]: field,
    },
    required: [hide("name")],
    $defs: { [hide("def")]: { const: hide("value") } },
  };
  const tool = (name) => ({
    name,
    title: hide("Tool"),
    description: hide("Does it."),
    inputSchema: schema,
    ...(name === "echo" && { outputSchema: { type: "object", properties: { [hide("out")]: { type: "string", description: hide("An output.") } } } }),
    annotations: { title: hide("Annotated") },
    icons: [{ src: hide("https://example.com/icon") }],
    _meta: { [hide("example.com/key")]: hide("meta") },
  });
  const resource = { uri: "mem://" + hide("resource"), name: hide("resource"), ...extra };
  const prompt = { name: hide("prompt"), ...extra, arguments: [{ name: hide("argument"), description: hide("One.") }] };
  const content = [
    { type: "text", text: hide("text") },
    { type: "resource_link", ...resource },
    { type: "resource", resource: { uri: "mem://" + hide("inside"), mimeType: hide("text/plain"), text: hide("inside") } },
  ];
  const asked = new Map();
  const form = { type: "object", properties: { which: field, pick: { type: "string", enum: ["a", hide("b")], enumNames: [hide("A"), "B"] } } };
  const call = (id, { name, _meta }) => {
    if (name === "fail") return send({ id, error: { code: -32000, message: hide("failed"), data: { [hide("key")]: hide("value") } } });
    if (name === "bad") return send({ id, result: { content, isError: true } });
    if (name === "ask") {
      asked.set("q" + id, id);
      return send({ id: "q" + id, method: "elicitation/create", params: { message: hide("Which?"), requestedSchema: form } });
    }
    const { progressToken } = _meta ?? {};
    if (progressToken !== undefined) send({ method: "notifications/progress", params: { progressToken, progress: 1, message: hide("half") } });
    send({ method: "notifications/message", params: { level: "error", logger: hide("logger"), data: { [hide("key")]: hide("log") } } });
    send({ id, result: { content, structuredContent: { [hide("out")]: hide("structured") }, _meta: { [hide("key")]: hide("meta") } } });
  };
  const answers = {
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} },
      serverInfo: { name: hide("hiding"), title: hide("Hiding"), version: hide("1.0.0"), description: hide("Hides.") },
      instructions: hide("Use it."),
    }),
    "tools/list": () => ({ tools: ["echo", "bad", "fail", "ask", hide("odd")].map(tool) }),
    "resources/list": () => ({ resources: [resource, { ...resource, uri: "mem://plain" }] }),
    "resources/templates/list": () => ({ resourceTemplates: [{ ...resource, uri: undefined, uriTemplate: "mem://" + hide("{x}") }] }),
    "resources/read": ({ uri }) => ({ contents: [{ uri: hide(uri), mimeType: hide("text/plain"), text: hide("read") }] }),
    "prompts/list": () => ({ prompts: [prompt, { ...prompt, name: "plain", arguments: [] }] }),
    "prompts/get": () => ({ description: hide("Filled."), messages: [{ role: "user", content: content[0] }] }),
    "completion/complete": () => ({ completion: { values: [hide("value")] } }),
    "logging/setLevel": () => ({}),
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params, result } = JSON.parse(line);
    if (method === "tools/call") call(id, params);
    else if (method === undefined && asked.has(id)) send({ id: asked.get(id), result: { content: [{ type: "text", text: JSON.stringify(result) }] } });
    else if (id !== undefined && method !== undefined) {
      const answer = answers[method];
      send({ id, ...(answer === undefined ? { error: { code: -32601, message: hide("unknown") } } : { result: answer(params) }) });
    }
  }
`;

/** What nobody sees of a text, and a model may. */
export const unseen = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u;
