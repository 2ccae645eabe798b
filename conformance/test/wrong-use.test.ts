import { describe, expect, it } from "vitest";
import { checkHost } from "../src/host/check-host.ts";
import { checkServer } from "../src/server/check-server.ts";

const server = { command: process.execPath, args: ["-e", ""] };
const address = { type: "stdio", server };

describe("checkServer() of a program that no compiler has looked at", () => {
  it.each([
    [undefined, "checkServer() takes its options as an object, not undefined"],
    [{}, "checkServer(): address must be an object with a type, not undefined"],
    [{ address, onyl: [] }, 'checkServer() has no option "onyl"; known are address, consent, checks, '],
    [{ address, only: [] }, 'checkServer() has no option "only"; known are address, consent, checks, '],
    [{ address: { type: "x" } }, 'checkServer(): address.type must be "stdio", "http" or "sse", not "x"'],
    [{ address: { type: "stdio" } }, "checkServer(): address.server.command must be a string, not undefined"],
    [{ address: { ...address, url: "x" } }, 'an address of type stdio has no option "url"; known are type, server'],
    [
      { address: { type: "stdio", server: { args: [] } } },
      "checkServer(): address.server.command must be a string, not",
    ],
    [
      { address: { type: "stdio", server: { command: "node" } } },
      "checkServer(): address.server.args must be an array of strings, not undefined",
    ],
    [{ address: { type: "http", url: "http://x" } }, "checkServer(): address.url must be a URL, such as new URL("],
  ])("rejects %j with a TypeError that names what is wrong", async (options, message) => {
    const error: unknown = await Reflect.apply(checkServer, undefined, [options]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(message);
  });
});

it("checkServer() takes the transport of a spec as a command", async () => {
  const transport = { ...server, type: "stdio" };
  const report = await checkServer({ address: { type: "stdio", server: transport }, checks: [] });
  expect(report.obstacle?.kind).toBe("unreachable");
});

describe("checkHost() of a program that no compiler has looked at", () => {
  const start = (): never => {
    throw new Error("started");
  };
  it.each([
    [{ name: "x" }, "checkHost(): start must be a function that starts a driver"],
    [{ start }, "checkHost(): name must be a string"],
    [{ start, name: "x", level: "survive" }, 'checkHost() has no option "level"; known are start, name, checks, '],
  ])("rejects %j with a TypeError that names what is wrong", async (options, message) => {
    const error: unknown = await Reflect.apply(checkHost, undefined, [options]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(message);
  });
});
