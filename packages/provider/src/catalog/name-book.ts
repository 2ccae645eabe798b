import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import {
  assertNamingStrategy,
  emptyNames,
  loadNames,
  saveNames,
  hostsideNaming,
  assignNames,
  identityOf,
  withoutNames,
  withoutServer,
  type NameTable,
  type NamingStrategy,
  type SavedNames,
  type NameAssignment,
  type ToolIdentity,
} from "@hostside/naming";

/** The parts of a book of names. */
export interface NameBookOptions {
  /**
   * How local tool names look. Default `hostsideNaming`. If its `sanitize` throws or returns no
   * text, that of the default stands in.
   */
  readonly naming?: NamingStrategy | undefined;
  /**
   * Names to give again, as `savedNames()` returned them and JSON brought them back. Throws
   * `invalid_names` when they are not.
   */
  readonly savedNames?: unknown;
}

/**
 * The names that several providers give together (`ProviderOptions.names`): a tool of a server has
 * one local name in all of them, and no two tools ever have the same one, whichever provider lists
 * first. A later listing renames nothing.
 *
 * The names of a server are free again when its last registration under that id, in any of the
 * providers, has ended or its provider was closed; and those of more than 20,000 tools of one
 * server that nobody lists any more.
 */
export interface NameBook {
  /**
   * The names that are given now, as plain JSON: for `savedNames` of another book or provider, in
   * another process or later.
   */
  savedNames(): SavedNames;
}

/**
 * Makes a book without names, but for `savedNames`. Throws a `TypeError` for an option that is
 * unknown or of a wrong type, and `invalid_names`.
 *
 * @example
 * const names = createNameBook();
 * const shared = createProvider({ connector, servers, names });
 * const own = createProvider({ connector, servers: ofAda, names, principal: "ada" });
 */
export function createNameBook(options: NameBookOptions = {}): NameBook {
  assertKnownOptions("createNameBook()", options, optionFields);
  const { naming = hostsideNaming, savedNames } = options;
  assertNamingStrategy(naming);
  const saved = savedNames === undefined ? emptyNames : loadNames(savedNames, naming);
  const names = new SharedNames(guardNaming(naming), saved);
  const book: NameBook = Object.freeze({ savedNames: () => saveNames(names.table) });
  opened.set(book, names);
  return book;
}

const optionFields: Fields<NameBookOptions> = { naming: true, savedNames: true };

// What a book is for the providers that share it, and nobody else's business.
const opened = new WeakMap<NameBook, SharedNames>();

/**
 * Returns the part of a book that providers see. Throws a `TypeError` for anything that
 * `createNameBook()` did not make.
 */
export function openNameBook(book: NameBook): SharedNames {
  const names = opened.get(book);
  if (names === undefined) throw new TypeError("names must be a book that createNameBook() made");
  return names;
}

/** The part of a provider that a book needs. */
export interface NameUserInit {
  /**
   * Local names that no tool gets while this provider is there; tools of servers that are
   * registered already keep theirs.
   */
  readonly reservedNames: readonly string[];
  /** The remote names of the tools of a server that have their names on show. */
  readonly shown: (serverId: string) => Iterable<string>;
}

/** How many names of one server are kept for tools that nobody lists. */
const maxNamesPerServer = 20_000;

/** The names that providers share: what they see of a book. */
export class SharedNames {
  /** Never throws where it makes names. */
  readonly naming: NamingStrategy;
  /** All names that are given now. */
  table: NameTable;
  readonly #users = new Set<NameUser>();
  /** How many providers have a server of this id, and reserve this name. */
  readonly #registered = new Map<string, number>();
  readonly #reserved = new Map<string, number>();

  constructor(naming: NamingStrategy, saved: NameTable) {
    this.naming = naming;
    this.table = saved;
  }

