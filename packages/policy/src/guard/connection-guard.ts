import type { ConnectionGuard, GuardedServer, GuardRefusal, StdioEntry } from "@hostside/core";
import { assertKnownOptions, quoteText, type Fields } from "@hostside/core/implement";
import { readOneOf, readTexts } from "../read-options.ts";
import { matchGlob, type GlobMatch } from "../rules/match-glob.ts";
import { addressKindOf, contains, parseAddress, readNetwork, type AddressKind, type Network } from "./address.ts";

/**
 * Options about where connections may go. Every default is that of a service whose users bring
 * addresses of their own.
 */
export interface ConnectionGuardOptions {
  /**
   * Hostnames, `*.example.com` for all below one. They are about every URL: those of authorization
   * servers have to be named, too. A host that is named is held to all other rules. Default any.
   */
  readonly hosts?: readonly string[] | undefined;
  /** Default `["https"]`. */
  readonly schemes?: readonly ("http" | "https")[] | undefined;
  /** Default any. */
  readonly ports?: readonly number[] | undefined;
  /**
   * Further addresses that may be connected to than public addresses: networks such as
   * `"10.1.0.0/16"`, or `true` for all that are private, shared (CGNAT) or loopback. Never,
   * whatever is said here: metadata services of clouds, multicast, and tunnels that hide another
   * address. Default `false`.
   */
  readonly privateNetworks?: boolean | readonly string[] | undefined;
  /**
   * Networks that may not be connected to, public or not: those of the service itself, for one.
   * Default none.
   */
  readonly forbiddenNetworks?: readonly string[] | undefined;
  /**
   * The treatment of a connection whose address nobody tells: made by a `fetch` of the host's own,
   * in a browser or on an edge. `"allow"` is for those who have something else that looks at
   * addresses, such as a proxy for all that goes out. Default `"refuse"`.
   */
  readonly unknownAddresses?: "allow" | "refuse" | undefined;
  /** Programs that may be started; `"any"` of them. Default none. */
  readonly commands?: "any" | readonly (string | CommandRule)[] | undefined;
  /**
   * Ids of servers that nothing of this is about, because their addresses are the host's own. Only
   * where no user can choose an id. Default none.
   */
  readonly except?: readonly string[] | undefined;
}

/**
 * A program that may be started. A member allows only what it names. Without `args`, all arguments
 * are allowed.
 */
export interface CommandRule {
  /** As the spec has it, byte for byte: a path is not followed and a name not looked up. */
  readonly command: string;
  /**
   * One glob for each argument, in order; `**` as the last stands for any further ones. Default any
   * arguments at all, which for `npx`, `node`, `docker` and their like means any program.
   */
  readonly args?: readonly string[] | undefined;
  /**
   * Globs for the names of variables that the spec may set. Default none: `PATH` or `NODE_OPTIONS`
   * would change which program runs.
   */
  readonly env?: readonly string[] | undefined;
  /** Globs for the working directories that the spec may name. Default none. */
  readonly cwd?: readonly string[] | undefined;
}

const fields: Fields<ConnectionGuardOptions> = {
  hosts: true,
  schemes: true,
  ports: true,
  privateNetworks: true,
  forbiddenNetworks: true,
  unknownAddresses: true,
  commands: true,
  except: true,
};

const addressModes = ["allow", "refuse"] as const;
const neverAllowed: ReadonlySet<AddressKind> = new Set<AddressKind>(["metadata", "multicast", "tunnel"]);
const allowedIfPrivate: ReadonlySet<AddressKind> = new Set<AddressKind>(["private", "shared", "loopback"]);
// RFC 6761, 6762 and 8375, and what is reserved for private use: names that by agreement lead to
// nothing public. Where a network is opened, their addresses decide.
const localNames = /(?:^|\.)(?:localhost|localdomain|local|internal|home\.arpa)$/;

/** The options as they were read. */
type Rules = ReturnType<typeof readRules>;

/**
 * Makes a guard for `createConnector({ guard })`. Without options: `https:` to public addresses,
 * and no programs. Keeps no state. Throws a `TypeError` that names what makes no sense.
 *
 * @example
 * const guard = createConnectionGuard({ hosts: ["*.example.com"] });
 * const host = await createHost({ servers, connector: { guard } });
 */
