import { inspect } from "node:util";
import type { ContentBlock, ToolOutcome, HostsideError } from "@hostside/core";
import { createRedaction } from "../src/redaction/create-redaction.ts";
import type { RedactionOptions } from "../src/redaction/create-redaction.ts";
import { outcomeOf, stageCall, stageParts } from "./still-parts.ts";

const key = new Uint8Array(32).fill(7);
const alphabet = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7";
export const long = alphabet.repeat(4);
export const github = `ghp_${long.slice(0, 36)}`;
export const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${long.slice(0, 43)}`;
const dashes = "-".repeat(5);
export const pem = `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${long}\n${long}\n${dashes}END RSA PRIVATE KEY${dashes}`;
export const placeholder = /\[secret:[0-9a-f]{16}\]/;

/** Who calls. */
export interface Caller {
  readonly principal?: string;
  readonly conversation?: string;
  readonly toolName?: string;
}

/** A redaction around tools that answer, and that fail. */
export function createRedactionWorld(options: RedactionOptions = {}) {
  const parts = stageParts();
  const redaction = createRedaction({ key, ...options }, parts);
  const send = (outcome: Partial<ToolOutcome>, { toolName, ...context }: Caller = {}): Promise<ToolOutcome> =>
    redaction.interceptor(
      stageCall({
        ...(toolName !== undefined && { toolName }),
        options: { ...(Object.keys(context).length > 0 && { context }) },
      }),
      async () => outcomeOf(outcome),
    );
  const fail = async (error: unknown): Promise<HostsideError> => {
    try {
      await redaction.interceptor(stageCall(), async () => {
        throw error;
      });
    } catch (thrown) {
      return thrown as HostsideError;
    }
    throw new Error("it did not reject");
  };
  return { parts, redaction, send, fail };
}

export const textOf = (text: string): readonly ContentBlock[] => [{ type: "text", text }];

/** The text of the first block. */
export function firstText([block]: readonly ContentBlock[]): string {
  if (block?.type === "text") return block.text;
  throw new Error("no text");
}

/** All that anybody could show of a value. */
export function shownOf(value: unknown): string {
  const texts = [
    JSON.stringify(value),
    inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null, customInspect: false }),
  ];
  return texts.join("\n");
}
