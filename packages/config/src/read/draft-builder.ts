import type { HttpEntry, ServerSpec, StdioEntry, ToolOverride } from "@hostside/core";
import type { FieldPlace, ServerDraft, ServerExtras, VariableField } from "../drafts/configured-server.ts";
import type { ConfigPath } from "../parse/config-data.ts";
import type { ParsedConfig } from "../parse/parsed-config.ts";
import type { ReadServer } from "./server-reader.ts";

/** A spec while it is put together, with the place of each of its fields. */
export interface DraftBuilder {
  arguments(args: readonly string[], paths: readonly ConfigPath[]): void;
  /** Members of `env` or `headers`, each at its own place; of two with one name the first stays. */
  member(field: "env" | "headers", named: readonly [name: string, value: string], path: ConfigPath): void;
  /**
   * A field of the spec. Those with members have methods of their own. Here and below, `undefined`
   * sets nothing.
   */
  set<Field extends keyof DraftFields>(field: Field, value: DraftFields[Field] | undefined, path: ConfigPath): void;
  timeout(field: keyof NonNullable<ServerSpec["timeouts"]>, ms: number | undefined, path: ConfigPath): void;
  /** Overrides of one tool, added to those from before. */
  tool(name: string, override: ToolOverride, path: ConfigPath): void;
  variable(reference: VariableField, path: ConfigPath): void;
  extra<Field extends keyof ServerExtras>(field: Field, value: ServerExtras[Field]): void;
  /** Notes the place of something that is in no spec. */
  place(field: string, path: ConfigPath): void;
  build(id: string): NonNullable<ReturnType<ReadServer>>;
}

type DraftFields = Omit<StdioEntry, "type" | "url"> & Omit<HttpEntry, "type" | "command">;

/** An empty draft of a server over stdio or HTTP. */
export function createDraftBuilder(type: "stdio" | "http", positionOf: ParsedConfig["positionOf"]): DraftBuilder {
  const members = { env: new Map<string, string>(), headers: new Map<string, string>() };
  const spec = new Map<string, unknown>([["type", type]]);
  const timeouts = new Map<string, number>();
  const tools = new Map<string, ToolOverride>();
  const places = new Map<string, FieldPlace>();
  const variables: VariableField[] = [];
  const extras = new Map<string, unknown>();
  const place = (field: string, path: ConfigPath): void => {
    const position = positionOf(path);
    places.set(field, position === undefined ? { path } : { path, position });
  };
  return {
    arguments(args, paths) {
      spec.set("args", args);
      for (const [index, path] of paths.entries()) place(`args[${index}]`, path);
    },
    member(field, [name, value], path) {
      if (members[field].has(name)) return;
      members[field].set(name, value);
      place(`${field}.${name}`, path);
    },
    set(field, value, path) {
      if (value === undefined) return;
      spec.set(field, value);
      place(field, path);
    },
    timeout(field, ms, path) {
      if (ms === undefined) return;
      timeouts.set(field, ms);
      place(`timeouts.${field}`, path);
    },
    tool(name, override, path) {
      tools.set(name, { ...tools.get(name), ...override });
      place(`tools[${JSON.stringify(name)}]`, path);
    },
    variable(reference, path) {
      variables.push(reference);
      place(reference.field, path);
    },
    place,
    extra(field, value) {
      if (value !== undefined) extras.set(field, value);
    },
    build(id) {
      for (const [field, texts] of Object.entries(members)) if (texts.size > 0) spec.set(field, toRecord(texts));
      if (type === "http" && extras.has("oauth") && !hasCredentials(spec, members.headers, variables)) {
        spec.set("auth", "oauth");
      }
      if (timeouts.size > 0) spec.set("timeouts", toRecord(timeouts));
      if (tools.size > 0) spec.set("tools", toRecord(tools));
      const draft = { id, ...toRecord(spec) } as unknown as ServerDraft;
      return { draft, places, variables, extras: toRecord(extras) as ServerExtras };
    },
  };
}

// A server that says how to sign in wants that, unless it has credentials already.
function hasCredentials(
  spec: ReadonlyMap<string, unknown>,
  headers: ReadonlyMap<string, string>,
  variables: readonly VariableField[],
): boolean {
  const isHeader = (name: string): boolean => name.toLowerCase() === "authorization";
  if (spec.has("bearerToken") || [...headers.keys()].some(isHeader)) return true;
  return variables.some(({ field }) => field === "bearerToken" || isHeader(field.replace("headers.", "")));
}

// Own members whatever they are called, `__proto__` included.
function toRecord<T>(members: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries(members);
}
