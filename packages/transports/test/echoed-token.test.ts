import type { Diagnostic, ServerLog } from "@hostside/core";
import { expect, it } from "vitest";
import { connect, type ServerCredentials } from "../src/index.ts";
import { reply, replyAsLegacy, startLoopback } from "./loopback-server.ts";

it("masks a token that no spec names, also one that was replaced, wherever the server echoes it", async () => {
  const tokens = ["first-access-token", "second-access-token"];
  let turn = 0;
  await using server = await startLoopback((request, response) => {
    const { method, id } = request.message;
    if (method !== "tools/call") return replyAsLegacy(request, response);
    reply(response, 200, {
      jsonrpc: "2.0",
      id,
      error: {
        code: -32_603,
        message: `seen: ${tokens.join(", ")}`,
        data: { header: request.headers["authorization"] },
      },
    });
  });
  const provider: ServerCredentials = {
    headersFor: async () => ({ authorization: `Bearer ${tokens[turn]}` }),
    onRefused: async () => undefined,
  };
  const reported: (Diagnostic | ServerLog)[] = [];
  const connection = await connect(
    { id: "srv", era: "legacy", type: "http", url: server.url, auth: "oauth" },
    { authProvider: () => provider, onLog: (log) => reported.push(log), onDiagnostic: (each) => reported.push(each) },
  );
  turn = 1;
  const failure: unknown = await connection.callTool("echo", {}).catch((error: unknown) => error);
  expect(server.seen.at(-1)?.headers["authorization"]).toBe("Bearer second-access-token");
  expect(failure).toMatchObject({
    code: "server_error",
    message: expect.stringContaining("seen: [redacted], [redacted]"),
  });
  expect(JSON.stringify([failure, reported])).not.toContain("access-token");
  await connection.close();
});