export function createConnectionGuard(options: ConnectionGuardOptions = {}): ConnectionGuard {
  const rules = readRules(options);
  const unless = (server: GuardedServer, check: () => GuardRefusal | undefined): GuardRefusal | undefined =>
    rules.except.has(server.serverId) ? undefined : check();
  return {
    checkUrl: (url, server) => unless(server, () => checkUrl(url, rules)),
    checkAddress: (address, url, server) => unless(server, () => checkAddress(address, url, rules)),
    checkCommand: (process, server) => unless(server, () => checkCommand(process, rules)),
  };
}

function checkUrl(url: URL, rules: Rules): GuardRefusal | undefined {
  const { protocol, username, password, port } = url;
  const scheme = protocol.slice(0, -1);
  if (!rules.schemes.some((one) => one === scheme))
    return no("schemes", `${quoteText(scheme, 20)} is not among the schemes`);
  if (username !== "" || password !== "") return no("hosts", "it has a user name or password in it");
  const hostname = plainHostname(url);
  if (hostname === "") return no("hosts", "it has no host");
  const number = port === "" ? (scheme === "https" ? 443 : 80) : Number(port);
  if (rules.ports !== undefined && !rules.ports.includes(number))
    return no("ports", `port ${number} is not among the ports`);
  if (rules.hosts !== undefined && !rules.hosts.some((matches) => matches(hostname)))
    return no("hosts", `${quoteText(hostname)} is not among the hosts`);
  const literal = parseAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
  if (literal !== undefined) return checkAddress(hostname.replace(/^\[(.*)\]$/, "$1"), url, rules);
  const isOpened = rules.mayBePrivate || rules.opened.length > 0;
  if (!isOpened && localNames.test(hostname)) return no("privateNetworks", "its name is one of local networks");
  return undefined;
}

function checkAddress(text: string | undefined, url: URL, rules: Rules): GuardRefusal | undefined {
  if (text === undefined) {
    if (rules.mayBeUnknown) return undefined;
    return no("unknownAddresses", `which address ${quoteText(url.hostname)} has cannot be seen here, with a fetch`);
  }
  const address = parseAddress(text);
  if (address === undefined) return no("privateNetworks", `${quoteText(text, 60)} is no address`);
  if (rules.forbidden.some((network) => contains(network, address)))
    return no("forbiddenNetworks", `${text} is in a forbidden network`);
  const kind = addressKindOf(address);
  if (kind === "public") return undefined;
  if (!neverAllowed.has(kind)) {
    if (rules.mayBePrivate && allowedIfPrivate.has(kind)) return undefined;
    if (rules.opened.some((network) => contains(network, address))) return undefined;
  }
  return no("privateNetworks", `${text} is no public address (${kind})`);
}

function checkCommand(process: StdioEntry, rules: Rules): GuardRefusal | undefined {
  if (rules.commands === "any") return undefined;
  const named = rules.commands.filter(({ command }) => command === process.command);
  if (named.length === 0) {
    const what = rules.commands.length === 0 ? "no program may be started" : "it is not among the programs";
    return no("commands", what);
  }
  const whys = named.map(({ check }) => check(process));
  const [why] = whys;
  return whys.includes(undefined) || why === undefined ? undefined : no("commands", why);
}

function no(rule: keyof ConnectionGuardOptions, reason: string): GuardRefusal {
  return { reason, rule: `guard.${rule}` };
}

function readRules(options: ConnectionGuardOptions) {
  assertKnownOptions("createConnectionGuard()", options, fields);
  const { hosts, ports, privateNetworks = false, commands = [] } = options;
  const schemes = readEach(readFilled(options.schemes ?? ["https"], "schemes"), "schemes", (scheme, place) => {
    if (scheme === "http" || scheme === "https") return scheme;
    throw new TypeError(`${place} must be "http" or "https"`);
  });
  if (commands !== "any" && !Array.isArray(commands)) throw wrong("commands", '"any" or a list');
  return {
    hosts: hosts && readEach(readTexts(hosts, placeOf("hosts")), "hosts", readHostPattern),
    schemes,
    ports: ports && readEach(readFilled(ports, "ports"), "ports", readPort),
    mayBePrivate: privateNetworks === true,
    opened: typeof privateNetworks === "boolean" ? [] : readNetworks(privateNetworks, "privateNetworks"),
    forbidden: readNetworks(options.forbiddenNetworks ?? [], "forbiddenNetworks"),
    mayBeUnknown: readOneOf(options.unknownAddresses, addressModes, placeOf("unknownAddresses")) === "allow",
    commands: commands === "any" ? commands : readEach(commands, "commands", readCommandRule),
    except: new Set(readTexts(options.except ?? [], placeOf("except"))),
  };
}

