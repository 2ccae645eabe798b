import type { ToolEffect } from "@hostside/core";
import {
  assertKnownOptions,
  foldCase,
  isPlainObject,
  isToolEffect,
  kindOf,
  type Fields,
} from "@hostside/core/implement";
import { matchGlob, type GlobMatch } from "./match-glob.ts";
import type { ToolSubject } from "./tool-subject.ts";

/**
 * Which tools something is about. All members that are given have to hold; none means every tool.
 * Servers and tools are meant by identity: the id in the spec and the name that the server has for
 * the tool, byte for byte, and in each `*` stands for any characters.
 */
export interface ToolSelector {
  /** Server ids. `""` is a tool that is on no server. A list is one of its members. */
  readonly server?: string | readonly string[] | undefined;
  /** Remote names. A list is one of its members. */
  readonly tool?: string | readonly string[] | undefined;
  /** `name:value`, and the value may have `*`. All labels in a list have to match. */
  readonly labels?: string | readonly string[] | undefined;
  /** A list is one of its members. */
  readonly effect?: ToolEffect | readonly ToolEffect[] | undefined;
  /**
   * Selects tools that came, or changed, after the first listing of their server that the store
   * keeps, or that are not in its lock. An approved tool is not new. `false`: the others. Needs
   * `pins`.
   */
  readonly new?: boolean | undefined;
  /**
   * Selects tools whose definition has exactly this word on approval. It is the host's own: of the
   * entry of the server, never of its hints.
   */
  readonly requireApproval?: boolean | undefined;
}

/**
 * Which tools something is about: a selector, or `"server/tool"` for short, such as
 * `"github/delete_*"`, or a qualified name, such as `"mcp::github::delete_*"`. The first `/`
 * divides server and tool; an id that has one itself needs another form. Several are one of them.
 */
export type ToolSelection = string | ToolSelector | readonly (string | ToolSelector)[];

/** A selection that was read. */
export interface ToolMatcher {
  matches(tool: ToolSubject): boolean;
  /** As it was written, for people. */
  readonly text: string;
}

/** A selector that was read. */
export interface ReadSelector extends ToolMatcher {
  /** Globs, one of which has to match; `undefined` when any server will do. */
  readonly servers: readonly string[] | undefined;
  readonly tools: readonly string[] | undefined;
  readonly hasLabels: boolean;
  readonly isAboutNew: boolean;
}

/** The members of a selector, for options that have more than those. */
export const selectorFields: Fields<ToolSelector> = {
  server: true,
  tool: true,
  labels: true,
  effect: true,
  new: true,
  requireApproval: true,
};

/**
 * Reads a selection. Throws a `TypeError` that names `place`, such as `"deny[2]"`, for one that
 * makes no sense, and for one that can match no tool at all.
 */
export function readSelection(selection: ToolSelection, place: string): ToolMatcher {
  if (!isList(selection)) return readSelector(selection, place);
  if (selection.length === 0) throw new TypeError(`${place} selects no tool: the list is empty`);
  const matchers = selection.map((one, index) => readSelector(one, `${place}[${index}]`));
  return {
    matches: (tool) => matchers.some((matcher) => matcher.matches(tool)),
    text: matchers.map(({ text }) => text).join(", "),
  };
}

function isList<T>(selection: T | readonly T[]): selection is readonly T[] {
  return Array.isArray(selection);
}

/**
 * Reads one selector. Throws as {@linkcode readSelection} does. `loosely` compares remote names as
 * local names spell them: `delete_repo` is `Delete-Repo`, too.
 */
