import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { HostsideError, type JsonObject } from "@hostside/core";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunReport } from "../src/engine/run-report.ts";
import { checkHost } from "../src/host/check-host.ts";
import type { DriverServer } from "../src/host/driver-protocol.ts";
import { hostChecks } from "../src/host/host-checks.ts";
import { localDriver } from "../src/host/local-driver.ts";
import type { DriverHost } from "../src/host/serve-driver.ts";
import { spawnDriver } from "../src/host/spawn-driver.ts";
import { createReferenceHost, referenceFeatures } from "../src/host/reference-host.ts";

const program = fileURLToPath(new URL("programs/odd-driver.mjs", import.meta.url));
const someChecks = hostChecks.filter(({ id }) => /^(survive|consistent)\/.*\/(stdio|http)$/.test(id));

function play(command: readonly string[], patienceMs = 5000): Promise<RunReport> {
  return checkHost({ start: () => spawnDriver(command), name: "odd", checks: someChecks, patienceMs });
}

const odd = (kind: string): readonly string[] => [process.execPath, program, kind];

describe("a driver that is none", () => {
  it.each([
    [
      "that does not exist",
      ["/no/such/driver", "--quiet"],
      "the driver could not be started: spawn /no/such/driver ENOENT (there is no such program)",
    ],
    [
      "that may not be executed",
      [program],
      `the driver could not be started: spawn ${program} EACCES (the file may not be executed)`,
    ],
    ["that dies at once", odd("dies"), "exited with code 9; its stderr ends with: no such library"],
    ["that writes rubbish", odd("rubbish"), "wrote a line that is no JSON object: Starting driver..."],
    ["that answers everything with nothing", odd("null"), "hello must name protocol 1, not undefined"],
    ["that echoes", odd("echo"), "wrote a reply without ok"],
    ["that names a feature that there is not", odd("misspelt"), 'hello names the feature "stdoi"; there are stdio'],
    ["that speaks another version of the protocol", odd("other-protocol"), "hello must name protocol 1, not 2"],
  ])("%s is reported as unreachable, in one line", { timeout: 60_000 }, async (_, command, reason) => {
    const report = await play(command);
    expect(report).toMatchObject({ verdict: "incomplete", exitCode: 4, counts: { passed: 0, failed: 0 } });
    expect(report.obstacle?.reason).toContain(reason);
  });

  it("that hangs is reported as unreachable", { timeout: 60_000 }, async () => {
    const report = await play(odd("hangs"), 200);
    expect(report).toMatchObject({ verdict: "incomplete", exitCode: 4 });
    expect(report.obstacle?.reason).toBe("no answer to hello within 1200 ms");
  });
});

describe("a driver without a host behind it", () => {
  it.each([
    ["says yes to everything", "yes", "ran the call"],
    ["says no to everything", "no", "init failed"],
    ["dies with the first server", "dies-later", "exited with code 9; its stderr ends with: out of luck"],
  ])("that %s fails, and passes nothing", { timeout: 60_000 }, async (_, kind, observed) => {
    const { verdict, exitCode, counts, headlines } = await play(odd(kind));
    expect({ verdict, exitCode, passed: counts.passed }).toEqual({ verdict: "fail", exitCode: 1, passed: 0 });
    expect(headlines.map(({ checkId }) => checkId)).toEqual([
      "survive/lists-and-calls/stdio",
      "survive/lists-and-calls/http",
    ]);
    expect(headlines[0]?.observed).toContain(observed);
  });
});

