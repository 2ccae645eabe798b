import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "@hostside/core/implement";
import type { RecordedServer, WireMessage } from "./wire-message.ts";

const relay = fileURLToPath(new URL("../programs/recording-relay.mjs", import.meta.url));

/** The command of a stdio server, with a relay in front that writes down every line. */
export function recordStdio({
  command,
  args = [],
}: {
  command: string;
  args?: readonly string[] | undefined;
}): RecordedServer {
  const folder = mkdtempSync(join(tmpdir(), "hostside-dialogue-"));
  const record = join(folder, "lines.ndjson");
  writeFileSync(record, "");
  return {
    address: { type: "stdio", command: process.execPath, args: [relay, record, command, ...args] },
    seen: () => readFileSync(record, "utf8").split("\n").filter(Boolean).map(readLine),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function readLine(text: string): WireMessage {
  // The relay wrote it.
  const { from, line } = JSON.parse(text) as { readonly from: "client" | "server"; readonly line: string };
  const message: unknown = JSON.parse(line);
  if (!isJsonObject(message)) throw new TypeError(`the ${from} wrote ${line.slice(0, 100)}`);
  return { from, message };
}
