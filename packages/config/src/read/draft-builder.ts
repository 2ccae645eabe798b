import type { HttpEntry, ServerSpec, StdioEntry, ToolOverride } from "@hostside/core";
import type { FieldPlace, ServerDraft, ServerExtras, VariableField } from "../drafts/configured-server.ts";
import type { ConfigPath } from "../parse/config-data.ts";
import type { ParsedConfig } from "../parse/config-problem.ts";
import type { ReadServer } from "./server-reader.ts";

type DraftFields = Omit<StdioEntry, "type" | "url"> & Omit<HttpEntry, "type" | "command">;

/**
 * A spec of a server over stdio or HTTP while it is put together, with the place of each of its
 * fields.
 */
export class DraftBuilder {
  readonly #positionOf: ParsedConfig["positionOf"];
  readonly #members = { env: new Map<string, string>(), headers: new Map<string, string>() };
  readonly #spec: Map<string, unknown>;
  readonly #timeouts = new Map<string, number>();
  readonly #tools = new Map<string, ToolOverride>();
  readonly #places = new Map<string, FieldPlace>();
  readonly #variables: VariableField[] = [];
  readonly #extras = new Map<string, unknown>();

  constructor(type: "stdio" | "http", positionOf: ParsedConfig["positionOf"]) {
    this.#spec = new Map([["type", type]]);
    this.#positionOf = positionOf;
  }

  arguments(args: readonly string[], paths: readonly ConfigPath[]): void {
    this.#spec.set("args", args);
    for (const [index, path] of paths.entries()) this.place(`args[${index}]`, path);
  }

  /** Members of `env` or `headers`, each at its own place; of two with one name the first stays. */
  member(field: "env" | "headers", [name, value]: readonly [string, string], path: ConfigPath): void {
    if (this.#members[field].has(name)) return;
    this.#members[field].set(name, value);
    this.place(`${field}.${name}`, path);
  }

  /**
   * A field of the spec. Fields with members have methods of their own. Here and below, `undefined`
   * sets nothing.
   */
  set<Field extends keyof DraftFields>(field: Field, value: DraftFields[Field] | undefined, path: ConfigPath): void {
    if (value === undefined) return;
    this.#spec.set(field, value);
    this.place(field, path);
  }

  timeout(field: keyof NonNullable<ServerSpec["timeouts"]>, ms: number | undefined, path: ConfigPath): void {
    if (ms === undefined) return;
    this.#timeouts.set(field, ms);
    this.place(`timeouts.${field}`, path);
  }

  /** Overrides of one tool, added to those from before. */
  tool(name: string, override: ToolOverride, path: ConfigPath): void {
    this.#tools.set(name, { ...this.#tools.get(name), ...override });
    this.place(`tools[${JSON.stringify(name)}]`, path);
  }

  variable(reference: VariableField, path: ConfigPath): void {
    this.#variables.push(reference);
    this.place(reference.field, path);
  }

  extra<Field extends keyof ServerExtras>(field: Field, value: ServerExtras[Field]): void {
    if (value !== undefined) this.#extras.set(field, value);
  }

  /** Notes the place of something that is in no spec. */
  place(field: string, path: ConfigPath): void {
    this.#places.set(field, { path, position: this.#positionOf(path) });
  }

  build(id: string): NonNullable<ReturnType<ReadServer>> {
    const [spec, extras] = [this.#spec, this.#extras];
    for (const [field, texts] of Object.entries(this.#members)) if (texts.size > 0) spec.set(field, toRecord(texts));
    if (spec.get("type") === "http" && extras.has("oauth") && !this.#hasCredentials()) spec.set("auth", "oauth");
    if (this.#timeouts.size > 0) spec.set("timeouts", toRecord(this.#timeouts));
    if (this.#tools.size > 0) spec.set("tools", toRecord(this.#tools));
    const draft = { id, ...toRecord(spec) } as unknown as ServerDraft;
    return { draft, places: this.#places, variables: this.#variables, extras: toRecord(extras) as ServerExtras };
  }

  // A server that says how to sign in wants that, unless it has credentials already.
  #hasCredentials(): boolean {
    const isHeader = (name: string): boolean => name.toLowerCase() === "authorization";
    if (this.#spec.has("bearerToken") || [...this.#members.headers.keys()].some(isHeader)) return true;
    return this.#variables.some(({ field }) => field === "bearerToken" || isHeader(field.replace("headers.", "")));
  }
}

// Own members whatever they are called, `__proto__` included.
function toRecord<T>(members: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries(members);
}
