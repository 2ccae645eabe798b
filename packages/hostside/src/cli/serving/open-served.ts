import { createTrust, formatProblem, loadConfig, type LoadedConfig } from "@hostside/config/node";
import type {
  ElicitationRequest,
  ElicitationResult,
  Interceptor,
  JsonObject,
  ServerSpec,
  ToolDefinition,
  UnreadyGroup,
} from "@hostside/core";
import type { ApprovalMode, PolicyEvent, PolicyOptions } from "@hostside/policy";
import { openHostParts } from "../../create-host.ts";
import { approveByClient } from "../../gateway/approve-by-client.ts";
import { narrowResources } from "../../gateway/narrow-resources.ts";
import { userState } from "../../state/user-state.ts";
import type { Host } from "../../contract/host.ts";
import { exampleOf } from "../calling/describe-parameters.ts";
import { lockPath, readLockFile } from "../checking/compare-offers.ts";
import type { CommandContext } from "../command-context.ts";
import { filesOf } from "../opening/config-files.ts";
import { pathOf } from "../opening/find-tool.ts";
import { serversMeant, reportProblems } from "../opening/known-server.ts";
import { openRecorded } from "../opening/open-recorded.ts";
import { fileWords, shellLine, terminalLine } from "../render/render-text.ts";
import { usageError } from "../exit-codes.ts";
import { serveProblem, readOffer, type ServeArguments, type ServeOffer } from "./serve-offer.ts";
import { isServeEntry, servedVariable } from "../opening/self-entries.ts";
import type { GatewayResources } from "@hostside/gateway";
import type { McpProvider } from "@hostside/provider";

/** The served host, and how much of it is offered. */
export interface Served extends AsyncDisposable {
  readonly host: Host;
  /** As it was read at the start. */
  readonly offer: ServeOffer;
  /** Says to a model at once that servers are not trusted. */
  readonly instructions: () => string | undefined;
  /** Resources of servers that are offered whole. */
  readonly resources: GatewayResources;
}

