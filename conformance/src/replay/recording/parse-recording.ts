import { cleanText, type JsonObject, type JsonValue } from "@hostside/core";
import { isJsonObject, quoteText } from "@hostside/core/implement";
import { readEvent } from "./read-event.ts";
import {
  type RecordedEvent,
  type RecordedServer,
  type Recording,
  recordingError,
  isDeeperThan,
  type RecordedTransport,
} from "./recorded-event.ts";

/** The version of the format that is written and read. */
export const formatVersion = 1;

/** What is read of a recording at most, in UTF-16 units. */
export const mostLength: number = 64 * 1024 * 1024;
const mostServers = 1000;
const deepest = 150;

/**
 * Reads a recording. It is data that somebody else may have written: nothing of it is executed, and
 * all of it is bounded; `name` stands in errors. A last line that was cut off is left out, which `problems` says. Throws
 * `invalid_recording`, which names the line, for anything that is no recording, and for one
 * of a later version.
 */
export function parseRecording(text: string, name: string = "recording"): Recording {
  if (text.length > mostLength) throw recordingError(`${name} is longer than ${mostLength}`);
  const lines = text.split("\n");
  const isCut = lines.at(-1) !== "";
  if (!isCut) lines.pop();
  const reading: Reading = { name, servers: new Map(), events: [], openers: new Map(), isEnded: false, problems: [] };
  lines.forEach((line, index) => {
    const at = index + 1;
    const value = parseLine(line, `${name}:${at}`, isCut && at === lines.length);
    if (value === undefined) return void reading.problems.push(`line ${at} was cut off and is left out`);
    if (at === 1) return assertHeader(value, name);
    take(value, at, reading);
  });
  if (lines.length === 0 || (lines.length === 1 && reading.problems.length > 0))
    throw recordingError(`${name} is empty`);
  if (!reading.isEnded) reading.problems.push("its end was never written: whatever recorded it was stopped before");
  return { servers: [...reading.servers.values()], events: reading.events, problems: reading.problems };
}

interface Reading {
  readonly name: string;
  readonly servers: Map<string, RecordedServer>;
  readonly events: RecordedEvent[];
  /** How each run began. */
  readonly openers: Map<number, "start" | "request">;
  isEnded: boolean;
  readonly problems: string[];
}

function take(value: JsonObject, line: number, reading: Reading): void {
  const { name, servers, events, openers } = reading;
  const fail = (problem: string): Error => recordingError(`${name}:${line}: ${problem}`);
  switch (value["type"]) {
    case "server": {
      const server = readServer(value);
      if (typeof server === "string") throw fail(server);
      if (servers.size >= mostServers) throw fail(`more than ${mostServers} servers`);
      return void servers.set(server.id, server);
    }
    case "end":
      reading.isEnded = true;
      if (typeof value["dropped"] === "number" && value["dropped"] > 0)
        reading.problems.push(`${value["dropped"]} events are missing: there was no room for them`);
      return;
    default: {
      const event = readEvent(value, line);
      if (typeof event === "string") throw fail(event);
      if (event.type === "start" || event.type === "request") {
        if (openers.has(event.run)) throw fail(`run ${event.run} began before`);
        const server = servers.get(event.server);
        if (server === undefined)
          throw fail(`server ${quoteText(event.server, 100)} was not introduced by a line of the type "server"`);
        const kind = event.type === "start" ? "stdio" : "http";
        if (server.transport.type !== kind)
          throw fail(`type ${event.type} is not for a server that is reached by ${server.transport.type}`);
        openers.set(event.run, event.type);
      } else if (!openers.has(event.run)) throw fail(`run ${event.run} has not begun`);
      return void events.push(event);
    }
  }
}

function parseLine(text: string, where: string, isLast: boolean): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Whatever wrote it was stopped in the middle of it.
    if (isLast) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    throw recordingError(`${where}: no JSON: ${cleanText(why, 200)}`, error);
  }
  if (!isJsonObject(value)) throw recordingError(`${where}: each line must be a JSON object`);
  if (isDeeperThan(value, deepest)) throw recordingError(`${where}: nested more than ${deepest} deep`);
  return value;
}

function assertHeader(value: JsonObject, name: string): void {
  if (value["hostside"] !== "recording")
    throw recordingError(`${name}:1: no recording: its first line must begin with {"hostside":"recording"`);
  const { version } = value;
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1)
    throw recordingError(`${name}:1: version must be a positive integer`);
  if (version > formatVersion)
    throw recordingError(
      `${name}:1: has version ${version} of the format, and this is a Hostside that reads ${formatVersion}; update @hostside/conformance`,
    );
}

/** Reads a line that introduces a server. */
function readServer({ id, transport: given }: JsonObject): string | RecordedServer {
  if (typeof id !== "string" || id === "") return "id must be a text that is not empty";
  const transport = readTransport(given);
  if (transport !== undefined) return { id, transport };
  return 'transport must be of the type "stdio" with a command, or of the type "http" with a URL';
}

function readTransport(value: JsonValue | undefined): RecordedTransport | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, command, args, url, mode } = value;
  if (type === "stdio" && typeof command === "string" && command !== "") {
    const texts = Array.isArray(args) ? args.filter((arg): arg is string => typeof arg === "string") : [];
    return { type, command, ...(texts.length > 0 && { args: texts }) };
  }
  if (type === "http" && typeof url === "string" && URL.canParse(url)) {
    const isMode = mode === "auto" || mode === "streamable" || mode === "sse";
    return { type, url, ...(isMode && { mode }) };
  }
  return undefined;
}
