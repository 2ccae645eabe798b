import type { ToolEffect } from "@toolport/core";
import { assertKnownOptions, isToolEffect, type Fields } from "@toolport/core/implement";
import { matchGlob, type GlobMatch } from "./match-glob.ts";
import type { ToolSubject } from "./tool-subject.ts";

/**
 * Which tools something is about. All members that are given have to hold; none means every tool. A list is one of its members. Servers
 * and tools are meant by identity: the id in the spec and the name that the server has for the tool, byte for byte, and in each `*` stands
 * for any characters. Labels are `name:value`, and the value may have `*`.
 */
export interface ToolSelector {
  /** Server ids. `""` is a tool that is on no server. */
  readonly server?: string | readonly string[] | undefined;
  /** Remote names. */
  readonly tool?: string | readonly string[] | undefined;
  readonly labels?: string | readonly string[] | undefined;
  readonly effect?: ToolEffect | readonly ToolEffect[] | undefined;
}

/**
 * Which tools something is about: a selector, or `"server/tool"` for short, such as `"github/delete_*"`. The first `/` divides the
 * two; an id that has one itself needs the long form. Several are one of them.
 */
export type ToolSelection = string | ToolSelector | readonly (string | ToolSelector)[];

/** A selection that was read. */
export interface ToolMatcher {
  matches(tool: ToolSubject): boolean;
  /** As it was written, for people. */
  readonly text: string;
}

const selectorFields: Fields<ToolSelector> = { server: true, tool: true, labels: true, effect: true };

/** Reads a selection. Throws a `TypeError` that names `place`, such as `"deny[2]"`, for one that makes no sense. */
export function readSelection(selection: ToolSelection, place: string): ToolMatcher {
  if (!isList(selection)) return readSelector(selection, place);
  if (selection.length === 0) throw new TypeError(`${place} selects no tool: the list is empty`);
  const matchers = selection.map((one, index) => readSelector(one, `${place}[${index}]`));
  return {
    matches: (tool) => matchers.some((matcher) => matcher.matches(tool)),
    text: matchers.map(({ text }) => text).join(", "),
  };
}

function isList(selection: ToolSelection): selection is readonly (string | ToolSelector)[] {
  return Array.isArray(selection);
}

function readSelector(selector: string | ToolSelector, place: string): ToolMatcher {
  if (typeof selector === "string") return { ...readSelector(readShort(selector, place), place), text: selector };
  assertKnownOptions(place, selector, selectorFields);
  const server = readGlobs(selector.server, `${place}.server`);
  const tool = readGlobs(selector.tool, `${place}.tool`);
  const labels = listOf(selector.labels, `${place}.labels`).map((label) => readLabel(label, `${place}.labels`));
  const effects = listOf(selector.effect, `${place}.effect`);
  for (const effect of effects) {
    if (!isToolEffect(effect)) throw new TypeError(`${place}.effect: ${JSON.stringify(effect)} is no effect`);
  }
  return {
    matches: (subject) =>
      (server === undefined || server.some((matches) => matches(subject.serverId))) &&
      (tool === undefined || tool.some((matches) => matches(subject.toolName))) &&
      labels.every(
        (label) => Object.hasOwn(subject.labels, label.name) && label.matches(subject.labels[label.name] as string),
      ) &&
      (effects.length === 0 || effects.includes(subject.effect)),
    text: JSON.stringify(selector),
  };
}

function readShort(text: string, place: string): ToolSelector {
  const at = text.indexOf("/");
  if (at < 0) throw new TypeError(`${place}: ${JSON.stringify(text)} is not "server/tool"`);
  return { server: text.slice(0, at), tool: text.slice(at + 1) };
}

function readGlobs(value: unknown, place: string): readonly GlobMatch[] | undefined {
  return value === undefined ? undefined : listOf(value, place).map(matchGlob);
}

function readLabel(label: string, place: string): { readonly name: string; readonly matches: GlobMatch } {
  const at = label.indexOf(":");
  if (at < 1) throw new TypeError(`${place}: ${JSON.stringify(label)} is not "name:value"`);
  return { name: label.slice(0, at), matches: matchGlob(label.slice(at + 1)) };
}

function listOf(value: unknown, place: string): readonly string[] {
  if (value === undefined) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw new TypeError(`${place} is an empty list`);
  if (!list.every((one) => typeof one === "string")) throw new TypeError(`${place} must be a text or a list of texts`);
  return list;
}
