import { truncateText } from "@hostside/core";
import { inventedValue, otherValue } from "../names.ts";

/**
 * Keeps the number of series bounded, whatever servers name their tools: what comes after as many
 * values as there may be is `_other`.
 */
export interface BoundedValues {
  /** The value, at most 128 characters of it, or `_other`. A value that was let in stays in. */
  of(attribute: string, serverId: string, value: string): string;
  /** The value if it was let in before, or `_OTHER`: for what may be invented. */
  known(attribute: string, serverId: string, value: string): string;
}

const longestValue = 128;
/** Bound of one attribute of one server, such as the names of its tools. */
const mostPerServer = 200;
/** Bound of one attribute, over all servers. */
const mostValues = 2000;

/** Makes one that has let nothing in so far. */
export function createBoundedValues(): BoundedValues {
  const cut = (value: string): string => truncateText(value.toWellFormed(), longestValue);
  const attributes = new Map<string, { count: number; readonly servers: Map<string, Set<string>> }>();
  return {
    of(attribute, serverId, value) {
      const text = cut(value);
      const known = attributes.get(attribute) ?? { count: 0, servers: new Map<string, Set<string>>() };
      attributes.set(attribute, known);
      const values = known.servers.get(serverId);
      if (values?.has(text) === true) return text;
      if (known.count >= mostValues || (values?.size ?? 0) >= mostPerServer) return otherValue;
      known.count += 1;
      if (values === undefined) known.servers.set(serverId, new Set([text]));
      else values.add(text);
      return text;
    },
    known(attribute, serverId, value) {
      const text = cut(value);
      return attributes.get(attribute)?.servers.get(serverId)?.has(text) === true ? text : inventedValue;
    },
  };
}