  /** Takes part in it, until `leave()`. */
  join(init: NameUserInit): NameUser {
    const user = new NameUser(this, init);
    this.#users.add(user);
    for (const name of init.reservedNames) {
      count(this.#reserved, name, 1);
      const owner = identityOf(this.table, name);
      // It was only kept for it: nobody can have seen it, and nobody does.
      if (owner !== undefined && !this.#registered.has(owner.serverId)) this.table = withoutNames(this.table, [name]);
    }
    return user;
  }

  /**
   * Gives each of these tools its name, in one step: what they are called stands before anything is
   * made of it.
   */
  assign(tools: readonly ToolIdentity[]): NameAssignment {
    const more = this.#shownToo(tools);
    const assignment = assignNames(more.length === 0 ? tools : [...tools, ...more], {
      strategy: this.naming,
      previous: this.table,
      serverIds: this.#registered.keys(),
      reservedNames: this.#reserved.keys(),
      maxNamesPerServer,
    });
    this.table = assignment.names;
    return assignment;
  }

  claim(serverId: string): void {
    count(this.#registered, serverId, 1);
  }

  /** Frees the names of a server that no provider has any more. */
  release(serverId: string): void {
    if (count(this.#registered, serverId, -1) === 0) this.table = withoutServer(this.table, serverId);
  }

  leave(user: NameUser): void {
    this.#users.delete(user);
    for (const name of user.init.reservedNames) count(this.#reserved, name, -1);
  }

  /**
   * Returns the tools on show of the servers that may have to lose names. None for a server that is
   * far from that.
   */
  #shownToo(tools: readonly ToolIdentity[]): readonly ToolIdentity[] {
    const large = new Set<string>();
    for (const { serverId } of tools) {
      if ((this.table.servers.get(serverId)?.size ?? 0) + tools.length > maxNamesPerServer) large.add(serverId);
    }
    const shownBy = ({ init }: NameUser): readonly ToolIdentity[] =>
      Array.from(large, (serverId) => Array.from(init.shown(serverId), (toolName) => ({ serverId, toolName }))).flat();
    return large.size === 0 ? [] : Array.from(this.#users, shownBy).flat();
  }
}

/** The part of one provider in a book. */
export class NameUser {
  readonly init: NameUserInit;
  readonly #claimed = new Set<string>();
  readonly #names: SharedNames;
  #last: NameTable | undefined;

  constructor(names: SharedNames, init: NameUserInit) {
    this.#names = names;
    this.init = init;
  }

  /** The names as they are now; after `leave()`, as they were then. */
  get table(): NameTable {
    return this.#last ?? this.#names.table;
  }

  /** The server is registered with this provider, once or again. */
  claim(serverId: string): void {
    if (this.#last !== undefined || this.#claimed.has(serverId)) return;
    this.#claimed.add(serverId);
    this.#names.claim(serverId);
  }

  /** It is not any more. */
  release(serverId: string): void {
    if (this.#claimed.delete(serverId)) this.#names.release(serverId);
  }

  assign(tools: readonly ToolIdentity[]): NameAssignment {
    return this.#names.assign(tools);
  }

  /** Releases everything. */
  leave(): void {
    if (this.#last !== undefined) return;
    this.#last = this.table;
    for (const serverId of this.#claimed) this.release(serverId);
    this.#names.leave(this);
  }
}

function count(counts: Map<string, number>, text: string, change: 1 | -1): number {
  const left = (counts.get(text) ?? 0) + change;
  if (left > 0) counts.set(text, left);
  else counts.delete(text);
  return left;
}

// What a server lists may break a function of the product's own. That must cost nobody anything.
function guardNaming(naming: NamingStrategy): NamingStrategy {
  return {
    ...naming,
    sanitize(part) {
      try {
        const sanitized: unknown = naming.sanitize(part);
        if (typeof sanitized === "string") return sanitized;
      } catch {
        // The default is as good for a name.
      }
      return hostsideNaming.sanitize(part);
    },
  };
}
