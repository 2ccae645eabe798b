import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolCall } from "@hostside/core";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { createAuditLog, verifyAuditLog, type AuditLogOptions, type AuditSink } from "../src/log.ts";
import { openAuditFile, verifyAuditFiles } from "../src/node.ts";

const folder = mkdtempSync(join(tmpdir(), "hostside-audit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const key = "a key of at least thirty-two bytes";
const call = {
  origin: { serverId: "s", toolName: "pay", qualifiedName: "mcp::s::pay" },
  definition: { name: "mcp_s_pay", description: "", inputSchema: {} },
  args: { token: "secret", amount: 5 },
  options: { context: { principal: "ada" } },
} as ToolCall;
const answer = async () => ({ content: [], isError: false, origin: call.origin, raw: {} });

interface Written extends AuditSink {
  text: string;
  /** What the next writes fail with. */
  fault?: Error | undefined;
}

function inMemory(): Written {
  const sink: Written = {
    text: "",
    async write(text) {
      if (sink.fault !== undefined) throw sink.fault;
      sink.text += text;
    },
  };
  return sink;
}

// Windows has no such modes.
function modeOf(path: string): number {
  return process.platform === "win32" ? 0o600 : statSync(path).mode & 0o777;
}

async function writeLog(entries: number, options: Partial<AuditLogOptions> = {}): Promise<string> {
  const sink = inMemory();
  const log = await createAuditLog({ sink, ...options });
  for (let count = 0; count < entries; count += 1) await log.append({ type: "note", count });
  await log.close();
  return sink.text;
}

describe("an audit log", () => {
  it("has a line for each call, each with the hash of the one before, and no argument", async () => {
    const sink = inMemory();
    const log = await createAuditLog({ sink, key });
    await log.interceptor(call, answer);
    await log.interceptor(call, () => Promise.reject(new Error("secret"))).catch(() => undefined);
    await log.append({ type: "login", password: "secret", who: "ada" });
    await log.flush();
    const lines = sink.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ seq, entry }) => [seq, entry.type, entry.ended ?? entry.password])).toEqual([
      [1, "call", "ok"],
      [2, "call", "internal_error"],
      [3, "login", "[redacted]"],
    ]);
    expect(sink.text).not.toContain("secret");
    expect(await verifyAuditLog([sink.text], { key, reaches: log.head })).toEqual({
      ok: true,
      lines: 3,
      head: log.head,
    });
  });

  it("is found out at the first line that is not as it was written, whatever was done to it", async () => {
    const text = await writeLog(6, { key });
    const lines = text.trimEnd().split("\n");
    const join_ = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");
    const verdict = async (changed: string, options = {}): Promise<unknown> => {
      const found = await verifyAuditLog([changed], { key, ...options });
      return found.ok ? "ok" : [found.line, found.problem];
    };
    const head = { seq: 6, hash: "f".repeat(64) };
    expect(await verdict(text)).toBe("ok");
    expect(await verdict(text.slice(0, -1))).toEqual([6, "cut-off"]);
    expect(await verdict(text.slice(0, -40))).toEqual([6, "cut-off"]);
    expect(await verdict(text.replace('"count":2', '"count":3'))).toEqual([3, "wrong-code"]);
    expect(await verdict(join_(lines.toSpliced(2, 1)))).toEqual([3, "wrong-sequence"]);
    expect(await verdict(join_(lines.toSpliced(2, 0, lines[1] ?? "")))).toEqual([3, "wrong-sequence"]);
    expect(await verdict(join_(lines.toSpliced(1, 2, lines[2] ?? "", lines[1] ?? "")))).toEqual([2, "wrong-sequence"]);
    expect(await verdict(join_(lines.toSpliced(1, 1, "not json")))).toEqual([2, "malformed"]);
    expect(await verdict(join_(lines.slice(0, 4)), { reaches: head })).toEqual([5, "too-short"]);
    expect(await verdict(text, { reaches: head })).toEqual([6, "replaced"]);
    // Without the key, whoever forges a line has to forge all that follow; with a wrong one, no
    // line is right.
    const forged = text.replace('"count":2', '"count":3');
    const found = await verifyAuditLog([forged]);
    expect(found).toMatchObject({ ok: false, line: 4, problem: "broken-chain" });
    expect(await verdict(text, { key: "another key of at least thirty-two" })).toEqual([1, "wrong-code"]);
  });

  it("finds any change of any byte", async () => {
    const text = await writeLog(5, { key });
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom("0", "x", "\n", "}", ""), async (at, byte) => {
        const changed = text.slice(0, at) + byte + text.slice(at + 1);
        fc.pre(changed !== text);
        const { ok } = await verifyAuditLog([changed.slice(0, 40), changed.slice(40)], {
          key,
          reaches: { seq: 5, hash: "" },
        }).catch(() => ({ ok: false }));
        expect(ok).toBe(false);
      }),
    );
  });

  it("blocks no call when it cannot be written, says so once, and goes on where it stopped", async () => {
    const sink = inMemory();
    const problems: unknown[] = [];
    const log = await createAuditLog({
      sink,
      maxWaiting: 2,
      onProblem: ({ kind, ...rest }) => problems.push([kind, "lost" in rest ? rest.lost : rest.waiting]),
    });
    await log.append({ type: "first" });
    sink.fault = new Error("ENOSPC: no space left on device");
    for (let count = 0; count < 5; count += 1) {
      await expect(log.interceptor(call, answer)).resolves.toMatchObject({ isError: false });
      await log.flush();
    }
    await expect(log.append({ type: "refused" })).rejects.toMatchObject({ code: "store_failed" });
    sink.fault = undefined;
    await log.flush();
    const types = sink.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).entry)
      .map(({ type, count }) => [type, count]);
    expect(types).toEqual([
      ["first", undefined],
      ["lost", 3],
      ["call", undefined],
      ["call", undefined],
    ]);
    expect(problems).toEqual([
      ["failed", 1],
      ["restored", 3],
    ]);
    expect(await verifyAuditLog([sink.text])).toMatchObject({ ok: true, lines: 4 });
  });

  it("refuses calls where that is asked for, and has each before it is sent", async () => {
    const sink = inMemory();
    const log = await createAuditLog({ sink, onFailure: "refuse", captureArguments: true });
    let sent = 0;
    const send = async () => {
      expect(sink.text).toContain('"call-started"');
      sent += 1;
      return answer();
    };
    await log.interceptor(call, send);
    sink.fault = new Error("ENOSPC");
    await expect(log.interceptor(call, send)).rejects.toMatchObject({ code: "store_failed", outcome: "not-sent" });
    expect(sent).toBe(1);
    expect(sink.text).toContain('{"token":"[redacted]","amount":5}');
  });
});

