import { readFileSync } from "node:fs";
import { readContent, HostsideError, type JsonObject, type JsonValue, type ToolOutcome } from "@hostside/core";
import { present, presentError, type PresentOptions } from "@hostside/results";
import { describe, expect, it } from "vitest";

interface ResultVector extends Expected {
  readonly id: string;
  readonly options?: PresentOptions;
  readonly result: { readonly content: readonly JsonObject[]; readonly isError?: boolean } & JsonObject;
  readonly blocks?: JsonValue;
  readonly structured?: JsonValue;
  readonly isError?: boolean;
}

interface Expected {
  readonly text?: JsonValue;
  readonly envelope?: JsonValue;
}

interface ErrorVector extends Expected {
  readonly id: string;
  readonly error: Pick<HostsideError, "code" | "message" | "serverId" | "toolName"> & {
    readonly retryAfterMs?: number;
    readonly violations?: readonly { readonly path: string; readonly message: string }[];
  };
}

interface Vectors {
  readonly origin: { readonly serverId: string; readonly toolName: string };
  readonly png: string;
  readonly results: readonly ResultVector[];
  readonly errors: readonly ErrorVector[];
}

const file = JSON.parse(readFileSync(new URL("../vectors/results.json", import.meta.url), "utf8")) as Vectors;
const { results, errors } = expand(file, file.png) as Vectors;

// A list whose members are texts or [text, times] is a text; "$png" is the picture of the file.
function expand(value: unknown, png: string): unknown {
  if (value === "$png") return png;
  if (Array.isArray(value)) {
    const isText = value.length > 0 && value.every((one) => typeof one === "string" || isRepeated(one));
    if (isText && value.some(isRepeated)) {
      return value.map((one: unknown) => (isRepeated(one) ? one[0].repeat(one[1]) : one)).join("");
    }
    return value.map((one) => expand(one, png));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expand(member, png)]));
}

function isRepeated(value: unknown): value is readonly [string, number] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string" && typeof value[1] === "number";
}

function outcomeOf({ result }: ResultVector): ToolOutcome {
  const { serverId, toolName } = file.origin;
  const { structuredContent, _meta, isError } = result;
  return {
    content: readContent(result.content),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: isError === true,
    origin: { serverId, toolName, qualifiedName: `mcp::${serverId}::${toolName}` },
    ...(_meta === undefined ? {} : { meta: _meta as JsonObject }),
    raw: result,
  };
}

function errorOf({
  error: { code, message, serverId, toolName, retryAfterMs, violations },
}: ErrorVector): HostsideError {
  const details = {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(violations === undefined ? {} : { violations }),
  };
  return new HostsideError(message, { code, serverId, toolName, details });
}

function expectEach(expected: object, found: Readonly<Record<string, () => unknown>>): number {
  let checked = 0;
  for (const [form, make] of Object.entries(found)) {
    if (!Object.hasOwn(expected, form)) continue;
    checked += 1;
    expect(make(), form).toEqual((expected as Record<string, unknown>)[form]);
  }
  return checked;
}

describe("golden vectors of results", () => {
  it.each(results.map((vector) => [vector.id, vector] as const))("%s", (_id, vector) => {
    const outcome = outcomeOf(vector);
    const { options } = vector;
    expectEach(vector, {
      blocks: () => present(outcome, "blocks", options).blocks,
      structured: () => present(outcome, "blocks", options).structured,
      isError: () => present(outcome, "blocks", options).isError,
      text: () => present(outcome, "text", options),
      envelope: () => present(outcome, "envelope"),
    });
    expect(present(outcome, "raw"), "raw").toBe(vector.result);
  });
});

describe("golden vectors of errors", () => {
  it.each(errors.map((vector) => [vector.id, vector] as const))("%s", (_id, vector) => {
    const error = errorOf(vector);
    const checked = expectEach(vector, {
      text: () => presentError(error, "text"),
      envelope: () => presentError(error, "envelope"),
    });
    expect(checked).toBeGreaterThan(0);
  });
});
