import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import {
  assertNamingStrategy,
  emptyNames,
  loadNames,
  saveNames,
  hostsideNaming,
  type NamingStrategy,
  type SavedNames,
} from "@hostside/naming";
import { guardNaming } from "../guarded-parts.ts";
import type { AgreeOnNames } from "./agree-on-names.ts";
import { createSharedNames, type SharedNames } from "./shared-names.ts";

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
  /**
   * Agrees on names with other replicas, which have a book of their own: asked before a server's
   * tools are shown of which some have no name yet. What it answers is checked: a name that is not
   * legal here, reserved, or another tool's already is not taken, and `onDiagnostic` says so. It
   * has 2 s by the provider's clock; where it fails or is late, the names that were proposed stand,
   * which `onDiagnostic` says once until somebody answers again. No other server waits meanwhile.
   * Default: nobody is asked.
   */
  readonly agree?: AgreeOnNames | undefined;
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
  const { naming = hostsideNaming, savedNames, agree } = options;
  assertNamingStrategy(naming);
  if (agree !== undefined && typeof agree !== "function") throw new TypeError("agree must be a function");
  const saved = savedNames === undefined ? emptyNames : loadNames(savedNames, naming);
  const names = createSharedNames({ ...guardNaming(naming), saved, agree });
  const book: NameBook = Object.freeze({ savedNames: () => saveNames(names.table) });
  opened.set(book, names);
  return book;
}

const optionFields: Fields<NameBookOptions> = { naming: true, savedNames: true, agree: true };

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
