import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { hasBrowser, openBrowser, terminalPrompt } from "../src/node.ts";
import { type TerminalPromptOptions, launchersOf } from "../src/node/prompts.ts";
import type { OAuthPrompt, PromptRequest } from "../src/oauth-options.ts";

const page = "https://login.example/authorize?client_id=a&state=the-state";
const callback = "http://127.0.0.1:9/callback?code=secret&state=the-state";

function requestFor(url: string, signal: AbortSignal = new AbortController().signal): PromptRequest {
  return { serverId: "wiki", title: "Wiki", url: new URL(url), signal };
}

describe.runIf(process.platform === "linux")("openBrowser with what the system has", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hostside-browser-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /**
   * Programs on the path, all of which write their arguments to a file, one a line, and end with a
   * code.
   */
  function install(programs: Readonly<Record<string, number>>): {
    readonly opened: (program: string) => Promise<readonly string[]>;
  } {
    const bin = mkdtempSync(join(folder, "bin-"));
    for (const [program, exitCode] of Object.entries(programs)) {
      const file = join(bin, `${program}.txt`);
      const script = `#!/bin/sh\nprintf '%s\\n' "$@" > '${file}.new'\n/bin/mv '${file}.new' '${file}'\nexit ${exitCode}\n`;
      writeFileSync(join(bin, program), script, { mode: 0o700 });
    }
    vi.stubEnv("PATH", bin);
    onTestFinished(() => void vi.unstubAllEnvs());
    const opened = async (program: string): Promise<readonly string[]> =>
      readFileSync(join(bin, `${program}.txt`), "utf8")
        .trimEnd()
        .split("\n");
    return { opened };
  }

  it.each(["http://127.0.0.1:8080/authorize", "http://localhost/authorize", "http://[::1]:1/", "http://2130706433/"])(
    "opens %s",
    async (url) => {
      const { opened } = install({ "xdg-open": 0 });
      expect(await openBrowser()(requestFor(url))).toBe("completed");
      expect(await opened("xdg-open")).toEqual([new URL(url).href]);
    },
  );

  it.each([
    "http://login.example/",
    "http://10.0.0.1/",
    "http://127.0.0.1.example/",
    "http://localhost@login.example/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "ms-settings:network",
    "ftp://127.0.0.1/",
    "data:text/html,x",
  ])("never opens %s", async (url) => {
    const { opened } = install({ "xdg-open": 0 });
    await expect(openBrowser()(requestFor(url))).rejects.toMatchObject({ code: "not_allowed", serverId: "wiki" });
    await expect(opened("xdg-open")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("opens nothing for a sign-in that was given up", async () => {
    const { opened } = install({ "xdg-open": 0 });
    const gone = AbortSignal.abort(new Error("given up"));
    await expect(openBrowser()(requestFor(page, gone))).rejects.toThrow("given up");
    await expect(opened("xdg-open")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("hands a hostile URL over as one argument, and no shell reads it", async () => {
    const { opened } = install({ "xdg-open": 0 });
    const sign = join(folder, "sign");
    const parts = ["$(touch X)", "`touch X`", '";touch X;"', "'|touch X|'", "&calc", "%PATH%", "^&touch X", "\n-flag"];
    const hostile = `https://login.example/${parts.join("/")}?${parts.join("&")}#${parts.join("")}`.replaceAll(
      "X",
      sign,
    );
    expect(await openBrowser()(requestFor(hostile))).toBe("completed");
    const { href } = new URL(hostile);
    expect(href).toContain("$(touch");
    expect(await opened("xdg-open")).toEqual([href]);
    expect(existsSync(sign)).toBe(false);
  });

  it("tries what Linux within Windows has, and then says that there is no browser", async () => {
    const { opened } = install({ "xdg-open": 3, "rundll32.exe": 0 });
    await openBrowser()(requestFor(page));
    expect(await opened("rundll32.exe")).toEqual(["url.dll,FileProtocolHandler", page]);
    install({ "xdg-open": 3 });
    await expect(openBrowser()(requestFor(page))).rejects.toMatchObject({
      code: "auth_required",
      rawMessage: "no browser could be opened here",
      cause: { message: "xdg-open: exit code 3; wslview: ENOENT; rundll32.exe: ENOENT" },
    });
  });
});

it("starts the programs of Windows and of a Mac by their whole paths", () => {
  const rundll32 = String.raw`D:\Win\System32\rundll32.exe`;
  expect(launchersOf("win32", { SystemRoot: "D:\\Win" })).toEqual([[rundll32, "url.dll,FileProtocolHandler"]]);
  expect(launchersOf("darwin")).toEqual([["/usr/bin/open"]]);
});

interface TestTerminal {
  readonly input: PassThrough & { isTTY?: boolean; isRaw?: boolean; setRawMode?: (raw: boolean) => void };
  readonly output: PassThrough & { isTTY?: boolean };
  /** Resolves when the text was written, to all that was. */
  written(text: string): Promise<string>;
}

function createTerminal(isTTY: boolean): TestTerminal {
  const input: TestTerminal["input"] = new PassThrough();
  const output: TestTerminal["output"] = new PassThrough();
  let all = "";
  const changed = new PassThrough();
  output.on("data", (part: Buffer) => {
    all += part.toString();
    changed.emit("more");
  });
  if (isTTY) {
    input.isRaw = false;
    Object.assign(input, { isTTY, setRawMode: (raw: boolean) => void (input.isRaw = raw) });
    Object.assign(output, { isTTY, columns: 200 });
  }
  return {
    input,
    output,
    async written(text) {
      while (!all.includes(text)) await once(changed, "more");
      return all;
    },
  };
}

function promptOn({ input, output }: TestTerminal, options: Partial<TerminalPromptOptions> = {}): OAuthPrompt {
  return terminalPrompt({ input, output, open: false, ...options });
}

describe.each([
  ["a terminal", true],
  ["streams that are none", false],
])("terminalPrompt on %s", (_, isTTY) => {
  it("writes the page, and takes the whole URL that is pasted", async () => {
    const terminal = createTerminal(isTTY);
    const answer = promptOn(terminal)(requestFor(page));
    expect(await terminal.written("press Enter.")).toContain(
      `To sign in to Wiki, open this page in a browser:\n\n  ${page}\n\n`,
    );
    terminal.input.write(`\u001b[200~${callback}\u001b[201~\r\n`);
    expect(await answer).toEqual({ callbackUrl: callback });
    expect(terminal.input.isPaused()).toBe(true);
    expect(terminal.input.isRaw).toBe(isTTY ? false : undefined);
  });

  it("asks again for what is no answer to this page", async () => {
    const terminal = createTerminal(isTTY);
    const answer = promptOn(terminal)(requestFor(page));
    terminal.input.write("what?\n");
    const again = "Paste the whole address of the page that you ended on, and press Enter.\n";
    await terminal.written(`That is not what a sign-in ends with. ${again}`);
    terminal.input.write(`${callback.replace("the-state", "another")}\n`);
    await terminal.written(`That is the address of another sign-in. ${again}`);
    terminal.input.write("http://127.0.0.1:9/callback?code=secret\n");
    terminal.input.write(`\n  ${callback}  \n`);
    expect(await answer).toEqual({ callbackUrl: callback });
    expect((await terminal.written(again)).split(again)).toHaveLength(4);
  });

  it("ends when the answer came another way, and leaves the terminal as it was", async () => {
    const terminal = createTerminal(isTTY);
    if (isTTY) terminal.input.isRaw = true;
    const came = new AbortController();
    const answer = promptOn(terminal)(requestFor(page, came.signal));
    await terminal.written("press Enter.");
    came.abort();
    expect(await answer).toBe("completed");
    expect(terminal.input.isPaused()).toBe(true);
    expect(terminal.input.isRaw).toBe(isTTY || undefined);
    expect(terminal.input.listenerCount("end")).toBe(0);
  });

  it("opens the page where somebody can see it, and says so when it could not", async () => {
    const terminal = createTerminal(isTTY);
    const opened: string[] = [];
    const open: OAuthPrompt = async ({ url }) => {
      opened.push(url.href);
      throw new Error("no browser");
    };
    const answer = promptOn(terminal, { open })(requestFor(page));
    await terminal.written("No browser could be opened here.");
    terminal.input.write(`${callback}\n`);
    expect(await answer).toEqual({ callbackUrl: callback });
    expect(opened).toEqual([page]);
  });
});

describe("terminalPrompt", () => {
  it.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("takes %s for a no, and gives the terminal back", async (_, key) => {
    const terminal = createTerminal(true);
    const answer = promptOn(terminal)(requestFor(page));
    await terminal.written("press Enter.");
    expect(terminal.input.isRaw).toBe(true);
    terminal.input.write(key);
    expect(await answer).toBe("cancelled");
    expect(terminal.input.isRaw).toBe(false);
    expect(terminal.input.isPaused()).toBe(true);
  });

  it("reads the terminal before the page can be seen, so that no key is lost or shown twice", async () => {
    const terminal = createTerminal(true);
    const wasRead: unknown[] = [];
    const write = terminal.output.write.bind(terminal.output);
    const spied = (text: string): boolean => {
      wasRead.push(terminal.input.isRaw);
      if (wasRead.length === 1) terminal.input.write("\u0003");
      return write(text);
    };
    Object.assign(terminal.output, { write: spied });
    expect(await promptOn(terminal)(requestFor(page))).toBe("cancelled");
    expect(wasRead[0]).toBe(true);
  });

  it("waits for the answer by the redirect where nothing can be pasted", async () => {
    const terminal = createTerminal(false);
    const answer = promptOn(terminal)(requestFor(page));
    terminal.input.end();
    expect(await answer).toBe("completed");
  });

  it("takes a paste for a page that keeps its state to itself (RFC 9126)", async () => {
    const terminal = createTerminal(false);
    const answer = promptOn(terminal)(requestFor("https://login.example/authorize?request_uri=urn:x"));
    terminal.input.write(`${callback}\n`);
    expect(await answer).toEqual({ callbackUrl: callback });
  });

  it("asks one question at a time, and forgets one that was given up before its turn", async () => {
    const terminal = createTerminal(false);
    const prompt = promptOn(terminal);
    const first = prompt(requestFor(page));
    const gone = new AbortController();
    const second = prompt({ ...requestFor(page, gone.signal), title: "Second" });
    const third = prompt({ ...requestFor(page.replace("the-state", "third")), title: "Third" });
    gone.abort(new Error("given up"));
    await expect(second).rejects.toThrow("given up");
    terminal.input.write(`${callback}\n`);
    expect(await first).toEqual({ callbackUrl: callback });
    expect(await terminal.written("Third")).not.toContain("Second");
    const other = callback.replace("the-state", "third");
    terminal.input.write(`${other}\n`);
    expect(await third).toEqual({ callbackUrl: other });
  });

  it("shows a title as one plain line", async () => {
    const terminal = createTerminal(false);
    const gone = new AbortController();
    const answer = promptOn(terminal)({ ...requestFor(page, gone.signal), title: "Wi\nki\u001b]0;x\u0007\u202e" });
    expect(await terminal.written("press Enter.")).toContain("To sign in to Wi ki, open");
    gone.abort();
    await answer;
  });

  it.each<[string, Parameters<typeof hasBrowser>[0], boolean]>([
    ["over SSH", { env: { SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22", DISPLAY: ":0" }, platform: "linux" }, false],
    ["over SSH to a Mac", { env: { SSH_TTY: "/dev/ttys1" }, platform: "darwin" }, false],
    ["without a display", { env: {}, platform: "linux" }, false],
    ["with an empty display", { env: { DISPLAY: "" }, platform: "freebsd" }, false],
    ["with a display", { env: { WAYLAND_DISPLAY: "wayland-0" }, platform: "linux" }, true],
    ["with a browser by name", { env: { BROWSER: "/usr/bin/helper" }, platform: "linux" }, true],
    ["on Windows from Linux", { env: { WSL_DISTRO_NAME: "Ubuntu" }, platform: "linux" }, true],
    ["on a Mac", { env: {}, platform: "darwin" }, true],
    ["on Windows", { env: {}, platform: "win32" }, true],
  ])("knows where a page can be seen: %s", (_, place, isSeen) => {
    expect(hasBrowser(place)).toBe(isSeen);
  });

  it("opens no page that nobody would see", async () => {
    vi.stubEnv("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22");
    onTestFinished(() => void vi.unstubAllEnvs());
    const terminal = createTerminal(false);
    const answer = terminalPrompt({ input: terminal.input, output: terminal.output })(requestFor(page));
    await terminal.written("open this page in a browser");
    terminal.input.write(`${callback}\n`);
    expect(await answer).toEqual({ callbackUrl: callback });
  });

  it("passes on what a product's own way to open pages answers", async () => {
    const terminal = createTerminal(false);
    expect(await promptOn(terminal, { open: async () => "cancelled" })(requestFor(page))).toBe("cancelled");
  });

  it("refuses options that cannot be used", () => {
    const { input, output } = createTerminal(false);
    expect(() => terminalPrompt({ input, output, opens: 1 } as never)).toThrow('no option "opens"');
  });
});
