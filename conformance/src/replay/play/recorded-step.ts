import type { HostEvent, RecordedEvent, ServerEvent, RecordedText } from "../recording/recorded-event.ts";
import type { JsonObject, JsonValue } from "@hostside/core";

/** Something that the host did in a recording, and that it is waited for in a replay. */
export interface HostStep {
  readonly kind: "start" | "message" | "stream" | "delete" | "input-end";
  readonly event: HostEvent;
  readonly run: number;
  /** Of a message. */
  readonly message?: JsonObject;
  /** Its id, as the recording names it. */
  readonly id?: string;
  /** Its progress token, as the recording names it. */
  readonly token?: string;
  used: boolean;
  /** Who plays its part now. */
  live?: LiveRun;
  liveId?: JsonValue;
  liveToken?: JsonValue;
}

/** Something that came of it. */
export interface ServerStep {
  readonly event: ServerEvent;
  /** What the host has to do first. */
  readonly needs: readonly HostStep[];
  /** Whose live run gets it. */
  readonly owner: HostStep;
  played: boolean;
}

/** All of one server, in the order of the recording. */
export interface ServerScript {
  readonly id: string;
  readonly hosts: readonly HostStep[];
  readonly servers: readonly ServerStep[];
  /** By the name that the recording gives to an id of the host. */
  readonly requests: ReadonlyMap<string, HostStep>;
  /** By the name that it gives to a progress token. */
  readonly tokens: ReadonlyMap<string, HostStep>;
  /** By the name of a question of the server's: the request that it belongs to. */
  readonly questions: ReadonlyMap<string, HostStep>;
}

/** A process or an exchange of HTTP that is played. */
export interface LiveRun {
  readonly recordedRun?: number;
  /** Takes what comes next; what it is handed after its end it leaves alone. */
  readonly deliver: (event: ServerEvent) => void;
}

/** Whether an event is the host's. */
export function isHostEvent(event: RecordedEvent): event is HostEvent {
  return hostTypes.has(event.type);
}

/** After which event a host wants the rest of a stream. */
export function lastEventIdOf(event: HostEvent): string | undefined {
  return event.type === "request" ? event.headers?.["last-event-id"] : undefined;
}

const hostTypes: ReadonlySet<string> = new Set(["start", "sent", "stdin-end", "request", "taken-back"]);

/** The bytes that were recorded; what was not kept of them is blanks. */
export function bytesOf(recorded: RecordedText): Buffer {
  const kept = "text" in recorded ? Buffer.from(recorded.text) : Buffer.from(recorded.base64, "base64");
  return recorded.omitted === undefined ? kept : Buffer.concat([kept, Buffer.alloc(recorded.omitted, " ")]);
}
