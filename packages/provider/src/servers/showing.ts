import { cleanText, type Diagnostic, type ServerInfo, type ServerSpec, type ToolListing } from "@hostside/core";
import { freezeData, quoteText, sameJson } from "@hostside/core/implement";
import type { NameCollision } from "@hostside/naming";
import type { ServerStatus } from "../api/mcp-provider.ts";
import type { ToolServerListing } from "../catalog/catalog.ts";
import { isSameOrigin, type ListingOrigin } from "../catalog/define-tool.ts";
import { readStatus, type Registration } from "./registration.ts";
import type { ProviderParts } from "./server-reports.ts";

interface PutOff {
  cause: Registration | undefined;
  readonly tasks: (() => void)[];
}

/** The way from the registrations to the catalogue, and to those who watch. */
export class Showing {
  readonly #all: () => readonly Registration[];
  readonly #parts: ProviderParts;
  readonly #announced = new WeakMap<Registration, string>();
  /** Things put off: the latest registration that has tools to show, and what is to be said. */
  #putOff: PutOff | undefined;

  constructor(all: () => readonly Registration[], parts: ProviderParts) {
    this.#all = all;
    this.#parts = parts;
  }

  /**
   * Shows the latest listings of all registrations that are not held. `cause` is the one that has
   * news, for errors. Never throws.
   */
  publish(cause: Registration): void {
    if (this.#putOff !== undefined) {
      this.#putOff.cause = cause;
      return;
    }
    try {
      this.#show({ readmit: false });
    } catch {
      // The last good catalogue stays. What is to blame is a naming strategy of the product's own,
      // or we are.
      const serverId = cause.id;
      const message = "the tools could not be shown, because making the catalogue failed; the last good one stays";
      this.#parts.observers.diagnose({ kind: "defect", serverId, message });
    }
  }

  /** Publishes if a registration has tools to show that are not on show. */
  publishNews(cause: Registration): void {
    // A refresh of a thousand servers without news must not make a thousand catalogues.
    if (!this.#isShown(cause)) this.publish(cause);
  }

  /**
   * Asks of every tool once more whether it is on offer, and shows what is. Throws when no
   * catalogue could be made.
   */
  readmit(): void {
    this.#show({ readmit: true });
  }

  #show({ readmit }: { readonly readmit: boolean }): void {
    const { catalog, observers } = this.#parts;
    const listings = this.#all().flatMap(({ held, shownListing }) =>
      held || shownListing === undefined ? [] : [shownListing],
    );
    const { collisions, problems } = catalog.publish(listings, { readmit });
    for (const diagnostic of [...collisionDiagnostics(collisions), ...problems]) observers.diagnose(diagnostic);
  }

  status(registration: Registration): ServerStatus {
    const { catalog } = this.#parts;
    return readStatus(registration, { catalog: catalog.current });
  }

  /**
   * Says in which state a registration is now, if that is news. Its end is not announced here,
   * because whether it is one depends on what comes in its place.
   */
  announce(registration: Registration): void {
    this.#say(() => {
      if (registration.link.state.kind === "removed") return;
      const now = this.status(registration);
      const news = [now.state, now.stage, now.error?.message, now.stale, now.degraded].join("\n");
      if (this.#announced.get(registration) === news) return;
      this.#announced.set(registration, news);
      this.#parts.observers.status.emit(now);
    });
  }

  /** Says that a registration has ended. */
  announceEnd(registration: Registration): void {
    this.#say(() => this.#parts.observers.status.emit(this.status(registration)));
  }

  report(diagnostics: readonly Diagnostic[]): void {
    for (const diagnostic of diagnostics) this.#say(() => this.#parts.observers.diagnose(diagnostic));
  }

  /**
   * Makes several changes one: whoever watches sees what is shown change once, and hears of it when
   * all is done. `work` must not wait.
   */
  together(work: () => void): void {
    const mine: PutOff = { cause: undefined, tasks: [] };
    this.#putOff = mine;
    try {
      work();
    } finally {
      this.#putOff = undefined;
      if (mine.cause !== undefined) this.publish(mine.cause);
      for (const task of mine.tasks) task();
    }
  }

  #say(task: () => void): void {
    if (this.#putOff === undefined) task();
    else this.#putOff.tasks.push(task);
  }

  #isShown({ id, held, shownListing }: Registration): boolean {
    return held || shownListing === undefined || this.#parts.catalog.current.servers.get(id)?.listing === shownListing;
  }
}

/** One diagnostic for each tool that had to take another name than it would have had. */
function collisionDiagnostics(collisions: readonly NameCollision[]): readonly Diagnostic[] {
  return collisions.flatMap(({ name, members, reservedFor, reserved }) => {
    const message =
      reservedFor !== undefined
        ? `${quoteText(name)} would be a name of server ${JSON.stringify(reservedFor)}`
        : reserved === true
          ? `${quoteText(name)} is a reserved name`
          : `${members.length} tools would be called ${quoteText(name)}`;
    return members.map(({ serverId, toolName }) => ({ kind: "name-collision", serverId, toolName, message }));
  });
}

/**
 * Keeps a good listing. Returns what is to be reported of it, unless it was reported of the one
 * before. `shownListing` stays the same object when nothing that the catalogue shows is new.
 */