export function readSelector(selector: string | ToolSelector, place: string, loosely = false): ReadSelector {
  if (typeof selector === "string") {
    const read = selector.startsWith("mcp::") ? readQualifiedName(selector, place) : readShort(selector, place);
    return { ...readSelector(read, place), text: selector };
  }
  assertSelector(selector, place);
  assertKnownOptions(place, selector, selectorFields);
  const { new: isNew, requireApproval } = selector;
  for (const [name, flag] of Object.entries({ new: isNew, requireApproval })) {
    if (flag !== undefined && typeof flag !== "boolean") throw new TypeError(`${place}.${name} must be true or false`);
  }
  const servers = listOf(selector.server, `${place}.server`);
  const tools = listOf(selector.tool, `${place}.tool`);
  const labels = listOf(selector.labels, `${place}.labels`)?.map((label) => readLabel(label, `${place}.labels`)) ?? [];
  const effects = listOf(selector.effect, `${place}.effect`);
  for (const effect of effects ?? []) {
    if (!isToolEffect(effect)) throw new TypeError(`${place}.effect: ${JSON.stringify(effect)} is no effect`);
  }
  if (tools?.every((tool) => tool === "") === true) {
    throw new TypeError(`${place} can match no tool: every tool has a name`);
  }
  if ((labels.length > 0 || isNew === true) && servers?.every((server) => server === "") === true) {
    const lacks = labels.length > 0 ? "has no labels" : "is never new";
    throw new TypeError(`${place} can match no tool: a tool that is on no server ${lacks}`);
  }
  const isServer = anyOf(servers?.map(matchGlob));
  const isTool = anyOf(tools?.map(loosely ? matchLoosely : matchGlob));
  return {
    matches: (subject) =>
      isServer(subject.serverId) &&
      isTool(subject.toolName) &&
      labels.every(({ name, isValue }) => Object.hasOwn(subject.labels, name) && isValue(subject.labels[name] ?? "")) &&
      (effects === undefined || effects.includes(subject.effect)) &&
      (requireApproval === undefined || requireApproval === subject.requireApproval) &&
      (isNew === undefined || isNew === (subject.isNew?.() ?? false)),
    text: JSON.stringify(selector),
    servers,
    tools,
    hasLabels: labels.length > 0,
    isAboutNew: isNew !== undefined,
  };
}

function readQualifiedName(text: string, place: string): ToolSelector {
  const [, server = "", ...rest] = text.split("::");
  const tool = rest.length === 0 ? "*" : rest.join("::");
  if (server === "" || tool === "") throw new TypeError(`${place}: ${JSON.stringify(text)} is not "mcp::server::tool"`);
  return { server: server.replaceAll("%3A", ":").replaceAll("%25", "%"), tool };
}

function readShort(text: string, place: string): ToolSelector {
  const at = text.indexOf("/");
  if (at < 0) {
    const meant = `${JSON.stringify(`${text}/*`)}, or ${JSON.stringify(`/${text}`)} for a tool of your own`;
    throw new TypeError(`${place}: ${JSON.stringify(text)} is not "server/tool"; did you mean ${meant}?`);
  }
  return { server: text.slice(0, at), tool: text.slice(at + 1) };
}

function anyOf(globs: readonly GlobMatch[] | undefined): GlobMatch {
  if (globs === undefined) return () => true;
  const [only] = globs;
  return globs.length === 1 && only !== undefined ? only : (text) => globs.some((matches) => matches(text));
}

/** Matches remote names however spelled: A to Z lower-cased, all else but digits one `_`. */
function matchLoosely(glob: string): GlobMatch {
  const matches = matchGlob(joinWords(glob, /[^a-z0-9*]+/g));
  return (name) => {
    const spelled = joinWords(name, /[^a-z0-9]+/g);
    // Where names have to begin with a letter, an x is put in front of what does not.
    return matches(spelled) || (!/^[a-z]/.test(spelled) && matches(`x${spelled}`));
  };
}

function joinWords(text: string, others: RegExp): string {
  return foldCase(text).replace(others, "_").replace(/^_|_$/g, "");
}

function readLabel(label: string, place: string): { readonly name: string; readonly isValue: GlobMatch } {
  const at = label.indexOf(":");
  if (at < 1) throw new TypeError(`${place}: ${JSON.stringify(label)} is not "name:value"`);
  return { name: label.slice(0, at), isValue: matchGlob(label.slice(at + 1)) };
}

function listOf(value: unknown, place: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw new TypeError(`${place} is an empty list`);
  if (!list.every((one) => typeof one === "string")) throw new TypeError(`${place} must be a text or a list of texts`);
  return list;
}

/** Throws a `TypeError` for what is neither a text nor an object. */
export function assertSelector(selector: unknown, place: string): void {
  if (!isPlainObject(selector))
    throw new TypeError(`${place} must be "server/tool" or an object, not ${kindOf(selector)}`);
}
