import { readConfig, expandConfig } from "@toolport/config";
import type { HttpTransportSpec } from "@toolport/core";
import { describe, expect, it } from "vitest";
import { entryHosts } from "../../src/cli/serving/entry-hosts.ts";
import { describeEntry, type EntryWish } from "../../src/cli/serving/host-entry.ts";
import { isServeEntry } from "../../src/cli/serving/self-entries.ts";

const npx = ["npx", "-y", "toolport"];
const stdio: EntryWish = {
  over: "stdio",
  program: npx,
  args: ["--expose", "search", "--config", '/srv/a "b"\\c.json'],
};
const http: EntryWish = { over: "http", url: "http://127.0.0.1:7077/mcp", tokenFile: "/h/token" };
const linux = { platform: "linux", home: "/h", env: {} };
const windows = { platform: "win32", home: "C:\\Users\\ada", env: { APPDATA: "C:\\Users\\ada\\AppData\\Roaming" } };

async function specOf(host: (typeof entryHosts)[number], wish: EntryWish, place = linux) {
  const { file, text } = describeEntry(host, wish, place);
  const { servers, problems, dialect } = readConfig(text, { file });
  const [server] = servers;
  if (server === undefined || servers.length > 1) throw new Error(`${host}: ${JSON.stringify(problems)}`);
  const inputs = async (): Promise<string> => "s3cret";
  const { spec, problems: more } = await expandConfig(server, { env: { TOOLPORT_TOKEN: "s3cret" }, inputs });
  return { spec, dialect, problems: [...problems, ...more] };
}

describe("the entry of a host", () => {
  it.each(entryHosts)("is read as the same server by the dialect of %s, and is known as serve itself", async (host) => {
    const { spec, dialect, problems } = await specOf(host, stdio);
    expect({ dialect, problems }).toEqual({ dialect: host, problems: [] });
    const args = ["-y", "toolport", "serve", ...stdio.args];
    expect(spec).toMatchObject({ id: "toolport", transport: { kind: "stdio", command: "npx", args } });
    expect(spec !== undefined && isServeEntry(spec)).toBe(true);
  });

  it.each(entryHosts)("starts npx by way of cmd on Windows, for %s", async (host) => {
    const { spec } = await specOf(host, stdio, windows);
    expect(spec?.transport).toMatchObject({
      command: "cmd",
      args: ["/c", "npx", "-y", "toolport", "serve", ...stdio.args],
    });
    expect(spec !== undefined && isServeEntry(spec)).toBe(true);
  });

  it.each(entryHosts.filter((host) => host !== "claude-desktop"))(
    "over HTTP has the URL and takes the token from where %s can keep one",
    async (host) => {
      const { spec, problems } = await specOf(host, http);
      expect(problems).toEqual([]);
      expect(spec?.transport).toMatchObject({ kind: "http", url: http.url });
      const { bearerToken, headers } = (spec?.transport ?? {}) as HttpTransportSpec;
      expect(bearerToken === undefined ? headers?.["Authorization"] : `Bearer ${bearerToken}`).toBe("Bearer s3cret");
      expect(describeEntry(host, http, linux).text).not.toContain("s3cret");
    },
  );

  it("over HTTP is none that Claude Desktop takes", () => {
    expect(() => describeEntry("claude-desktop", http, linux)).toThrow("takes no URL");
  });

  it("names the file that it belongs into", () => {
    const fileOf = (place: typeof linux) => entryHosts.map((host) => describeEntry(host, stdio, place).file);
    expect(fileOf(linux)).toEqual([
      "/h/.claude.json",
      "/h/.config/Claude/claude_desktop_config.json",
      "/h/.cursor/mcp.json",
      "/h/.config/Code/User/mcp.json",
      "/h/.codex/config.toml",
      "/h/.gemini/settings.json",
    ]);
    expect(fileOf(windows)).toEqual([
      "C:\\Users\\ada\\.claude.json",
      "C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
      "C:\\Users\\ada\\.cursor\\mcp.json",
      "C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json",
      "C:\\Users\\ada\\.codex\\config.toml",
      "C:\\Users\\ada\\.gemini\\settings.json",
    ]);
  });
});

describe("isServeEntry()", () => {
  const spec = (line: string) => {
    const [command = "", ...args] = line.split("|");
    return { id: "x", transport: { kind: "stdio", command, args } } as const;
  };

  it.each([
    "toolport|serve",
    "npx|toolport@latest|serve|--expose|search",
    "npx|-y|-p|toolport|toolport|serve",
    "pnpm|dlx|toolport@1.2.3|--config|a.json|serve",
    "node|/srv/node_modules/toolport/bin/toolport.js|serve",
    "C:\\Users\\ada\\toolport.cmd|serve",
    "cmd|/c|npx -y toolport serve",
    "sh|-c|exec npx toolport --timeout 5 'serve'",
  ])("knows %s", (line) => {
    expect(isServeEntry(spec(line))).toBe(true);
  });

  it.each([
    "npx|-y|server-filesystem|/srv/toolport",
    "toolport|list",
    "serve|toolport",
    "npx|toolport-serve",
    "node|server.js|serve",
  ])("leaves %s alone", (line) => {
    expect(isServeEntry(spec(line))).toBe(false);
  });

  it("knows its own address, by whatever name of this machine", () => {
    const at = (url: string) => ({ id: "x", transport: { kind: "http", url } }) as const;
    const own = ["http://127.0.0.1:7077"];
    const known = ["http://localhost:7077/mcp", "http://[::1]:7077/x", "http://127.0.0.1:7077"];
    expect(known.map((url) => isServeEntry(at(url), own))).toEqual([true, true, true]);
    const others = ["http://127.0.0.1:7078/mcp", "https://example.com:7077/mcp", "no URL"];
    expect(others.map((url) => isServeEntry(at(url), own))).toEqual([false, false, false]);
  });
});
