import { HostsideError, type Interceptor } from "@hostside/core";
import { isConfidentialUrl, resultWithin, storeFailed, untilAborted } from "@hostside/core/implement";
import type { Gateway, GatewayEvent } from "@hostside/gateway";
import { listen, serveStdio } from "@hostside/gateway/node";
import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createHostGateway } from "../../gateway/create-host-gateway.ts";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes, messageOf, usageError } from "../exit-codes.ts";
import { terminalLine } from "../render/render-text.ts";
import { printJson } from "../render/print.ts";
import { editors } from "./editors.ts";
import { openServed } from "./open-served.ts";
import { printEntry } from "./print-entry.ts";
import { servedVariable } from "../opening/self-entries.ts";
import type { ServeArguments } from "./serve-offer.ts";
import { readVersion, type Terminal } from "../terminal.ts";
import { userStateFolder } from "../../state/user-state.ts";

/**
 * Serves until the client, or whoever stops the program, has had enough; or prints what belongs to
 * that.
 */
export const serve: CommandWork<ServeArguments> = async (given, context) => {
  const http = given.http === undefined ? noHttp(given) : readHttp(given, given.http, context);
  const editor = editors.find((one) => one === given.printConfig);
  if (editor !== undefined) return printEntry(editor, { given, http }, context);
  if (given.printToken === true) return printToken(http, context);
  if (context.terminal.env[servedVariable] !== undefined) {
    throw usageError(
      `hostside serve was started by a program that hostside serve has started (${servedVariable} is set): it would start itself without end`,
      "take the entry by which that program starts it out of its configuration",
    );
  }
  context.expectStop?.();
  await serveUntilDone(given, http, context);
  return exitCodes.pass;
};

/** Settings of HTTP. */
interface Http {
  readonly address: ServeAddress;
  /** As clients have it. */
  readonly url: string;
  readonly tokenFile: string;
}

function readHttp(given: ServeArguments, address: string | true, { terminal }: CommandContext): Http {
  const { publicUrl, tokenFile } = given;
  if (publicUrl !== undefined && !/^https?:$/.test(URL.canParse(publicUrl) ? new URL(publicUrl).protocol : "")) {
    throw usageError(
      `--public-url is a URL, not ${JSON.stringify(publicUrl)}`,
      "--public-url https://tools.example.com/mcp",
    );
  }
  const read = readAddress(address, given);
  return {
    address: read,
    url: publicUrl ?? urlOf(read),
    tokenFile: tokenFile === undefined ? defaultTokenFile(terminal) : resolve(terminal.cwd, tokenFile),
  };
}

function noHttp({ anyAddress, publicUrl, tokenFile, printToken: isToken }: ServeArguments): undefined {
  const flags = { "any-address": anyAddress, "public-url": publicUrl, "token-file": tokenFile, "print-token": isToken };
  const [flag] = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (flag !== undefined) throw usageError(`--${flag} is for HTTP`, "add --http");
  return undefined;
}

async function printToken(http: Http | undefined, { terminal, options }: CommandContext): Promise<number> {
  const { token, file } = await keepToken(http?.tokenFile ?? defaultTokenFile(terminal), terminal);
  if (options.json === true) printJson(terminal, { token, file });
  else terminal.out(`${token}\n`);
  return exitCodes.pass;
}

async function serveUntilDone(given: ServeArguments, http: Http | undefined, context: CommandContext): Promise<void> {
  const { terminal, options } = context;
  const note = (text: string): void =>
    terminal.err(`${terminal.paintErr("warn", "note:")} ${terminalLine(text, 2000)}\n`);
  let gateway: Gateway | undefined;
  await using log = given.callLog === undefined ? undefined : await openCallLog(given.callLog, terminal, note);
  await using served = await openServed(given, context, {
    ask: async (request, signal) => {
      if (gateway !== undefined) return gateway.elicit(request, signal);
      throw new HostsideError("there is no client yet", { code: "unsupported_operation" });
    },
    addresses: http === undefined ? [] : [urlOf(http.address), http.url],
    note,
    interceptors: log === undefined ? [] : [log.interceptor],
  });
  await using opened = createHostGateway(served.host, {
    name: "hostside",
    version: readVersion(),
    title: "Hostside",
    expose: served.offer.expose,
    instructions: served.instructions,
    resources: served.resources,
    // Over HTTP a line may be about the call of another client.
    ...(http === undefined && { onServerLog: served.host.servers.onLog }),
    ...(options.verbose === true && {
      onDiagnostic: ({ serverId, message }) => note(`${serverId}: ${message}`),
      onEvent: noteEvent(note),
    }),
    // It is there: the telemetry of the host was made from it.
    ...(given.otel === true && { telemetry: (await import("@hostside/otel")).createServerTelemetry() }),
  });
  gateway = opened;
  if (http === undefined) await overStdio(opened, context);
  else await overHttp(opened, http, context);
}

/**
 * Writes a line for each client that comes or goes, and for each request, with its time and
 * outcome.
 */
function noteEvent(note: (text: string) => void): (event: GatewayEvent) => void {
  return ({ kind, method, durationMs, reason }) => {
    const took = durationMs === undefined ? undefined : `${Math.round(durationMs)} ms`;
    note([kind, method, took, reason].filter((part) => part !== undefined).join(" "));
  };
}

async function overStdio(gateway: Gateway, { terminal }: CommandContext): Promise<void> {
  if (terminal.stdin.isTTY) {
    terminal.err(
      "A host starts this, and speaks to it over stdin: --print-config HOST prints the entry. Ctrl-C ends it.\n",
    );
  }
  await using client = serveStdio(gateway, { input: terminal.stdin, output: terminal.stdout });
  await untilStopped(client.ended, terminal.signal);
  await gateway.close(ending, { drainMs });
  const isRead = new Promise<true>((resolve) => {
    terminal.stdout.write("", () => resolve(true));
  });
  if ((await resultWithin(isRead, drainMs)) === undefined) terminal.dropOutput?.();
}

