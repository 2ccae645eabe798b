import { createToolbox } from "@hostside/discovery";
import { createGateway, type GatewayOptions } from "@hostside/gateway";
import { listen } from "@hostside/gateway/node";
import { describe, expect, it } from "vitest";

const toolbox = createToolbox({
  tools: [{ definition: { name: "now", description: "The time", inputSchema: { type: "object" } }, run: () => "noon" }],
});
const good: GatewayOptions = {
  name: "gateway",
  version: "1.0.0",
  expose: "all",
  tools: "all",
  open: ({ view }) => ({ tools: toolbox.view(view) }),
};
const wrong =
  (change: Readonly<Record<string, unknown>>): (() => unknown) =>
  () =>
    createGateway({ ...good, ...change });

describe("createGateway()", () => {
  it("exposes nothing by default, and refuses an empty allowlist and unknown names", () => {
    expect(wrong({ tools: undefined })).toThrow(/tools must be "all" or the names of tools/);
    expect(wrong({ expose: undefined })).toThrow(/nothing is exposed by default/);
    expect(wrong({ tools: [], catalog: toolbox })).toThrow(/tools is empty/);
    expect(wrong({ tools: ["now"] })).toThrow(/no catalog/);
    expect(wrong({ tools: ["now", "then"], catalog: toolbox })).toThrow(
      expect.objectContaining({ code: "unknown_tool", message: expect.stringContaining('"then"') }),
    );
    expect(wrong({ tools: ["NOW"], catalog: toolbox })).not.toThrow();
  });

  it.each([
    [{ nam: "x" }, /no option "nam"/],
    [{ name: "" }, /name must be a text/],
    [{ version: 1 }, /version must be a text/],
    [{ title: 1 }, /title must be a text/],
    [{ instructions: 1 }, /instructions must be a text/],
    [{ expose: "some" }, /expose must be/],
    [{ open: undefined }, /open must be a function/],
    [{ namePrompt: "x" }, /namePrompt must be a function/],
    [{ onEvent: "x" }, /onEvent must be a function/],
    [{ limits: { maxSession: 1 } }, /no option "maxSession"/],
    [{ limits: { maxSessions: 0 } }, /limits.maxSessions must be a whole number/],
    [{ limits: { parkedMs: 2 ** 40 } }, /limits.parkedMs must be/],
  ])("refuses %j", (change, message) => {
    expect(wrong(change)).toThrow(message);
    expect(wrong(change)).toThrow(TypeError);
  });
});

describe("http()", () => {
  it.each([
    [{}, /auth must have a token/],
    [{ auth: "all" }, /auth must have a token/],
    [{ auth: { token: "short" } }, /auth.token must be/],
    [{ auth: { token: [] } }, /auth.token must be/],
    [{ auth: "none", path: "mcp" }, /path must be/],
    [{ auth: "none", allowedHosts: "localhost" }, /allowedHosts must be/],
    [{ auth: { verifyToken: () => ({ principal: "a" }), resource: { url: "x" } } }, /auth.resource.url/],
    [
      { auth: { verifyToken: () => ({ principal: "a" }), resource: { url: "https://a.example/mcp" } } },
      /authorizationServers/,
    ],
  ])("refuses %j", (options, message) => {
    expect(() => createGateway(good).http(options as never)).toThrow(message);
  });

  it("listens beyond this machine only where it is said what clients call it", async () => {
    await expect(listen(createGateway(good), { auth: "none", host: "0.0.0.0" })).rejects.toThrow(/allowedHosts/);
  });
});
