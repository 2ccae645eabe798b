import type { AdmissionServer, ToolDefinition } from "@hostside/core";
import { assertKnownOptions, foldCase, type Fields } from "@hostside/core/implement";
import { qualifiedName } from "@hostside/naming";
import { readSelection } from "../rules/select-tools.ts";
import type { ToolSubject } from "../rules/tool-subject.ts";
import type { ApprovalMode } from "./approval-options.ts";

/** A tool that somebody may have to be asked about. A call is one. */
export interface AskedTool {
  readonly definition: ToolDefinition;
  readonly server?: AdmissionServer | undefined;
}

/** Why a call has to be approved. */
export interface WhyAsked {
  /** The rule as the product wrote it. */
  readonly rule: string;
  /** In words, for people. */
  readonly why: string;
}

/**
 * Whether the mode wants a tool approved. `localName` is what the model calls it by, where that is
 * known.
 */
export type AskedByMode = (subject: ToolSubject, localName: string | undefined) => WhyAsked | undefined;

type Selecting = Exclude<ApprovalMode, string>;
const modeFields: Fields<Selecting> = { named: true, tools: true };

/**
 * Reads a mode, or follows one that may be another one later. Throws a `TypeError` that names its
 * part for one that makes no sense.
 */
export function readMode(mode: ApprovalMode | (() => ApprovalMode)): AskedByMode {
  return typeof mode === "function" ? followMode(mode) : readFixedMode(mode);
}

function followMode(mode: () => ApprovalMode): AskedByMode {
  let known: { readonly mode: ApprovalMode; readonly asked: AskedByMode } | undefined;
  return (subject, localName) => {
    const now = mode();
    if (known?.mode !== now) known = { mode: now, asked: readFixedMode(now) };
    return known.asked(subject, localName);
  };
}

function readFixedMode(mode: ApprovalMode): AskedByMode {
  if (mode === "none") return () => undefined;
  if (mode === "all") return () => ({ rule: "approval.mode", why: "every call is to be approved" });
  if (typeof mode === "string")
    throw new TypeError(`approval.mode: ${JSON.stringify(mode)} is none of "none", "all", { named }, { tools }`);
  assertKnownOptions("approval.mode", mode, modeFields);
  const { named, tools } = mode;
  if (named === undefined && tools === undefined) throw new TypeError("approval.mode names no tool");
  const find = named === undefined ? undefined : readNames(named);
  const selected = tools === undefined ? undefined : readSelection(tools, "approval.mode.tools");
  return (subject, localName) => {
    const name = find?.(subject, localName);
    if (name !== undefined) {
      return { rule: "approval.mode.named", why: `calls of ${JSON.stringify(name)} are to be approved` };
    }
    if (selected?.matches(subject) !== true) return undefined;
    return { rule: "approval.mode.tools", why: `calls of ${selected.text} are to be approved` };
  };
}

/** Finds the name that means a tool, as it was written. */
function readNames(
  named: readonly string[],
): (subject: ToolSubject, localName: string | undefined) => string | undefined {
  if (!Array.isArray(named) || named.length === 0) {
    throw new TypeError("approval.mode.named must be a list of names that is not empty");
  }
  for (const [index, name] of named.entries()) {
    if (typeof name === "string" && name !== "") continue;
    throw new TypeError(`approval.mode.named[${index}] must be a text that is not empty`);
  }
  const names = new Map(named.map((name) => [foldCase(name), name] as const));
  return ({ serverId, toolName }, localName) =>
    names.get(foldCase(toolName)) ??
    names.get(foldCase(serverId === "" ? `local::${toolName}` : qualifiedName({ serverId, toolName }))) ??
    (localName === undefined ? undefined : findLocal(names, foldCase(localName)));
}

// Shorter names are never cut, so that only their hash is to be taken off.
const maybeCut = 48;

/**
 * A server can have a hash put on the name of its tool, by a second tool that wants the same name.
 * To ask once too often harms nobody.
 */
function findLocal(names: ReadonlyMap<string, string>, localName: string): string | undefined {
  const exact = names.get(localName);
  if (exact !== undefined) return exact;
  const hash = /[0-9a-f]{6,16}$/.exec(localName);
  if (hash === null) return undefined;
  const head = localName.slice(0, hash.index).replace(/[_-]$/, "");
  for (const [name, written] of names) {
    if (name === head || (localName.length >= maybeCut && head.length > 0 && name.startsWith(head))) return written;
  }
  return undefined;
}