async function overHttp(gateway: Gateway, { address, url, tokenFile }: Http, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const { token, isNew } = await keepToken(tokenFile, terminal);
  const { hostname } = new URL(url);
  const allowedHosts = [...new Set([...loopbackNames, new URL(urlOf(address)).hostname, hostname])];
  const listening = listen(gateway, { auth: { token }, path: servePath, ...address, allowedHosts }).catch(
    listenError(address),
  );
  await using server = await listening;
  terminal.err(`${server.url}\n${isNew ? "A token was made" : "The token is"} in ${tokenFile}\n`);
  if (url !== urlOf(address)) terminal.err(`Clients reach it at ${url}\n`);
  await untilStopped(new Promise<never>(() => undefined), terminal.signal);
  await gateway.close(ending, { drainMs });
}

const ending = "hostside serve is ending";
// Hosts kill what does not end, after four seconds or so.
const drainMs = 2000;

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

function listenError(address: ServeAddress): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    const why = code === "EADDRINUSE" ? "something else listens there; --http PORT takes another port" : code;
    throw new HostsideError(`cannot listen at ${new URL(urlOf(address)).host}: ${why}`, {
      code: "unreachable",
      cause: error,
    });
  };
}

/** Resolves when `ended` does, or somebody stops the program. */
async function untilStopped(ended: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await untilAborted(ended, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/**
 * Opens a file that gets a line of JSON for each call. Rejects with `store_failed` if it cannot be
 * opened. A line that cannot be written later is reported by `note`.
 */
async function openCallLog(
  file: string,
  { cwd }: Pick<Terminal, "cwd">,
  note: (text: string) => void,
): Promise<AsyncDisposable & { readonly interceptor: Interceptor }> {
  const { createCallLog } = await import("@hostside/otel/log");
  const path = resolve(cwd, file);
  const stream = createWriteStream(path, { flags: "a", mode: 0o600 });
  await once(stream, "open").catch((error: unknown) => {
    throw storeFailed(`the call log ${path} cannot be opened`, error);
  });
  stream.on("error", (error) => note(`the call log ${path} cannot be written: ${error.message}`));
  return {
    interceptor: createCallLog({ write: (entry) => stream.write(`${JSON.stringify(entry)}\n`) }),
    [Symbol.asyncDispose]: () => new Promise((closed) => stream.end(() => closed())),
  };
}

/** The address at which `serve` listens. */
interface ServeAddress {
  /** A name or an address, that of IPv6 without brackets. */
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** The path that clients ask. */
const servePath = "/mcp";
const defaultAddress: ServeAddress = { host: "127.0.0.1", port: 7077 };

/**
 * Reads `--http`. Throws a usage error for what is no address, and for one that other machines
 * reach unless that was asked for. Pure.
 */
function readAddress(
  text: string | true,
  { anyAddress = false }: { readonly anyAddress?: boolean | undefined },
): ServeAddress {
  const address = text === true ? defaultAddress : parseAddress(text);
  if (!anyAddress && !isConfidentialUrl(new URL(urlOf(address)))) {
    throw usageError(
      `other machines may reach ${address.host}`,
      "--any-address allows that: whoever has the token may then call your tools from there",
    );
  }
  return address;
}

/** Its URL, as a client on this machine has it. */
function urlOf({ host, port }: ServeAddress): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}${servePath}`;
}

function parseAddress(text: string): ServeAddress {
  const [, bracketed, plain, digits = ""] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const address = { host: bracketed ?? plain ?? defaultAddress.host, port: Number(digits) };
  if (digits === "" || !URL.canParse(urlOf(address)))
    throw usageError(`${JSON.stringify(text)} is no address to listen at`, "--http 7077   or   --http 127.0.0.1:7077");
  return address;
}

/** The token that lets clients in, and where it is. */
interface KeptToken {
  readonly token: string;
  readonly file: string;
  /** `true` if it was made just now. */
  readonly isNew: boolean;
}

const shortestToken = 16;

/** The default file of the token. */
function defaultTokenFile(terminal: Terminal): string {
  return join(userStateFolder(terminal), "serve-token");
}

/**
 * Reads the token of a file, and makes both where there is none; of two processes that do so at
 * once, both have the same. Throws a usage error for a file that others can read, or that holds
 * none. A file of root may be readable for its group: secrets are mounted so for a container's
 * user.
 */
async function keepToken(file: string, { platform }: Pick<Terminal, "platform">): Promise<KeptToken> {
  const isNew = !existsSync(file) && (await makeToken(file));
  const { mode, uid } = await stat(file);
  if (platform !== "win32" && (mode & (uid === 0 ? 0o037 : 0o077)) !== 0) {
    throw usageError(`others can read ${file}, or write to it`, `chmod 600 ${file}`);
  }
  const token = (await readFile(file, "utf8")).trim();
  if (token.length >= shortestToken && /^[\w.~+/-]+=*$/.test(token)) return { token, file, isNew };
  throw usageError(
    `${file} holds no token: it must be one word of at least ${shortestToken} characters`,
    "delete the file, and another one is made",
  );
}

// Linked into place, so that it is there whole or not at all, and never in place of another one.
async function makeToken(file: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
    await link(draft, file);
    return true;
  } catch (error) {
    // Another process made it.
    if (existsSync(file)) return false;
    throw usageError(`cannot write ${file}: ${messageOf(error)}`);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}