/** Parts of {@linkcode openServed}. */
export interface ServedMeans {
  /** Asks the user of the client whose call it is. */
  readonly ask: (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>;
  /** Addresses at which it listens itself. Empty over stdio, where there is one client. */
  readonly addresses: readonly string[];
  readonly note: (text: string) => void;
  /** Stand around all calls. */
  readonly interceptors: readonly Interceptor[];
}

/**
 * Opens everything that is configured, without waiting for any server: what they offered last is
 * there at once. Throws a usage error where nothing is offered, before anything starts.
 */
export async function openServed(given: ServeArguments, context: CommandContext, means: ServedMeans): Promise<Served> {
  const { terminal, options } = context;
  const state = userState(terminal);
  const offer = await offerOfFiles(given, context, means.note);
  const policy = await policyOf(given, offer, { ...means, context });
  const recorded = await openRecorded(options.record, async (effects) =>
    openHostParts({
      config: {
        ...(await filesOf(context)),
        watch: true,
        trust: createTrust({ store: state.store, lock: state.lock }),
        revise: createRevision(offer, means),
      },
      connector: { proxy: "environment", effects },
      provider: { refresh: "debounced" },
      toolbox: { interceptors: means.interceptors, noteUnready },
      ...(given.otel === true && { telemetry: true }),
      state,
      savedCatalogs: true,
      // One token is one user, so that a connection is shared unless its entry says that each
      // conversation has its own.
      ...(means.addresses.length > 0 && { pool: {} }),
      timeoutMs: 0,
      signal: terminal.signal,
      allowTool: offer.admit,
      policy,
      auth: { prompt: undefined },
      authenticateTools: true,
      resources: { tools: false },
      onElicit: means.ask,
      onDiagnostic: ({ serverId, message }) => {
        if (options.verbose === true) means.note(`${serverId}: ${message}`);
      },
    }),
  );
  const { host, provider } = recorded;
  const report = createProblemReport(context, offer);
  if (host.config !== undefined) report(host.config);
  for (const sentence of noteOffer(offer, host.config?.servers ?? [])) means.note(sentence);
  const scopeOf = (serverId: string): string | undefined =>
    host.config?.sources.find((source) => source.serverId === serverId)?.scope;
  noteUnmatched(provider, offer, means.note);
  let said = host.config && serveOf(host.config);
  host.onConfigReport(({ config }) => {
    report(config);
    const now = serveOf(config);
    if (now !== said) means.note("serve of hostside.json has changed, and counts from the next start");
    said = now;
  });
  return {
    host,
    offer,
    instructions: () => host.config && untrustedInstructions(host.config, offer.usesServer),
    resources: narrowResources(host.resources, (serverId) => offer.hasServer(serverId, scopeOf(serverId))),
    [Symbol.asyncDispose]: () => recorded.close(),
  };
}

function serveOf({ settings }: LoadedConfig): string {
  return JSON.stringify([settings.serve, settings.projectServe]);
}

/**
 * Says what is wrong with a configuration, as far as it is offered, and after an edit once more, if
 * that is anything else.
 */
function createProblemReport(context: CommandContext, { usesServer }: ServeOffer): (config: LoadedConfig) => void {
  let last: string | undefined;
  return (config) => {
    const isUsed = (id: string): boolean =>
      usesServer(id, config.sources.find(({ serverId }) => serverId === id)?.scope);
    const waiting = config.sources.filter(({ off }) => off === "untrusted").map(({ serverId }) => serverId);
    const now = JSON.stringify([config.problems.map(formatProblem), waiting.filter(isUsed)]);
    if (now !== last) reportProblems(context, config, isUsed);
    last = now;
  };
}

/** Reads what is offered from files of which nothing is expanded or started. */
async function offerOfFiles(
  given: ServeArguments,
  context: CommandContext,
  note: ServedMeans["note"],
): Promise<ServeOffer> {
  const { store, lock } = userState(context.terminal);
  const config = await loadConfig({
    ...(await filesOf(context)),
    trust: createTrust({ store, lock }),
    allow: () => false,
  });
  if (config.questions.some(({ starts }) => starts.length === 0))
    note("settings of this project are not used until you have decided about them: hostside trust");
  const ids = config.sources.map(({ serverId }) => serverId);
  const offer = readOffer(given, config.settings, ids);
  const [unknown] = offer.unknown;
  if (unknown !== undefined) {
    const meant = serversMeant(unknown.split("/")[0] ?? "", ids);
    throw usageError(unknownEntry(unknown), meant ?? "hostside list shows the servers");
  }
  if (offer.isEmpty) {
    const wrong = serveProblem(config.problems);
    const why = wrong === undefined ? "the list of serve.tools in hostside.json is empty" : formatProblem(wrong);
    throw usageError(`nothing is offered: ${terminalLine(why, 1000)}`, wrong && "mend that file, and start it again");
  }
  return offer;
}

function unknownEntry(entry: string): string {
  return `serve.tools of hostside.json names ${JSON.stringify(terminalLine(entry, 200))}, and there is no such server`;
}

// A host that has closed stdin sends a signal after two seconds: by then all that a server is asked
// to end by has to be over, three graces in all.
const closeMs = 500;

/**
 * Leaves out what starts this very program, and says so once for each; leaves out those of which
 * nothing is offered, and prepares the others.
 */
function createRevision(
  { usesServer }: ServeOffer,
  { addresses, note }: ServedMeans,
): (spec: ServerSpec) => ServerSpec | undefined {
  const said = new Set<string>();
  const hasMany = addresses.length > 0;
  return (spec) => {
    if (isServeEntry(spec, addresses)) {
      if (!said.has(spec.id)) note(`server ${spec.id} is hostside serve itself, and left out`);
      said.add(spec.id);
      return undefined;
    }
    if (!usesServer(spec.id, spec.labels?.["scope"])) return undefined;
    const { startup = "background", sharing, timeouts } = spec;
    const marked = spec.command === undefined ? spec : { ...spec, env: { ...spec.env, [servedVariable]: "1" } };
    const shared = hasMany && sharing !== "conversation" ? ({ sharing: "shared" } as const) : {};
    return { ...marked, ...shared, startup, timeouts: { closeMs, ...timeouts } };
  };
}

const changing: ApprovalMode = {
  tools: {
    effect: ["idempotent-write", "non-idempotent-write", "external"],
    reason: "the tool may change something",
  },
};

async function policyOf(
  { lock }: ServeArguments,
  { requireApproval, redact }: ServeOffer,
  { ask, note, context }: Pick<ServedMeans, "ask" | "note"> & { readonly context: CommandContext },
): Promise<PolicyOptions> {
  const handler = approveByClient(ask, {
    otherwise: ({ definition, args }) =>
      `They may approve this tool in a terminal, by the answer "Yes, always" to this command, which also performs the call: ${callLine(definition, args)}`,
  });
  const file = lock === undefined ? undefined : lockPath(lock, context);
  const locks = file === undefined ? undefined : await readLockFile(file);
  if (file !== undefined && locks === undefined) throw usageError(`${file} is not there`, "hostside lock writes it");
  const files = [...(lock === undefined ? [] : [lock]), ...fileWords(context.options)];
  return {
    approval: { handler, mode: requireApproval ? changing : "none" },
    ...(locks && { pins: { locks: Object.fromEntries(locks) }, onEvent: (event) => noteHeld(event, files, note) }),
    ...(redact && { redact: {} }),
  };
}

/** Says which tools differ from the lock file, and how to see and accept that. */
function noteHeld(event: PolicyEvent, files: readonly string[], note: ServedMeans["note"]): void {
  if (event.type !== "tools-drifted" && event.type !== "tools-held") return;
  const { serverId, tools } = event;
  const names = terminalLine(tools.slice(0, mostHeld).join(", "), 500);
  const more = tools.length > mostHeld ? ` and ${tools.length - mostHeld} more` : "";
  const [see, accept] = ["diff", "lock"].map((word) => shellLine(["hostside", word, ...files, "--server", serverId]));
  note(
    `held back, because the lock file has not what ${serverId} offers: ${names}${more}. See ${see}; accept with ${accept}`,
  );
}

const mostHeld = 20;

/** A command line that calls a tool with these arguments, or with samples where they are long. */
function callLine(definition: ToolDefinition, args: JsonObject): string {
  const json = JSON.stringify(args);
  if (json === "{}" || json.length > 400) return exampleOf(definition);
  return shellLine(["hostside", "call", pathOf(definition), "--args", json]);
}

/** Reports once for each entry of the list of tools that its ready server has no such tool. */
function noteUnmatched(provider: McpProvider, offer: ServeOffer, note: (text: string) => void): void {
  // What is hidden because it changes something is not among them, and is not missing.
  if (offer.readOnly) return;
  const said = new Set<string>();
  const look = (): void => {
    const held = provider.quarantined().map(({ definition }) => definition);
    const tools = [...provider.tools(), ...held];
    for (const { id, state } of provider.statuses()) {
      const entries = state === "ready" ? offer.unmatched(id, tools) : [];
      for (const entry of entries.filter((one) => !said.has(one))) {
        said.add(entry);
        const shown = JSON.stringify(terminalLine(entry, 200));
        note(`serve.tools of hostside.json names ${shown}, and server ${id} offers no such tool`);
      }
    }
  };
  provider.onStatusChanged(({ state }) => {
    if (state === "ready") look();
  });
  look();
}

/**
 * Advice for the user about a server that is not ready, for the model to pass on; `undefined` if
 * there is none. Pure.
 */
function noteUnready({ serverId, state }: Pick<UnreadyGroup, "serverId" | "state">): string | undefined {
  const inTerminal = (...words: readonly string[]): string => `${shellLine(["hostside", ...words])} in a terminal`;
  if (state === "needs-auth")
    return `The user can sign in with its sign-in tool, or by ${inTerminal("login", serverId)}.`;
  return state === "failed" ? `The user can find out why by ${inTerminal("doctor", serverId)}.` : undefined;
}

/**
 * Sentences for the person who starts it, if less is on offer than they may think. `servers`: those
 * that are used. Pure.
 */
function noteOffer({ readOnly }: Pick<ServeOffer, "readOnly">, servers: readonly ServerSpec[]): string[] {
  const used = servers.filter(({ disabled }) => disabled !== true);
  if (used.length === 0) return ["there is no server to serve: hostside list shows those that it would be"];
  const unknown = readOnly ? used.filter((spec) => !isKnown(spec)).map(({ id }) => id) : [];
  if (unknown.length === 0) return [];
  return [
    `read-only: nothing of ${terminalLine(unknown.join(", "), 200)} is on offer, because nobody says what its tools change; "trustAnnotations": true in your own hostside.json believes its server`,
  ];
}

function isKnown({ trustAnnotations, tools = {} }: ServerSpec): boolean {
  return trustAnnotations === true || Object.values(tools).some(({ effect }) => effect === "pure");
}

/**
 * Instructions for a model about servers of a project that would be offered, had their user decided
 * to trust them; `undefined` if there are none. Refused servers are left out. Names are a project's
 * words. Pure.
 */
function untrustedInstructions(
  { sources, questions }: Pick<LoadedConfig, "sources" | "questions">,
  usesServer: (serverId: string, scope: string | undefined) => boolean,
): string | undefined {
  const open = new Set(questions.map(({ serverId }) => serverId));
  const { length } = sources.filter(
    ({ serverId, scope, off }) => off === "untrusted" && open.has(serverId) && usesServer(serverId, scope),
  );
  if (length === 0) return undefined;
  const what = length === 1 ? "1 server is" : `${length} servers are`;
  return `${what} not started, because this project brings them and the user has not trusted them. The user can decide by ${shellLine(["hostside", "trust"])} in a terminal in the project's folder; those that are trusted start with the next start of this server.`;
}
