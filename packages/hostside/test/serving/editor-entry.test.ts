import { readConfig, expandConfig } from "@hostside/config";
import type { HttpEntry } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { editors } from "../../src/cli/serving/editors.ts";
import { describeEntry, type EditorEntryRequest } from "../../src/cli/serving/print-entry.ts";
import { isServeEntry } from "../../src/cli/opening/self-entries.ts";

const npx = ["npx", "-y", "hostside"];
const stdio: EditorEntryRequest = {
  program: npx,
  args: ["--expose", "search", "--config", '/srv/a "b"\\c.json'],
};
const http: EditorEntryRequest = { url: "http://127.0.0.1:7077/mcp", tokenFile: "/h/token" };
const linux = { platform: "linux", home: "/h", env: {} };
const windows = { platform: "win32", home: "C:\\Users\\ada", env: { APPDATA: "C:\\Users\\ada\\AppData\\Roaming" } };

async function specOf(editor: (typeof editors)[number], request: EditorEntryRequest, place = linux) {
  const { file, text } = describeEntry(editor, request, place);
  const { servers, problems, dialect } = readConfig(text, { file });
  const [server] = servers;
  if (server === undefined || servers.length > 1) throw new Error(`${editor}: ${JSON.stringify(problems)}`);
  const inputs = async (): Promise<string> => "s3cret";
  const { spec, problems: more } = await expandConfig(server, { env: { HOSTSIDE_TOKEN: "s3cret" }, inputs });
  return { spec, dialect, problems: [...problems, ...more] };
}

describe("the entry of a host", () => {
  it.each(editors)("is read as the same server by the dialect of %s, and is known as serve itself", async (editor) => {
    const { spec, dialect, problems } = await specOf(editor, stdio);
    expect({ dialect, problems }).toEqual({ dialect: editor, problems: [] });
    const args = ["-y", "hostside", "serve", ...stdio.args];
    expect(spec).toMatchObject({ id: "hostside", type: "stdio", command: "npx", args });
    expect(spec !== undefined && isServeEntry(spec)).toBe(true);
  });

  it.each(editors)("starts npx by way of cmd on Windows, for %s", async (editor) => {
    const { spec } = await specOf(editor, stdio, windows);
    expect(spec).toMatchObject({
      command: "cmd",
      args: ["/c", "npx", "-y", "hostside", "serve", ...stdio.args],
    });
    expect(spec !== undefined && isServeEntry(spec)).toBe(true);
  });

  it.each(editors.filter((editor) => editor !== "claude-desktop"))(
    "over HTTP has the URL and takes the token from where %s can keep one",
    async (editor) => {
      const { spec, problems } = await specOf(editor, http);
      expect(problems).toEqual([]);
      expect(spec).toMatchObject({ type: "http", url: http.url });
      const { bearerToken, headers } = spec as HttpEntry;
      expect(bearerToken === undefined ? headers?.["Authorization"] : `Bearer ${bearerToken}`).toBe("Bearer s3cret");
      expect(describeEntry(editor, http, linux).text).not.toContain("s3cret");
    },
  );

  it("over HTTP is none that Claude Desktop takes", () => {
    expect(() => describeEntry("claude-desktop", http, linux)).toThrow("takes no URL");
  });

  it("names the file that it belongs into", () => {
    const fileOf = (place: typeof linux) => editors.map((editor) => describeEntry(editor, stdio, place).file);
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
    return { id: "x", type: "stdio", command, args } as const;
  };

  it.each([
    "hostside|serve",
    "npx|hostside@latest|serve|--expose|search",
    "npx|-y|-p|hostside|hostside|serve",
    "pnpm|dlx|hostside@1.2.3|--config|a.json|serve",
    "node|/srv/node_modules/hostside/bin/hostside.js|serve",
    "C:\\Users\\ada\\hostside.cmd|serve",
    "cmd|/c|npx -y hostside serve",
    "sh|-c|exec npx hostside --timeout 5 'serve'",
  ])("knows %s", (line) => {
    expect(isServeEntry(spec(line))).toBe(true);
  });

  it.each([
    "npx|-y|server-filesystem|/srv/hostside",
    "hostside|list",
    "serve|hostside",
    "npx|hostside-serve",
    "node|server.js|serve",
  ])("leaves %s alone", (line) => {
    expect(isServeEntry(spec(line))).toBe(false);
  });

  it("knows its own address, by whatever name of this machine", () => {
    const at = (url: string) => ({ id: "x", type: "http", url }) as const;
    const own = ["http://127.0.0.1:7077"];
    const known = ["http://localhost:7077/mcp", "http://[::1]:7077/x", "http://127.0.0.1:7077"];
    expect(known.map((url) => isServeEntry(at(url), own))).toEqual([true, true, true]);
    const others = ["http://127.0.0.1:7078/mcp", "https://example.com:7077/mcp", "no URL"];
    expect(others.map((url) => isServeEntry(at(url), own))).toEqual([false, false, false]);
  });
});
