import { assertKnownOptions, foldCase, type Fields } from "@hostside/core/implement";
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
  type NamingStrategy,
  type SavedNames,
  type NameAssignment,
  type NameTable,
  type ToolIdentity,
} from "@hostside/naming";
import { guardNaming, type PartFault } from "./guarded-parts.ts";

/** What a book of names is made from. */
export interface NameBookOptions {
  /**
   * How local tool names look. Default `hostsideNaming`. Where its `sanitize` throws or returns no
   * text, that of the default stands in, and `onDiagnostic` of the provider that met it says so.
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
 * first. What a later one brings renames nothing.
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
 */
export function createNameBook(options: NameBookOptions = {}): NameBook {
  assertKnownOptions("createNameBook()", options, optionFields);
  const { naming = hostsideNaming, savedNames } = options;
  assertNamingStrategy(naming);
  const saved = savedNames === undefined ? emptyNames : loadNames(savedNames, naming);
  const names = createSharedNames({ ...guardNaming(naming), saved });
  const book: NameBook = Object.freeze({ savedNames: () => saveNames(names.table) });
  opened.set(book, names);
  return book;
}

const optionFields: Fields<NameBookOptions> = { naming: true, savedNames: true };

// What a book is for the providers that share it, and nobody else's business.
const opened = new WeakMap<NameBook, SharedNames>();

/**
 * What providers see of a book. Throws a `TypeError` for anything that `createNameBook()` did not
 * make.
 */
export function openNameBook(book: NameBook): SharedNames {
  const names = opened.get(book);
  if (names === undefined) throw new TypeError("names must be a book that createNameBook() made");
  return names;
}

/** The names that providers share. */
export interface SharedNames {
  /** Never throws where it makes names. */
  readonly naming: NamingStrategy;
  /** All names that are given now. */
  readonly table: NameTable;
  /** Takes part in it, until `leave()`. */
  join(init: NameUserInit): NameUser;
  /** What went wrong in the strategy since the last time that it was asked, each subject once. */
  readonly takeFaults: () => readonly PartFault[];
}

/** What a book has to know of one provider. */
export interface NameUserInit {
  /**
   * Local names that no tool gets while this provider is there; tools of servers that are
   * registered already keep theirs.
   */
  readonly reservedNames: readonly string[];
  /** The remote names of the tools of a server that have their names on show. */
  readonly shown: (serverId: string) => Iterable<string>;
}

/** The part of one provider in a book. */
export interface NameUser {
  /** The names as they are now; after `leave()`, as they were then. */
  readonly table: NameTable;
  /** The server is registered with this provider, once or again. */
  claim(serverId: string): void;
  /** It is not any more. */
  release(serverId: string): void;
  /**
   * Gives each of these tools its name, in one step: what they are called stands before anything is
   * made of it.
   */
  assign(tools: readonly ToolIdentity[]): NameAssignment;
  /** Releases everything. */
  leave(): void;
}

/** How many names of one server are kept for tools that nobody lists. */
const maxNamesPerServer = 20_000;

/** What {@linkcode SharedNames} are made from. */
export interface SharedNamesInit extends ReturnType<typeof guardNaming> {
  readonly saved: NameTable;
}

/** Makes the part of a book that its providers see. */
function createSharedNames({ naming, takeFaults, saved }: SharedNamesInit): SharedNames {
  let table = saved;
  let isAssigning = false;
  const users = new Set<NameUserInit>();
  const registered = createTally();
  const reserved = createTally();

  const reserve = (name: string): void => {
    reserved.add(foldCase(name));
    const owner = identityOf(table, name);
    // It was only kept for it: nobody can have seen it, and nobody does.
    if (owner !== undefined && !registered.has(owner.serverId)) table = withoutNames(table, [name]);
  };
  const assign = (tools: readonly ToolIdentity[]): NameAssignment => {
    if (isAssigning) throw new Error("a naming strategy must not change the servers or ask for admission again");
    isAssigning = true;
    try {
      const more = shownToo(tools, table, users);
      const assignment = assignNames(more.length === 0 ? tools : [...tools, ...more], {
        strategy: naming,
        previous: table,
        serverIds: registered.keys(),
        reservedNames: reserved.keys(),
        maxNamesPerServer,
      });
      table = assignment.names;
      return assignment;
    } finally {
      isAssigning = false;
    }
  };
  return {
    naming,
    get table() {
      return table;
    },
    join(init) {
      users.add(init);
      for (const name of init.reservedNames) reserve(name);
      return createUser({
        table: () => table,
        assign,
        claim: (serverId) => registered.add(serverId),
        release(serverId) {
          if (registered.remove(serverId)) table = withoutServer(table, serverId);
        },
        leave() {
          users.delete(init);
          for (const name of init.reservedNames) reserved.remove(foldCase(name));
        },
      });
    },
    takeFaults,
  };
}

/** What one user does with the book. */
interface NameUserParts extends Pick<NameUser, "assign"> {
  readonly table: () => NameTable;
  /** One registration more of this server, or less. */
  readonly claim: (serverId: string) => void;
  readonly release: (serverId: string) => void;
  readonly leave: () => void;
}

function createUser({ table, assign, ...book }: NameUserParts): NameUser {
  const claimed = new Set<string>();
  let last: NameTable | undefined;
  const release = (serverId: string): void => {
    if (claimed.delete(serverId)) book.release(serverId);
  };
  return {
    get table() {
      return last ?? table();
    },
    claim(serverId) {
      if (last !== undefined || claimed.has(serverId)) return;
      claimed.add(serverId);
      book.claim(serverId);
    },
    release,
    assign,
    leave() {
      if (last !== undefined) return;
      last = table();
      for (const serverId of claimed) release(serverId);
      book.leave();
    },
  };
}

/**
 * What is on show of the servers of these tools that may have to lose names: those that nobody has
 * on show. None for a server that is far from that.
 */
function shownToo(
  tools: readonly ToolIdentity[],
  { servers }: NameTable,
  users: Iterable<NameUserInit>,
): readonly ToolIdentity[] {
  const large = new Set<string>();
  for (const { serverId } of tools) {
    if ((servers.get(serverId)?.size ?? 0) + tools.length > maxNamesPerServer) large.add(serverId);
  }
  const shownBy = (user: NameUserInit): readonly ToolIdentity[] =>
    Array.from(large, (serverId) => Array.from(user.shown(serverId), (toolName) => ({ serverId, toolName }))).flat();
  return large.size === 0 ? [] : Array.from(users, shownBy).flat();
}

/** How often each text is there. */
export interface Tally {
  has(text: string): boolean;
  keys(): Iterable<string>;
  add(text: string): void;
  /** Whether that was the last of it. */
  remove(text: string): boolean;
}

/** Counts nothing yet. */
function createTally(): Tally {
  const counts = new Map<string, number>();
  return {
    has: (text) => counts.has(text),
    keys: () => counts.keys(),
    add(text) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
    },
    remove(text) {
      const left = (counts.get(text) ?? 0) - 1;
      if (left > 0) counts.set(text, left);
      return left > 0 ? false : counts.delete(text);
    },
  };
}
