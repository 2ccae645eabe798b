import type { JsonObject, JsonValue } from "@hostside/core";
import type { RecordedServer } from "./wire-message.ts";

/** The two eras that a dialogue can be held in. */
export type TalkEra = "legacy" | "2026-07-28";

/** What a talker is told before it starts. */
export interface TalkOptions {
  readonly address: RecordedServer["address"];
  readonly era: TalkEra;
  /**
   * Whether somebody is there to answer questions; the answer is always `{ answer: "forty-two" }`.
   */
  readonly answersQuestions: boolean;
}

/** How a call is made. */
export interface TalkCall {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly onProgress?: () => void;
}

/** A connected client in the words of the dialogues. */
export interface Talker {
  /** All pages. */
  listTools(): Promise<readonly string[]>;
  callTool(name: string, args: JsonObject, how?: TalkCall): Promise<JsonObject>;
  request(method: string, params: JsonObject): Promise<JsonValue>;
  /** Resolves when the server has said since the start that its tools changed. */
  toolsChanged(): Promise<void>;
  close(): Promise<void>;
}

/** Connects a client, in the era that it is told. */
export type StartTalker = (options: TalkOptions) => Promise<Talker>;

/** Who every client says that it is. */
export const clientInfo = { name: "dialogue", version: "1.0.0" };

/** What every user answers. */
export const answer = { action: "accept", content: { answer: "forty-two" } } as const;

/** A promise, and what resolves it. */
export function latch(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