describe("a host that fails while a call of the scenario is under way", () => {
  it.each(["hostile/neighbour-notifications/stdio", "hostile/notification-flood/stdio"])(
    "and does not close fails %s, and not the kit",
    { timeout: 60_000 },
    async (id) => {
      const host = createReferenceHost() as Required<DriverHost>;
      onTestFinished(async () => void (await host.close({})));
      let closes = 0;
      const start = () =>
        localDriver({
          hello: { name: "odd", version: "1", features: referenceFeatures },
          host: {
            ...host,
            call: (params) =>
              JSON.stringify(params.args).includes("beside")
                ? Promise.reject(new Error("not this one"))
                : host.call(params),
            async close() {
              closes += 1;
              if (closes === 1) throw new Error("still busy");
              return {};
            },
          },
        });
      const checks = hostChecks.filter((check) => check.id === id).map((check) => ({ ...check, needs: [] }));
      const { results } = await checkHost({ start, name: "odd", checks });
      expect(results.map(({ finding }) => finding)).toEqual([
        expect.objectContaining({ status: "fail", observed: expect.stringContaining("not this one") }),
      ]);
    },
  );
});

describe("a host that starts its servers again after every call in vain", () => {
  it.each(["survive/silent-call/stdio", "survive/tool-error/stdio", "consistent/cancel-reaches-the-server/stdio"])(
    "passes %s, because the server answers the next call",
    { timeout: 60_000 },
    async (id) => {
      const host = createReferenceHost() as Required<DriverHost>;
      let servers: readonly DriverServer[] = [];
      const again = async () => {
        await host.close({});
        await host.init({ servers });
      };
      const start = () =>
        localDriver({
          hello: { name: "odd", version: "1", features: referenceFeatures },
          host: {
            ...host,
            async init(params) {
              ({ servers } = params);
              return host.init(params);
            },
            async call(params) {
              const outcome = await Promise.resolve(host.call(params)).catch(async (error: unknown) => {
                await again();
                throw error;
              });
              if (outcome.isError === true) await again();
              return outcome;
            },
          },
        });
      const checks = hostChecks.filter((check) => check.id === id).map((check) => ({ ...check, needs: [] }));
      const { results } = await checkHost({ start, name: "odd", checks });
      expect(results.map(({ finding }) => finding)).toEqual([expect.objectContaining({ status: "pass" })]);
    },
  );
});

describe("a host that may do what it does", () => {
  const play = async (id: string, driver: Parameters<typeof localDriver>[0]) => {
    const checks = hostChecks.filter((check) => check.id === id).map((check) => ({ ...check, needs: [] }));
    const { results } = await checkHost({ start: () => localDriver(driver), name: "odd", checks });
    return results.map(({ finding }) => finding.status);
  };
  const hello = { name: "odd", version: "1", features: referenceFeatures };

  it("passes though it refuses arguments that a tool's schema does not allow", { timeout: 60_000 }, async () => {
    const host = createReferenceHost({
      provider: {
        async requestSeam({ call }, send) {
          const { required = [] } = (call?.definition.inputSchema ?? {}) as { readonly required?: readonly string[] };
          if (required.some((name) => !Object.hasOwn(call?.args ?? {}, name))) {
            throw new HostsideError("an argument is missing", { code: "invalid_arguments" });
          }
          return send();
        },
      },
    });
    expect(await play("consistent/arguments-exact/stdio", { hello, host })).toEqual(["pass"]);
  });

  it("passes though it grants the roots that it offered", { timeout: 60_000 }, async () => {
    let client: Client | undefined;
    const open = async ({ id, transport }: DriverServer) => {
      if (transport.type !== "stdio") throw new Error("over stdio alone");
      client = new Client({ name: id, version: "1" }, { capabilities: { roots: {} } });
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
      await client.connect(new StdioClientTransport({ command: transport.command, args: [...transport.args] }));
    };
    const host: DriverHost = {
      init: async ({ servers }) => (await Promise.all(servers.map(open)), {}),
      snapshot: () => ({ tools: [{ name: "append", serverId: "alpha", remoteName: "append" }], servers: [] }),
      async call({ name, args }) {
        const result = await client?.callTool({ name, arguments: args });
        return { content: result?.content as JsonObject[] };
      },
      close: async () => (await client?.close(), {}),
    };
    expect(await play("hostile/uninvited-requests/stdio", { hello, host })).toEqual(["pass"]);
  });
});
