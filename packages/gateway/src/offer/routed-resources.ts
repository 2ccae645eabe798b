import type { JsonObject, ListedEntry, Resource, ResourceTemplate } from "@hostside/core";
import { clock, compareText, dropUnseen } from "@hostside/core/implement";
import type { Prompt } from "@hostside/provider/resources";
import type { GatewayResources, ListOptions } from "../settings/gateway-client.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";

/** Which server a URI or the name of a prompt goes to, and what clients call them. */
export interface RoutedResources {
  readonly all: GatewayResources;
  /** Asks the servers for a list, which is shown from then on. */
  list(options: ListOptions): Promise<void>;
  listTemplates(options: ListOptions): Promise<void>;
  listPrompts(options: ListOptions): Promise<void>;
  /** The listed resources: the first of two with one URI, in the order of server ids. */
  resources(): readonly Resource[];
  templates(): readonly ResourceTemplate[];
  prompts(): readonly NamedPrompt[];
  /**
   * The server to ask for a URI: who lists it, whose template it fits best, or who named it first
   * in a result; then the only one there is. With the URI as that server has it: clients see none
   * of its unseen characters.
   */
  routeOf(uri: string): ResourceRoute | undefined;
  /**
   * Does `list` for a URI that nobody is known to have: one at a time, and not again within a
   * second, however many such URIs there are.
   */
  listForUnknown(list: () => Promise<unknown>): Promise<void>;
  /** A template, by its text. */
  templateOf(uriTemplate: string): ResourceTemplate | undefined;
  promptOf(name: string): Prompt | undefined;
  /** A server named resources in a result: a client may ask for them. */
  learn(serverId: string, content: readonly unknown[]): void;
}

/** A server, and a URI as it has it. */
export interface ResourceRoute {
  readonly serverId: string;
  readonly uri: string;
}

/** A prompt under the name that clients know it by. */
export interface NamedPrompt {
  readonly name: string;
  readonly prompt: Prompt;
}

const mostLearned = 1000;
const listAgainMs = 1000;

/** Makes the routes of one conversation. They are looked up, never read out of a name. */
export function createRoutedResources(
  all: GatewayResources,
  { namePrompt, onDiagnostic }: Pick<GatewaySettings, "namePrompt" | "onDiagnostic">,
): RoutedResources {
  let listing: Promise<unknown> = Promise.resolve();
  let listedAt = Number.NEGATIVE_INFINITY;
  const learned = new Map<string, ResourceRoute>();
  const warned = new Set<string>();
  const warn = (shown: string, serverId: string): void => {
    if (warned.has(shown) || warned.size >= mostLearned) return;
    warned.add(shown);
    onDiagnostic({ kind: "name-collision", serverId, message: `another server has ${JSON.stringify(shown)} already` });
  };
  const ownResources = createOwnList<"resources", Resource>(
    "resources",
    () => all.snapshot(),
    (options) => all.list(options),
  );
  const ownTemplates = createOwnList<"templates", ResourceTemplate>(
    "templates",
    () => all.templateSnapshot(),
    (options) => all.listTemplates(options),
  );
  const ownPrompts = createOwnList<"prompts", Prompt>(
    "prompts",
    () => all.promptSnapshot(),
    (options) => all.listPrompts(options),
  );
  const resources = memoized(ownResources.read, (entries) => firstOfEach(entries, ({ uri }) => uri, warn));
  const templates = memoized(ownTemplates.read, (entries) =>
    firstOfEach(entries, ({ uriTemplate }) => uriTemplate, warn),
  );
  const prompts = memoized(ownPrompts.read, (entries) => namePrompts(entries, namePrompt));
  return {
    all,
    list: ownResources.list,
    listTemplates: ownTemplates.list,
    listPrompts: ownPrompts.list,
    resources: () => Array.from(resources().values()),
    templates: () => Array.from(templates().values()),
    prompts: () => Array.from(prompts(), ([name, prompt]) => ({ name, prompt })),
    routeOf(uri) {
      const shown = dropUnseen(uri);
      // What a server names in a result it may not have: who lists a URI, or a template that it
      // fits, comes first.
      const listed = resources().get(shown);
      if (listed !== undefined) return listed;
      const template = bestTemplate(uri, templates());
      const known = template === undefined ? learned.get(shown) : { serverId: template.serverId, uri };
      if (known !== undefined) return known;
      const serverId = onlyServer([...ownResources.read().entries, ...ownTemplates.read().entries]);
      return serverId === undefined ? undefined : { serverId, uri };
    },
    async listForUnknown(list) {
      const listInTurn = async (): Promise<void> => {
        if (clock.now() - listedAt < listAgainMs) return;
        await list();
        listedAt = clock.now();
      };
      const turn = listing.then(listInTurn);
      listing = turn.catch(() => undefined);
      await turn;
    },
    templateOf: (uriTemplate) => templates().get(dropUnseen(uriTemplate)),
    promptOf: (name) => prompts().get(dropUnseen(name)),
    learn(serverId, content) {
      for (const uri of content.flatMap(urisOf)) {
        const shown = dropUnseen(uri);
        const other = learned.get(shown)?.serverId;
        if (other !== undefined && other !== serverId) {
          warn(uri, serverId);
          continue;
        }
        learned.delete(shown);
        learned.set(shown, { serverId, uri });
        const [oldest] = learned.keys();
        if (learned.size > mostLearned && oldest !== undefined) learned.delete(oldest);
      }
    },
  };
}

