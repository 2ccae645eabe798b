import { createHost } from "hostside";
import { expect, it, onTestFinished } from "vitest";
import { fakeTerminal, runIn } from "../fake-terminal.ts";
import { startAnswering } from "./answering-server.ts";

/** A server that knows no modes of elicitation and refuses what it does not know. */
const strict = (): Promise<string> =>
  startAnswering(({ method, params }) => {
    if (method === "initialize" && Object.keys(params.capabilities ?? {}).length > 0)
      return { error: { code: -32_602, message: "unknown field `form`" } };
    if (method === "initialize") {
      return {
        result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
      };
    }
    if (method === "tools/list") return { result: { tools: [{ name: "say", inputSchema: { type: "object" } }] } };
    return { error: { code: -32_601, message: "Method not found" } };
  });

it("connects once more without capabilities to a server that refuses them", async () => {
  const diagnostics: string[] = [];
  await using host = await createHost({
    servers: { s: { url: await strict() } },
    onElicit: async () => ({ action: "cancel" }),
    onDiagnostic: ({ kind, message }) => void (kind === "fallback" && diagnostics.push(message)),
  });
  expect(host.statuses()).toMatchObject([{ state: "ready", toolCount: 1 }]);
  expect(diagnostics.at(-1)).toContain("trying streamable (legacy, without elicitation)");
});

it("is what doctor finds, which tells servers the same as serve does", async () => {
  const terminal = fakeTerminal();
  onTestFinished(() => terminal[Symbol.dispose]());
  const { code, out } = await runIn(terminal, ["doctor", "--json", await strict()]);
  expect(code).toBe(0);
  expect(out).toContain("refuses hosts that answer questions of servers");
});
