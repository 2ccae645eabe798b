import { HostsideError, type JsonObject, type ServerInfo } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import { listTools } from "./list-tools.ts";
import { createServerContext } from "../../test/server-context.ts";

const page = (name: string, nextCursor?: string): JsonObject => ({
  tools: [{ name, inputSchema: {} }],
  ...(nextCursor !== undefined && { nextCursor }),
});

describe("listTools()", () => {
  it("follows cursors under one deadline for all pages", async () => {
    const { list, sent } = open([page("a", "2"), page("b", "3"), page("c")], { msPerPage: 300 });
    await expect(list({ timeoutMs: 1000 })).resolves.toMatchObject({
      pages: 3,
      tools: [{ name: "a" }, { name: "b" }, { name: "c" }],
    });
    expect(sent.map(({ params, timeoutMs }) => [params, timeoutMs])).toEqual([
      [{}, 1000],
      [{ cursor: "2" }, 700],
      [{ cursor: "3" }, 400],
    ]);
    expect(sent[0]).toMatchObject({ method: "tools/list", timeoutCode: "list_timeout" });
  });

  it("sends nothing to a server that declares no tools (fault 91)", async () => {
    const { list, sent } = open([], { capabilities: { prompts: {} } });
    await expect(list()).resolves.toEqual({ tools: [], dropped: [], pages: 0 });
    expect(sent).toEqual([]);
  });

  it("throws protocol_error when the first page has no tools (fault 99)", async () => {
    await expect(open([{}]).list()).rejects.toMatchObject({
      code: "protocol_error",
      outcome: "failed",
      serverId: "srv",
    });
  });

  const pageFailures = ["message_too_large", "server_error", "http_error", "list_timeout", "protocol_error"] as const;
  it.each(pageFailures)("keeps the pages before one that fails with %s, and says why the list ends", async (code) => {
    const failure = new HostsideError("no", { code });
    const { list, sent } = open([page("a", "2"), page("b", "3"), failure]);
    const listing = await list();
    expect(listing).toMatchObject({ pages: 2, truncated: "page-failed", tools: [{ name: "a" }, { name: "b" }] });
    expect(listing.failure).toBe(failure);
    expect(sent).toHaveLength(3);
  });

  it("keeps the pages before one that has no tools", async () => {
    const listing = await open([page("a", "2"), { tools: "none" }]).list();
    expect(listing).toMatchObject({ truncated: "page-failed", failure: { code: "protocol_error" }, pages: 1 });
    expect(listing.tools.map(({ name }) => name)).toEqual(["a"]);
  });

  it.each(pageFailures)("throws what the first page's request throws: %s", async (code) => {
    await expect(open([new HostsideError("no", { code })]).list()).rejects.toMatchObject({ code });
  });

  const sessionFailures = [
    "server_exited",
    "closed",
    "aborted",
    "auth_required",
    "session_expired",
    "unreachable",
  ] as const;
  it.each(sessionFailures)("throws what is no fault of one page: %s", async (code) => {
    const { list } = open([page("a", "2"), new HostsideError("gone", { code })]);
    await expect(list()).rejects.toMatchObject({ code });
  });

  it.each([
    // The first page came 300 ms before the end.
    ["the shortest of all pages", [{ ttlMs: 1000 }, { ttlMs: 900 }], { ttlMs: 700 }],
    ["public if all pages are", [{ cacheScope: "public" }, { cacheScope: "public" }], { cacheScope: "public" }],
    ["private if one is", [{ cacheScope: "public" }, { cacheScope: "private" }], {}],
    ["nothing for what says nothing", [{ ttlMs: 1000, cacheScope: "public" }, {}], {}],
    [
      "nothing for nonsense",
      [
        { ttlMs: "9", cacheScope: 1 },
        { ttlMs: -5, cacheScope: "all" },
      ],
      {},
    ],
  ] as const)("says how long it holds, and for whom: %s", async (_what, [first, last], expected) => {
    const pages = [
      { ...page("a", "2"), ...first },
      { ...page("b"), ...last },
    ];
    const hints = async (era: ServerInfo["era"]) => {
      const {
        tools: _tools,
        dropped: _dropped,
        pages: _pages,
        ...rest
      } = await open(pages, { era, msPerPage: 300 }).list();
      return rest;
    };
    expect(await hints("modern")).toEqual(expected);
    expect(await hints("legacy")).toEqual({});
  });

  it("leaves out a tool that cannot be called over this connection", async () => {
    const { list } = open([page("a")], { findFault: () => "it is too heavy" });
    await expect(list()).resolves.toMatchObject({ tools: [], dropped: [{ name: "a", reason: "it is too heavy" }] });
  });
});

function open(
  pages: readonly (JsonObject | HostsideError)[],
  {
    msPerPage = 0,
    capabilities = { tools: {} },
    findFault,
    era = "legacy",
  }: {
    msPerPage?: number;
    capabilities?: ServerInfo["capabilities"];
    findFault?: () => string;
    era?: ServerInfo["era"];
  } = {},
) {
  const clock = useManualClock();
  const sent: OutgoingRequest[] = [];
  const init = {
    context: createServerContext({}, { timeouts: { listMs: 1000 } }),
    server: { era, protocolVersion: era === "legacy" ? "2025-11-25" : "2026-07-28", capabilities },
    findFault,
    channel: {
      request: async (request: OutgoingRequest) => {
        const answer = pages[sent.length];
        sent.push(request);
        clock.advance(msPerPage);
        if (answer instanceof HostsideError || answer === undefined) throw answer ?? new Error("no more pages");
        return answer;
      },
      notify: async () => undefined,
      close: async () => undefined,
    },
  };
  return { list: (options = {}) => listTools(init, options), sent };
}