describe("the file of an audit log", () => {
  it("is its owner's alone, goes on after a restart and over several files, and is verified with all of them", async () => {
    const path = join(folder, "audit.jsonl");
    for (let start = 0; start < 3; start += 1) {
      const log = await createAuditLog({ sink: await openAuditFile({ path, maxFileBytes: 600 }), key });
      for (let count = 0; count < 3; count += 1) await log.append({ type: "note", start, count });
      await log.close();
    }
    expect(modeOf(path)).toBe(0o600);
    const files = readdirSync(folder).filter((name) => name.startsWith("audit.jsonl"));
    expect(files.length).toBeGreaterThan(2);
    expect(await verifyAuditFiles(path, { key })).toMatchObject({ ok: true, lines: 9, head: { seq: 9 } });
    rmSync(join(folder, files.find((name) => name !== "audit.jsonl") ?? ""));
    expect(await verifyAuditFiles(path, { key })).toMatchObject({ ok: false });
  });

  it("takes a last line without an end away, says how much it was, and lets others read no file that was open to them", async () => {
    const path = join(folder, "cut.jsonl");
    const first = await createAuditLog({ sink: await openAuditFile({ path }) });
    await first.append({ type: "a" });
    await first.append({ type: "b" });
    await first.close();
    truncateSync(path, statSync(path).size - 10);
    chmodSync(path, 0o644);
    const second = await createAuditLog({ sink: await openAuditFile({ path }) });
    await second.append({ type: "c" });
    await second.close();
    const entries = readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).entry);
    expect(entries).toMatchObject([{ type: "a" }, { type: "resumed", cutBytes: expect.any(Number) }, { type: "c" }]);
    expect(await verifyAuditFiles(path)).toMatchObject({ ok: true, lines: 3 });
    expect(modeOf(path)).toBe(0o600);
  });

  it("is not gone on with after what is no line of it, nor while somebody else writes to it", async () => {
    const path = join(folder, "strange.jsonl");
    writeFileSync(path, "hello\n");
    await expect(openAuditFile({ path })).rejects.toMatchObject({ code: "store_failed" });
    const shared = join(folder, "shared.jsonl");
    const log = await createAuditLog({ sink: await openAuditFile({ path: shared }) });
    await log.append({ type: "a" });
    appendFileSync(shared, "theirs\n");
    await expect(log.append({ type: "b" })).rejects.toMatchObject({ code: "store_failed" });
    await log.close();
    await expect(openAuditFile({ path: join(folder, "no", "such.jsonl") })).rejects.toMatchObject({
      code: "store_failed",
    });
  });

  it.skipIf(process.platform === "win32")("stays whole when the disk is full", async () => {
    const path = join(folder, "full.jsonl");
    const program = join(import.meta.dirname, "programs", "fill-file.mjs");
    const command = ["-c", 'ulimit -f 4; exec "$0" "$@"', process.execPath, program, path];
    const written = Number(execFileSync("bash", command, { encoding: "utf8" }));
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(50);
    expect(await verifyAuditFiles(path)).toMatchObject({ ok: true, lines: written });
  });
});
