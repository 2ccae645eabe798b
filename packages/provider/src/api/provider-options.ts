import {
  cleanText,
  type Admit,
  type Connector,
  type ElicitationRequest,
  type ElicitationResult,
  type RequestInterceptor,
  type RequestSeam,
  type ServerSpec,
  type RemoteTool,
} from "@hostside/core";
import { assertKnownOptions, foldCase, type Fields } from "@hostside/core/implement";
import { isLegalFunctionName, type NamingStrategy } from "@hostside/naming";
import { describeVerbatim, describeWithOrigin, type DescribeTool } from "../catalog/define-tool.ts";
import { createNameBook, openNameBook, type NameBook, type SharedNames } from "../catalog/name-book.ts";
import type { LinkPolicy, RefreshMode } from "../link/link-state.ts";

/** The parts of a provider. */
export interface ProviderOptions {
  /** Opens the connections; `createConnector()` of `@hostside/transports`, or your own. */
  readonly connector: Connector;
  /** The servers to start with. Default none: then nothing is started and nothing is sent. */
  readonly servers?: readonly ServerSpec[] | undefined;
  /** Identifies the provider and starts the ids of its groups. Lower-cased. Default `"mcp"`. */
  readonly name?: string | undefined;
  /**
   * How local tool names look. Default `hostsideNaming`. If its `sanitize` throws or returns no
   * text, that of the default stands in.
   */
  readonly naming?: NamingStrategy | undefined;
  /**
   * The book in which it looks names up, with other providers: see {@linkcode NameBook}. In place
   * of `naming` and `savedNames`, which are the book's. Default: a book of its own.
   */
  readonly names?: NameBook | undefined;
  /**
   * Local names that no tool gets, such as those of the product's own tools; a tool that would have
   * one gets a hash. With A to Z in either case; a tool that has one by `savedNames` gets another.
   * Providers that share a book share these, too, and what has such a name in one of them already
   * keeps it. Default none.
   */
  readonly reservedNames?: readonly string[] | undefined;
  /**
   * Decides of each tool whether it is on offer, before a model sees it: asked when a server's
   * tools were listed or its spec changed, and again by `readmit()`. Listing, groups, search and
   * calls obey one decision; the name of a tool that is held back stays its own. If it throws or
   * answers something else, the tool is hidden, and `onDiagnostic` says so. Default: all are on
   * offer.
   */
  readonly admit?: Admit | undefined;
  /**
   * Listings of servers from before, as `savedCatalog()` returned them and JSON brought it back:
   * their tools are on show at once, marked stale, and `init()` neither waits for these servers nor
   * starts them, but for those that are `required` or have `startup: "background"`; the first call
   * connects. Left out is what is of a server that is not among `servers` or is reached in another
   * way, of another `principal`, or malformed, which `onDiagnostic` says in a later turn. Throws
   * `invalid_catalog` for what is no catalogue, or was written by a later version.
   */
  readonly savedCatalog?: unknown;
  /**
   * Names to give again, as `savedNames()` returned them and JSON brought them back. Throws
   * `invalid_names` when they are not.
   */
  readonly savedNames?: unknown;
  /**
   * The text that a model reads as a tool's description: `"with-origin"` (default) puts server and
   * remote name in front of the server's own words, `"brief"` only a title that says more than the
   * name, for local names that show the server anyway, `"verbatim"` has the server's words alone,
   * and a function writes what it likes. If it throws or returns no text, the default stands in,
   * and `onDiagnostic` says so.
   */
  readonly description?: "with-origin" | "brief" | "verbatim" | DescribeTool | undefined;
  /**
   * When tools are listed again after a server said that they changed: `"lazy"` (default) with the
   * next call or refresh, `"debounced"` by itself a moment later, `"manual"` only by `refresh()`
   * and after a reconnect. A server that announces a change in each listing is listed ever more
   * seldom, up to `backoff.maxMs` apart.
   */
  readonly refresh?: RefreshMode | undefined;
  readonly debounce?: DebounceOptions | undefined;
  readonly backoff?: BackoffOptions | undefined;
  /**
   * Closes a session that no call, and no request on its `connection()`, has used for so many
   * milliseconds; its tools stay, and the next call connects again. Default: sessions are kept.
   */
  readonly idleMs?: number | undefined;
  /**
   * Layers around every request and notification that is sent on `connection()` and is no call; the
   * first is the outermost. Layers around calls are those of a toolbox.
   */
  readonly requestInterceptors?: readonly RequestInterceptor[] | undefined;
  /**
   * Stands once around every request to a server, behind all layers: calls, listings, reads,
   * prompts, subscriptions, and the start of a connection for them. Such as that of a policy with
   * a `breaker`. Default: none.
   */
  readonly requestSeam?: RequestSeam | undefined;
  /**
   * Answers questions that servers ask a human. Default none: elicitation is not offered to
   * servers.
   */
  readonly onElicit?: ((request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>) | undefined;
  /**
   * For whom all of it is: whose credentials the connector gives to its servers, where it has
   * different ones, and the principal in the context of every call, request, notification and
   * question that names none, for interceptors and `onElicit`. A context that names another one
   * keeps it. Reaches no server. Default: nobody in particular.
   */
  readonly principal?: string | undefined;
}

/** How `"debounced"` waits for a server that goes on changing its tools. */
export interface DebounceOptions {
  /** How long it must be quiet. Default 300. */
  readonly quietMs?: number | undefined;
  /** How long changes may put the listing off at most. Default 2,000. */
  readonly maxMs?: number | undefined;
}

/**
 * How a server that fails is tried again. A wait is random between nothing and a ceiling, which
 * starts at `baseMs`, doubles with each failure in a row and stops at `maxMs`. A call ignores the
 * first five failures in a row and tries at once; during a later wait it is refused with the latest
 * failure. `refresh()` always tries. A session that lasts 30 s makes up for the failures before it;
 * so does a call that works.
 */
export interface BackoffOptions {
  /** Default 500. */
  readonly baseMs?: number | undefined;
  /** Default 60,000. */
  readonly maxMs?: number | undefined;
  /**
   * Says whether a server that failed to start is tried again without a call, if its failure can
   * pass; not if its program ended with the same exit code as the time before. While something of
   * it is subscribed to, it is tried again in any case. Default `true`.
   */
  readonly background?: boolean | undefined;
}

/** Options with every default in place. */
export interface ProviderSettings extends Pick<
  ProviderOptions,
  "connector" | "admit" | "requestSeam" | "onElicit" | "principal"
> {
  readonly servers: readonly ServerSpec[];
  readonly name: string;
  readonly names: SharedNames;
  /** The strategy of those names. */
  readonly naming: NamingStrategy;
  readonly describe: DescribeTool;
  readonly reservedNames: readonly string[];
  readonly policy: Omit<LinkPolicy, "connectBackstopMs" | "listBackstopMs">;
  readonly requestInterceptors: readonly RequestInterceptor[];
}

const optionFields: Fields<ProviderOptions> = {
  connector: true,
  servers: true,
  name: true,
  naming: true,
  names: true,
  reservedNames: true,
  admit: true,
  savedCatalog: true,
  savedNames: true,
  description: true,
  refresh: true,
  debounce: true,
  backoff: true,
  idleMs: true,
  requestInterceptors: true,
  requestSeam: true,
  onElicit: true,
  principal: true,
};
const debounceFields: Fields<DebounceOptions> = { quietMs: true, maxMs: true };
const backoffFields: Fields<BackoffOptions> = {
  baseMs: true,
  maxMs: true,
  background: true,
};

/**
 * Fills in defaults. Throws a `TypeError` that names the option that is unknown or of a wrong type.
 */
export function readProviderOptions(options: ProviderOptions): ProviderSettings {
  assertKnownOptions("createProvider()", options, optionFields);
  const { connector, servers = [], name = "mcp", onElicit, principal, admit, requestSeam } = options;
  const { refresh = "lazy", requestInterceptors = [], description = "with-origin", reservedNames = [] } = options;
  must(typeof connector?.connect === "function", "connector must have a connect function");
  must(Array.isArray(servers), "servers must be an array");
  const isName = typeof name === "string" && isLegalFunctionName(foldCase(name));
  must(isName, "name must be 1 to 64 characters: a letter, then letters, digits, _ or -");
  must(["lazy", "debounced", "manual"].includes(refresh), 'refresh must be "lazy", "debounced" or "manual"');
  must(
    Array.isArray(requestInterceptors) && requestInterceptors.every(isFunction),
    "requestInterceptors must be an array of functions",
  );
  for (const [option, given] of Object.entries({ admit, requestSeam, onElicit })) {
    must(given === undefined || isFunction(given), `${option} must be a function`);
  }
  must(principal === undefined || isText(principal), "principal must be a text that is not empty");
  must(
    Array.isArray(reservedNames) && reservedNames.every(isText),
    "reservedNames must be an array of texts that are not empty",
  );
  const describe = typeof description === "string" ? descriptions.get(description) : description;
  must(isFunction(describe), `description must be "with-origin", "brief", "verbatim" or a function`);
  const names = readNames(options);
  return {
    connector,
    servers,
    name: foldCase(name),
    names,
    naming: names.naming,
    policy: readPolicy(options, refresh),
    requestInterceptors: [...requestInterceptors],
    requestSeam,
    onElicit,
    principal,
    reservedNames: [...reservedNames],
    describe: describe ?? describeWithOrigin,
    admit,
  };
}

function must(isGood: boolean, message: string): void {
  if (!isGood) throw new TypeError(message);
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** The book that the options name, or one of its own. */
function readNames({ names, naming, savedNames }: ProviderOptions): SharedNames {
  if (names === undefined) return openNameBook(createNameBook({ naming, savedNames }));
  if (naming === undefined && savedNames === undefined) return openNameBook(names);
  throw new TypeError("names takes the place of naming and savedNames: give those to createNameBook()");
}

function readPolicy(
  { backoff = {}, debounce = {}, idleMs }: ProviderOptions,
  refresh: RefreshMode,
): ProviderSettings["policy"] {
  assertKnownOptions("backoff", backoff, backoffFields);
  assertKnownOptions("debounce", debounce, debounceFields);
  must(typeof (backoff.background ?? true) === "boolean", "backoff.background must be true or false");
  return {
    refresh,
    debounceMs: readAmount("debounce.quietMs", debounce.quietMs, 300),
    maxDelayMs: readAmount("debounce.maxMs", debounce.maxMs, 2000),
    backoffBaseMs: readAmount("backoff.baseMs", backoff.baseMs, 500),
    backoffMaxMs: readAmount("backoff.maxMs", backoff.maxMs, 60_000),
    background: backoff.background ?? true,
    idleMs: readAmount("idleMs", idleMs, Number.POSITIVE_INFINITY),
  };
}

function readAmount(option: string, value: number | undefined, fallback: number): number {
  must(value === undefined || (typeof value === "number" && value >= 0), `${option} must be a number of 0 or more`);
  return value ?? fallback;
}

const longestTitle = 256;

/**
 * A description without the preface of origin: the title where it says more than the name, then the
 * server's own words. For local names that show the server anyway; of 1,000 tools the preface is
 * about 5 % of all tokens. Flagged texts are stripped of control, bidirectional and invisible
 * characters.
 */
export function describeBriefly(tool: RemoteTool): string {
  const title = cleanText(tool.title ?? tool.annotations?.title ?? "", longestTitle)
    .replaceAll("\n", " ")
    .trim();
  const words = (tool.description ?? "").trim();
  const description = tool.flags === undefined ? words : cleanText(words);
  if (description === "") return title;
  const saysMore = lettersOf(title) !== lettersOf(tool.name) && !lettersOf(description).startsWith(lettersOf(title));
  return saysMore ? `${title}. ${description}` : description;
}

/** Returns the letters and digits that spellings of one name share. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

const descriptions: ReadonlyMap<string, DescribeTool> = new Map<string, DescribeTool>([
  ["with-origin", describeWithOrigin],
  ["brief", describeBriefly],
  ["verbatim", describeVerbatim],
]);
