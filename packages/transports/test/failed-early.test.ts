import { createConnector } from "@hostside/transports";
import type { HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";

// Says nothing on stdout, and survives the end of its stdin and SIGTERM.
const stubborn = `
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
  process.stderr.write("no token was given\\n");
`;

describe("a connection attempt whose time is up", () => {
  it("is told as failed, with the evidence, before what there is of it is cleaned up", async () => {
    const steps: string[] = [];
    const reported: HostsideError[] = [];
    const connecting = createConnector().connect(
      {
        id: "stubborn",
        type: "stdio",
        command: process.execPath,
        args: ["-e", stubborn],
        timeouts: { connectMs: 1500, closeMs: 300 },
      },
      {
        onToolsChanged() {},
        onDown() {},
        onFailed(error) {
          steps.push("told");
          reported.push(error);
        },
      },
      new AbortController().signal,
    );
    await expect(connecting.finally(() => steps.push("rejected"))).rejects.toMatchObject({ code: "connect_timeout" });
    expect(steps).toEqual(["told", "rejected"]);
    expect(reported).toMatchObject([{ code: "connect_timeout", serverId: "stubborn" }]);
    expect(reported[0]?.rawMessage).toContain("no token was given");
  });
});
