import type { CallOptions, Connection, Connector, JsonObject, ServerSpec } from "@hostside/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** A connector to hold to the contract, and a server that it can reach; made once for each test. */
export interface TransportSubject {
  readonly connector: Connector;
  readonly spec: ServerSpec;
  /** A tool that returns its text: the remote name, and the argument that takes the text. */
  readonly echo: { readonly tool: string; readonly argument: string };
  /** Ends the server. */
  readonly dispose?: () => Promise<void>;
}

/**
 * Defines a suite that holds a `Connector` and its connections to what `@hostside/core` says of
 * them.
 */
export function describeTransportContract(
  name: string,
  make: () => Promise<TransportSubject> | TransportSubject,
): void {
  describe(`${name} keeps the contract of a Connector`, () => {
    const made: Connection[] = [];
    let subject: TransportSubject | undefined;
    let downs: unknown[] = [];

    beforeEach(async () => {
      subject = await make();
      downs = [];
    });
    afterEach(async () => {
      await Promise.all(made.splice(0).map((connection) => connection.close()));
      await subject?.dispose?.();
    });

    const bench: Bench = {
      downs: () => downs,
      async connect(signal = new AbortController().signal) {
        if (subject === undefined) throw new TypeError("only inside a test");
        const { connector, spec } = subject;
        const hooks = { onToolsChanged: () => {}, onDown: (error: unknown) => downs.push(error) };
        const connection = await connector.connect(spec, hooks, signal);
        made.push(connection);
        return connection;
      },
      tool: () => subject?.echo.tool ?? "",
      echo: (connection, text, options) =>
        connection.callTool(bench.tool(), { [subject?.echo.argument ?? ""]: text }, options),
    };
    describeDialogue(bench);
    describeEnds(bench);
  });
}

/** What the tests work with. */
interface Bench {
  readonly connect: (signal?: AbortSignal) => Promise<Connection>;
  readonly tool: () => string;
  readonly echo: (connection: Connection, text: string, options?: CallOptions) => Promise<JsonObject>;
  /** What was told of connections that were lost. */
  readonly downs: () => readonly unknown[];
}

function describeDialogue({ connect, echo, tool: echoTool }: Bench): void {
  it("says with whom it speaks, and in which revision", async () => {
    const { server } = await connect();
    expect(["legacy", "modern"]).toContain(server.era);
    expect(server.protocolVersion).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(server.era === "modern").toBe(server.protocolVersion >= "2026-07-28");
  });

  it("lists tools with unique names and object schemas", async () => {
    const { tools, dropped, pages, truncated } = await (await connect()).listTools();
    expect(tools.map((tool) => tool.name)).toContain(echoTool());
    expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length);
    expect(tools.every((tool) => tool.inputSchema["type"] === "object")).toBe(true);
    expect({ dropped, truncated }).toEqual({ dropped: [], truncated: undefined });
    expect(pages).toBeGreaterThan(0);
  });

  it("gives each of many calls at once its own answer, byte for byte", async () => {
    const connection = await connect();
    const texts = Array.from({ length: 20 }, (_, i) => `${i}: Größe 🐙 \u2028 "quoted" \\ \n`);
    const results = await Promise.all(texts.map((text) => echo(connection, text)));
    expect(results.map((result) => JSON.stringify(result["content"]))).toEqual(
      texts.map((text) => expect.stringContaining(JSON.stringify(text).slice(1, -1))),
    );
  });

  it("tells a method that the server does not know as server_error", async () => {
    const connection = await connect();
    await expect(connection.request("no/such/method")).rejects.toMatchObject({ code: "server_error" });
    await echo(connection, "still there");
  });
}

function describeEnds({ connect, echo, downs }: Bench): void {
  it("does not start a call that was given up before", async () => {
    const connection = await connect();
    await expect(echo(connection, "never", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
      outcome: "not-sent",
    });
    await echo(connection, "still there");
  });

  it("does not connect when it was given up before", async () => {
    await expect(connect(AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
  });

  it("makes connections that do not share their end", async () => {
    const [first, second] = [await connect(), await connect()];
    await first.close();
    await expect(echo(second, "still there")).resolves.toBeDefined();
  });

  it("can be closed twice, refuses calls with closed from then on, and does not tell its end as a loss", async () => {
    const connection = await connect();
    await connection.close();
    await connection.close();
    await expect(echo(connection, "late")).rejects.toMatchObject({ code: "closed", outcome: "not-sent" });
    await expect(connection.listTools()).rejects.toMatchObject({ code: "closed" });
    expect(downs()).toEqual([]);
  });
}