interface Snapshot<T> {
  readonly revision: number;
  readonly entries: readonly T[];
}

/**
 * The list of one kind as this client is shown it: the snapshot, until something is listed that is
 * no part of it. A list that is read for a principal or a role, or with `_meta`, is for its caller
 * alone. If the list of a server could not be read again, its earlier entries stay.
 */
function createOwnList<Name extends string, T extends ListedEntry>(
  name: Name,
  snapshot: () => Snapshot<T>,
  list: (
    options: ListOptions,
  ) => Promise<
    { readonly [Key in Name]: readonly T[] } & { readonly failures: readonly { readonly serverId: string }[] }
  >,
) {
  let own: Snapshot<T> | undefined;
  let listings = 0;
  return {
    read: () => own ?? snapshot(),
    async list(this: void, options: ListOptions): Promise<void> {
      const { [name]: entries, failures } = await list(options);
      const { context, meta } = options;
      if (context?.principal === undefined && context?.role === undefined && meta === undefined) {
        own = undefined;
        return;
      }
      const failed = new Set(failures.map(({ serverId }) => serverId));
      for (const { serverId } of entries) failed.delete(serverId);
      const kept = own?.entries.filter(({ serverId }) => failed.has(serverId)) ?? [];
      listings += 1;
      // A number that no snapshot has.
      const revision = -listings;
      own = { revision, entries: [...entries, ...kept].toSorted((a, b) => compareText(a.serverId, b.serverId)) };
    },
  };
}

function memoized<T, R>(read: () => Snapshot<T>, make: (entries: readonly T[]) => R): () => R {
  let last: { readonly revision: number; readonly value: R } | undefined;
  return () => {
    const { revision, entries } = read();
    if (last?.revision !== revision) last = { revision, value: make(entries) };
    return last.value;
  };
}

function firstOfEach<T extends ListedEntry>(
  entries: readonly T[],
  keyOf: (entry: T) => string,
  warn: (shown: string, serverId: string) => void,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const entry of entries) {
    const key = dropUnseen(keyOf(entry));
    if (found.has(key)) warn(key, entry.serverId);
    else found.set(key, entry);
  }
  return found;
}

/**
 * A name that begins like those of another server is left to that server, whatever the order of the
 * listings: `git` may have a prompt `enterprise_log`, and `git_enterprise` a prompt `log`.
 */
function namePrompts(
  entries: readonly Prompt[],
  namePrompt: (serverId: string, name: string) => string,
): ReadonlyMap<string, Prompt> {
  const named = new Map<string, Prompt>();
  const prefixes = new Map(entries.map(({ serverId }) => [serverId, namePrompt(serverId, "")]));
  const isOfOther = ({ serverId, name }: Prompt): boolean => {
    const own = prefixes.get(serverId) ?? "";
    const wanted = namePrompt(serverId, name);
    return Array.from(prefixes.values()).some((other) => other.length > own.length && wanted.startsWith(other));
  };
  const ordered = entries
    .map((prompt) => ({ prompt, isForeign: isOfOther(prompt) }))
    .toSorted(
      ({ prompt: a, isForeign: one }, { prompt: b, isForeign: other }) =>
        Number(one) - Number(other) || compareText(a.serverId, b.serverId) || compareText(a.name, b.name),
    );
  for (const { prompt, isForeign } of ordered) {
    const plain = dropUnseen(namePrompt(prompt.serverId, prompt.name));
    const wanted = isForeign ? `${plain}_of_${prompt.serverId}` : plain;
    let name = wanted;
    for (let n = 2; named.has(name); n += 1) name = `${wanted}_${n}`;
    named.set(name, prompt);
  }
  return named;
}

/** The template whose text up to its first variable is the longest that the URI begins with. */
function bestTemplate(uri: string, templates: ReadonlyMap<string, ResourceTemplate>): ResourceTemplate | undefined {
  let best: ResourceTemplate | undefined;
  let length = 0;
  for (const template of templates.values()) {
    const { uriTemplate } = template;
    const end = uriTemplate.indexOf("{");
    const literal = end === -1 ? uriTemplate : uriTemplate.slice(0, end);
    if (literal.length <= length || !uri.startsWith(literal)) continue;
    best = template;
    length = literal.length;
  }
  return best;
}

function onlyServer(entries: readonly ListedEntry[]): string | undefined {
  const ids = new Set(entries.map(({ serverId }) => serverId));
  const [only] = ids;
  return ids.size === 1 ? only : undefined;
}

function urisOf(block: unknown): readonly string[] {
  if (typeof block !== "object" || block === null) return [];
  const { type, uri, resource } = block as JsonObject;
  if (type === "resource_link" && typeof uri === "string") return [uri];
  const embedded = type === "resource" && typeof resource === "object" && resource !== null ? resource : undefined;
  const inner = embedded !== undefined && "uri" in embedded ? embedded["uri"] : undefined;
  return typeof inner === "string" ? [inner] : [];
}