export function takeListing(
  registration: Registration,
  listing: ToolListing,
  server: ServerInfo,
): readonly Diagnostic[] {
  const { id, link, listing: before, saved } = registration;
  registration.listing = listing;
  registration.saved = undefined;
  // Only what this registration listed: it may begin with the listing of the one that it replaces.
  // What was saved may be of an earlier version.
  const isSuccessor = before === undefined && (saved === undefined || saved.server.name === server.name);
  const replaced = isSuccessor ? undefined : describeReplacement(registration.shownListing?.server, server);
  if (replaced !== undefined) registration.replacements += 1;
  // What was selected from another server says nothing about this one, even if it reads the same.
  const origin = listingOriginOf(registration);
  const next: ToolServerListing = { origin, spec: link.spec, server, tools: listing.tools };
  // Every status hands out what the server says of itself.
  const isNews = !sameListing(registration.shownListing, next);
  if (isNews) registration.shownListing = { ...next, server: freezeData({ ...server }) };
  const reported =
    before?.truncated === listing.truncated &&
    sameJson(before?.dropped ?? [], listing.dropped) &&
    sameJson(before?.withoutSchema ?? [], listing.withoutSchema ?? []);
  const unmatched = filterDiagnostics(link.spec, listing);
  const unmatchedBefore = before === undefined ? [] : filterDiagnostics(link.spec, before);
  return [
    ...(replaced === undefined ? [] : [{ kind: "server-replaced", serverId: id, message: replaced } as const]),
    ...(reported ? [] : listingDiagnostics(id, listing)),
    ...(sameTools(unmatchedBefore, unmatched) ? [] : unmatched),
  ];
}

/** Which of the servers that a registration has met listed something. */
export function listingOriginOf({ link, replacements, provider }: Registration): ListingOrigin {
  return { spec: link.spec, replacements, provider };
}

function describeReplacement(before: ServerInfo | undefined, after: ServerInfo): string | undefined {
  if (before === undefined || (before.name === after.name && before.version === after.version)) return undefined;
  return `the server came back as another one: ${nameOf(before)} before, ${nameOf(after)} now`;
}

function nameOf({ name, version }: ServerInfo): string {
  return [name === undefined ? "without a name" : JSON.stringify(name), version].filter(Boolean).join(" ");
}

/**
 * Gives a registration another spec, for all that needs no new session. Returns what is worth
 * telling of it.
 */
export function changeSpec(registration: Registration, spec: ServerSpec): readonly Diagnostic[] {
  const { link, listing, shownListing } = registration;
  link.use(spec);
  if (shownListing !== undefined) registration.shownListing = { ...shownListing, spec };
  return listing === undefined ? [] : filterDiagnostics(spec, listing);
}

function sameTools(before: readonly Diagnostic[], after: readonly Diagnostic[]): boolean {
  return before.length === after.length && after.every(({ toolName }, index) => toolName === before[index]?.toolName);
}

function sameListing(before: ToolServerListing | undefined, next: ToolServerListing): boolean {
  return (
    before !== undefined &&
    isSameOrigin(before.origin, next.origin) &&
    before.spec === next.spec &&
    sameJson(before.server, next.server) &&
    sameJson(before.tools, next.tools)
  );
}

/**
 * Reports on a listing for a developer: which tools were left out or mended, and why it
 * stops where it does.
 */
function listingDiagnostics(
  serverId: string,
  { dropped, withoutSchema = [], truncated, tools, failure }: ToolListing,
): readonly Diagnostic[] {
  const drops = dropped.map(({ name, reason }): Diagnostic => ({
    kind: "tool-dropped",
    serverId,
    message: `a tool was left out: ${cleanText(reason, 512)}`,
    ...(name !== undefined && { toolName: name }),
  }));
  const mended = withoutSchema.map(({ name, reason }): Diagnostic => ({
    kind: "schema-replaced",
    serverId,
    message: `a schema was left out: ${cleanText(reason, 512)}`,
    ...(name !== undefined && { toolName: name }),
  }));
  if (truncated === undefined) return [...drops, ...mended];
  const why = failure === undefined ? truncated : cleanText(failure.message, 512);
  const message = `the list of tools stops after ${tools.length}: ${why}`;
  return [...drops, ...mended, { kind: "listing-truncated", serverId, message }];
}

/**
 * One diagnostic for each name in `allow`, `deny` or `tools` that the server does not list: it may
 * be misspelt. None for a listing that was cut short, because the name may stand in the rest.
 */
function filterDiagnostics(
  { id, allow = [], deny = [], tools: overrides = {} }: ServerSpec,
  { tools, dropped, truncated }: ToolListing,
): readonly Diagnostic[] {
  const overridden = Object.keys(overrides);
  if (allow.length + deny.length + overridden.length === 0 || truncated !== undefined) return [];
  // Why a tool was dropped is another diagnostic.
  const listed = new Set([...tools, ...dropped].map(({ name }) => name));
  const unmatched = (member: "allow" | "deny" | "tools", names: readonly string[]): readonly Diagnostic[] =>
    names
      .filter((name) => !listed.has(name))
      .map((toolName) => ({
        kind: member === "tools" ? "unmatched-override" : "unmatched-filter",
        serverId: id,
        toolName,
        message: `${member} of server ${JSON.stringify(id)} has ${quoteText(toolName)}, and the server lists no such tool`,
      }));
  return [...unmatched("allow", allow), ...unmatched("deny", deny), ...unmatched("tools", overridden)];
}
