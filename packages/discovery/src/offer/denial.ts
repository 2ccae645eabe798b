import type { ToolDefinition, ToolOrigin } from "@hostside/core";
import { foldCase, isPlainObject, kindOf, quoteText } from "@hostside/core/implement";

/**
 * A tool to deny. An identity (`{ serverId, toolName }`, byte for byte) denies one tool, whatever
 * its local name is or becomes. A text denies every tool that it may be meant for: by local name,
 * with or without a hash at the end, by qualified name, or by server and remote name written as one
 * name; case and punctuation do not count.
 */
export type DeniedTool = string | Pick<ToolOrigin, "serverId" | "toolName">;

/** Which tools do not exist for one agent. */
export interface Denial {
  readonly isEmpty: boolean;
  denies(definition: ToolDefinition): boolean;
  /** For a name that no tool has: whether it was denied in so many words. */
  deniesName(name: string): boolean;
  /** The entries that no tool has met so far. */
  unmet(): readonly DeniedTool[];
}

/**
 * Makes one. A name that was denied once stays denied for the tool that had it: when the tool comes
 * back under another name, it is known by its identity.
 */
export function createDenial(denied: readonly DeniedTool[]): Denial {
  const texts = denied.filter((entry) => typeof entry === "string");
  const names = new Set(texts.map(foldCase));
  const spellings = new Set(texts.map(spellingOf));
  const identities = new Set(denied.flatMap((entry) => (typeof entry === "string" ? [] : [keyOf(entry)])));

  const met = new Set<string>();
  const isMeant = (definition: ToolDefinition): boolean => {
    if (spellings.size === 0) return false;
    if (names.has(foldCase(definition.name))) return meet(spellingOf(definition.name));
    const meant = spellingsOf(definition).find((spelling) => spellings.has(spelling));
    return meant !== undefined && meet(meant);
  };
  const meet = (entry: string): true => {
    met.add(entry);
    return true;
  };
  return {
    isEmpty: denied.length === 0,
    denies(definition) {
      const { origin } = definition;
      if (origin !== undefined && identities.has(keyOf(origin))) return meet(keyOf(origin));
      if (!isMeant(definition)) return false;
      if (origin !== undefined) identities.add(keyOf(origin));
      return true;
    },
    deniesName: (name) => names.has(foldCase(name)),
    unmet: () => denied.filter((entry) => !met.has(typeof entry === "string" ? spellingOf(entry) : keyOf(entry))),
  };
}

const identityMembers: ReadonlySet<string> = new Set(["serverId", "toolName", "qualifiedName"]);

/**
 * Throws a `TypeError` for an entry that would deny nothing: with one letter wrong, a tool that was
 * to be denied could be called. To deny a whole server is not its business: the host's `deny` or
 * `admit` is for that.
 */
export function assertDenied(denied: unknown): asserts denied is readonly DeniedTool[] {
  if (!Array.isArray(denied)) throw new TypeError(`deny must be an array of tools, not ${kindOf(denied)}`);
  for (const [index, entry] of Array.from<unknown>(denied).entries()) {
    const place = `deny[${index}]`;
    if (typeof entry === "string" && entry.trim() !== "") continue;
    if (!isPlainObject(entry)) {
      const shown = typeof entry === "string" ? "a blank text" : kindOf(entry);
      throw new TypeError(`${place} must be the name of a tool, or its serverId and toolName, not ${shown}`);
    }
    const unknown = Object.keys(entry).find((member) => !identityMembers.has(member));
    if (unknown !== undefined) {
      throw new TypeError(`${place} has no member ${quoteText(unknown, 40)}; known are serverId, toolName`);
    }
    for (const member of ["serverId", "toolName"]) {
      if (typeof entry[member] === "string" && entry[member] !== "") continue;
      throw new TypeError(
        `${place} must have a ${member} that is a text and not empty; it denies one tool of one server`,
      );
    }
  }
}

// Six digits at least: the shortest hash that a naming strategy may add.
const hashSuffix = /_[0-9a-f]{6,16}$/;

function spellingsOf({ name, origin }: ToolDefinition): readonly string[] {
  const spelling = spellingOf(name);
  const plain = spelling.replace(hashSuffix, "");
  if (origin === undefined || origin.serverId === "") return [spelling, plain];
  const server = spellingOf(origin.serverId);
  const identity = `${server}_${spellingOf(origin.toolName)}`;
  const prefixes = prefixesOf(plain, server);
  // Names that do not show the server are the remote name, which a cut may have shortened.
  const shownAs = prefixes.length === 0 ? spellingOf(origin.toolName) : spellingOf(origin.qualifiedName);
  const full = ["mcp_", ...prefixes].map((prefix) => `${prefix}${identity}`);
  return [spelling, plain, identity, shownAs, ...full];
}

/**
 * Finds what may stand in front of the server in a name; more than one text, where the server's id
 * stands in it more than once.
 */
function prefixesOf(plain: string, server: string): readonly string[] {
  const prefixes: string[] = [];
  const text = `_${plain}`;
  const segment = `_${server}_`;
  for (let at = text.indexOf(segment); at !== -1; at = text.indexOf(segment, at + 1)) prefixes.push(plain.slice(0, at));
  return prefixes;
}

/**
 * One form for all names that differ in case, in punctuation, or in how often it is repeated only.
 */
function spellingOf(name: string): string {
  const spelling = foldCase(name).replaceAll(/[^a-z0-9]+/g, "_");
  return spelling.replaceAll(/^_|_$/g, "") || name;
}

function keyOf({ serverId, toolName }: Pick<ToolOrigin, "serverId" | "toolName">): string {
  return JSON.stringify([serverId, toolName]);
}