function readEach<T, Read>(list: readonly T[], field: string, read: (one: T, place: string) => Read): readonly Read[] {
  return list.map((one, index) => read(one, `${placeOf(field)}[${index}]`));
}

function readNetworks(networks: unknown, field: string): readonly Network[] {
  return readEach(readTexts(networks, placeOf(field)), field, readNetwork);
}

// An empty list of what is allowed allows nothing, which nobody asks for in this way.
function readFilled(value: unknown, field: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(field, "a list");
  if (value.length === 0) throw wrong(field, "a list that is not empty");
  return value;
}

function readPort(port: unknown, place: string): number {
  if (typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new TypeError(`${place} must be a port, from 1 to 65535`);
}

function placeOf(field: string): string {
  return `createConnectionGuard(): ${field}`;
}

function wrong(field: string, what: string): TypeError {
  return new TypeError(`${placeOf(field)} must be ${what}`);
}

/**
 * Reads a pattern of hostnames: a name, or `*.example.com` for all names below one, itself not
 * included. Names are compared as a URL spells them, so that case, an international name and its
 * ASCII form, and a dot at the end make no difference. Throws a `TypeError` that names `place` for
 * what is none: a URL, a port, a `*` elsewhere.
 */
function readHostPattern(pattern: string, place: string): GlobMatch {
  const isBelow = pattern.startsWith("*.");
  const name = isBelow ? pattern.slice(2) : pattern;
  const hostname = /[*/:@?#\\\s]/.test(name) && !name.startsWith("[") ? undefined : hostnameOf(name);
  if (hostname === undefined || hostname === "")
    throw new TypeError(`${place}: ${JSON.stringify(pattern)} is no hostname, nor *. and one`);
  if (isBelow) {
    const suffix = `.${hostname}`;
    return (other) => other.length > suffix.length && other.endsWith(suffix);
  }
  return (other) => other === hostname;
}

/** A URL's hostname without the dots at its end, which change nothing about where it leads. */
function plainHostname({ hostname }: URL): string {
  // No regular expression: a name may be very long, and have dots everywhere.
  let end = hostname.length;
  while (hostname.charAt(end - 1) === ".") end -= 1;
  return hostname.slice(0, end);
}

function hostnameOf(name: string): string | undefined {
  const url = `http://${name}/`;
  return URL.canParse(url) ? plainHostname(new URL(url)) : undefined;
}

const commandFields: Fields<CommandRule> = { command: true, args: true, env: true, cwd: true };

/**
 * Reads a rule; a text is a command with any arguments. Throws a `TypeError` that names `place`.
 */
function readCommandRule(given: string | CommandRule, place: string) {
  const rule = typeof given === "string" ? { command: given } : given;
  assertKnownOptions(place, rule, commandFields);
  if (typeof rule.command !== "string" || rule.command.trim() === "")
    throw new TypeError(`${place}.command must be a text that is not blank`);
  const fitsArguments = readArguments(rule.args, `${place}.args`);
  const env = readTexts(rule.env ?? [], `${place}.env`).map(matchGlob);
  const cwd = readTexts(rule.cwd ?? [], `${place}.cwd`).map(matchGlob);
  return {
    command: rule.command,
    /** Says why a process does not fit the rule; `undefined` if it does. */
    check: (process: StdioEntry): string | undefined => {
      if (!fitsArguments(process.args ?? [])) return "its arguments are not those that are allowed";
      const variable = Object.keys(process.env ?? {}).find((name) => !env.some((matches) => matches(name)));
      if (variable !== undefined) return "it sets a variable that is not allowed";
      if (process.cwd !== undefined && !cwd.some((matches) => matches(process.cwd ?? "")))
        return "its working directory is not allowed";
      // The secrets of the host itself.
      return process.inheritEnv === "all" ? "it would inherit the whole environment of this process" : undefined;
    },
  };
}

function readArguments(globs: unknown, place: string): (args: readonly string[]) => boolean {
  if (globs === undefined) return () => true;
  const texts = readTexts(globs, place);
  const isOpen = texts.at(-1) === "**";
  const matches = (isOpen ? texts.slice(0, -1) : texts).map(matchGlob);
  return (args) =>
    (isOpen ? args.length >= matches.length : args.length === matches.length) &&
    matches.every((match, index) => match(args[index] ?? ""));
}
