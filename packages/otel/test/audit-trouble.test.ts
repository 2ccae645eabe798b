import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createAuditLog, verifyAuditLog, type AuditLog } from "../src/log.ts";
import { openAuditFile, verifyAuditFiles } from "../src/node.ts";

const folder = mkdtempSync(join(tmpdir(), "hostside-audit-trouble-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function openLog(path: string, maxFileBytes?: number): Promise<AuditLog> {
  return createAuditLog({ sink: await openAuditFile({ path, maxFileBytes }) });
}

const note = { type: "note", text: "x".repeat(100) };
const refusal = { code: "store_failed" };

describe("a file that is not where it was", () => {
  it("is never put in the place of one that is full, by whoever writes to it too", async () => {
    const path = join(folder, "two.jsonl");
    const first = await openLog(path, 400);
    await first.append(note);
    // Whoever knows of no lock.
    rmSync(`${path}.lock.1`);
    const second = await openLog(path, 400);
    await first.append(note);
    await expect(second.append(note)).rejects.toMatchObject(refusal);
    await first.close();
    await second.close();
    expect(await verifyAuditFiles(path)).toMatchObject({ ok: true, lines: 2 });
  });

  it("is not renamed onto another", async () => {
    const path = join(folder, "taken.jsonl");
    const log = await openLog(path, 400);
    await log.append(note);
    writeFileSync(`${path}.1`, "kept");
    await expect(log.append(note)).rejects.toMatchObject(refusal);
    await log.close();
    expect(readFileSync(`${path}.1`, "utf8")).toBe("kept");
  });

  it("is not written to when somebody has moved or removed it", async () => {
    const path = join(folder, "moved.jsonl");
    const log = await openLog(path);
    await log.append(note);
    renameSync(path, join(folder, "elsewhere"));
    await expect(log.append(note)).rejects.toMatchObject(refusal);
    await log.close();
  });

  it.skipIf(process.platform === "win32")("is a file, and nothing else", async () => {
    const path = join(folder, "pipe");
    execFileSync("bash", ["-c", 'mkfifo "$0"', path]);
    await expect(openAuditFile({ path })).rejects.toMatchObject(refusal);
  });

  it("is not gone on with after a number that none can follow", async () => {
    const path = join(folder, "number.jsonl");
    writeFileSync(path, `{"seq":1e300,"at":"","previous":"","entry":{}}\n`);
    await expect(openAuditFile({ path })).rejects.toMatchObject(refusal);
  });
});

describe("verifying", () => {
  it.each(["missing.jsonl", join("no-folder", "missing.jsonl"), "."])(
    "names a file that cannot be read: %s",
    async (name) => {
      const path = join(folder, name);
      await expect(verifyAuditFiles(path)).rejects.toMatchObject({
        code: "store_failed",
        message: expect.stringContaining(`the file ${JSON.stringify(path)} of the audit log cannot be read: `),
        cause: { message: expect.stringMatching(/ENOENT|EISDIR/) },
      });
      await expect(verifyAuditFiles(path, { what: 1 } as never)).rejects.toThrow(TypeError);
    },
  );

  it("finds bytes that are no UTF-8, in a line and behind the last one", async () => {
    let written = "";
    const log = await createAuditLog({ sink: { write: async (text) => void (written += text) } });
    await log.append({ type: "note", text: "\ufffd ü 😀" });
    await log.close();
    const bytes = Buffer.from(written);
    expect(await verifyAuditLog([bytes], { reaches: log.head })).toMatchObject({ ok: true });
    expect(await verifyAuditLog(written.split(""), { reaches: log.head })).toMatchObject({ ok: true });
    expect(await verifyAuditLog([bytes, Uint8Array.of(0xe2)])).toMatchObject({ ok: false, problem: "cut-off" });
    const at = bytes.indexOf(Buffer.from("\ufffd"));
    const changed = Buffer.concat([bytes.subarray(0, at), Buffer.of(0xff), bytes.subarray(at + 3)]);
    expect(await verifyAuditLog([changed], { reaches: log.head })).toMatchObject({ ok: false, problem: "malformed" });
  });

  it("takes no head that is none, which nothing would be held against", async () => {
    const reaches = { seq: "5", hash: "" } as never;
    await expect(verifyAuditLog([], { reaches })).rejects.toThrow(TypeError);
  });

  it("reads no line further than the longest that there is", async () => {
    let pieces = 0;
    const endless = function* (): Generator<Uint8Array> {
      for (;;) {
        pieces += 1;
        yield new Uint8Array(64 * 1024);
      }
    };
    expect(await verifyAuditLog(endless())).toMatchObject({ ok: false, line: 1, problem: "malformed" });
    expect(pieces).toBeLessThan(300);
  });
});
