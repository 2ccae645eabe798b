import { formatProblem, type ServeSettings, type HostSettings, type ConfigProblem } from "@hostside/config";
import type { Admit, ToolDefinition } from "@hostside/core";
import { createPolicy, type ToolRule } from "@hostside/policy";
import { usageError } from "../exit-codes.ts";
import type { LoadedConfig } from "@hostside/config/node";

/** What `serve` was given. */
export interface ServeArguments {
  readonly expose?: ServeSettings["expose"];
  readonly readOnly?: boolean | undefined;
  readonly requireApproval?: boolean | undefined;
  readonly redact?: boolean | undefined;
  /** A lock file of `hostside lock`. */
  readonly lock?: string | undefined;
  /** A file that gets a line for each call. */
  readonly callLog?: string | undefined;
  /** Whether calls are traced, by an SDK that somebody has registered. */
  readonly otel?: boolean | undefined;
  /** Where it listens; `true`: at the default address. Absent: stdio. */
  readonly http?: string | true | undefined;
  readonly anyAddress?: boolean | undefined;
  readonly publicUrl?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly printToken?: boolean | undefined;
  readonly printConfig?: string | undefined;
}

/** What somebody said on the command line. */
export interface ServeFlags {
  /** Beats what files say; without a file, it is about all servers. */
  readonly expose?: ServeSettings["expose"];
  readonly readOnly?: boolean | undefined;
  readonly requireApproval?: boolean | undefined;
  readonly redact?: boolean | undefined;
}

/** What is offered to clients. */
export interface ServeOffer {
  readonly expose: NonNullable<ServeSettings["expose"]>;
  readonly readOnly: boolean;
  readonly requireApproval: boolean;
  readonly redact: boolean;
  /** A list that names nothing. */
  readonly isEmpty: boolean;
  /** Which tools. Of those that are on no server, what signs in. */
  readonly admit: Admit;
  /** Whether all of a server is offered: what is no tool goes by that. */
  readonly hasServer: (serverId: string, scope: string | undefined) => boolean;
  /** Whether anything of a server may be offered: of the others none is started. */
  readonly usesServer: (serverId: string, scope: string | undefined) => boolean;
  /** Entries that mean no server there is. */
  readonly unknown: readonly string[];
  /** Entries that name one tool of this server, and it is not among these. */
  readonly unmatched: (serverId: string, tools: readonly ToolDefinition[]) => readonly string[];
}

/**
 * What is offered, by what was said on the command line, in the user's files, and in the project's.
 * The project's block is used in place of the user's; of servers that are not the project's own it
 * offers nothing that the user's word does not offer, too. `readOnly`, `requireApproval` and
 * `redact` hold wherever they were said.
 *
 * Throws a usage error where nobody has said what is offered, or an entry makes no sense. Pure.
 */
export function readOffer(
  flags: ServeFlags,
  { serve: own, projectServe: ofProject }: Pick<HostSettings, "serve" | "projectServe">,
  serverIds: readonly string[],
): ServeOffer {
  const block = ofProject ?? own;
  const says = (one: ServeSettings | undefined): boolean => one?.expose !== undefined || one?.tools !== undefined;
  if (flags.expose === undefined && !says(block)) {
    throw usageError(
      "nothing is offered: neither the command line nor a hostside.json says what is",
      "hostside serve --expose search offers all your servers behind three tools",
    );
  }
  const used = listOf(block?.tools, "serve.tools");
  const users = says(own) ? listOf(own?.tools, "serve.tools") : flags.expose === undefined ? nothing : everything;
  const isOffered = (list: ToolList, scope: string | undefined, find: (list: ToolList) => boolean): boolean =>
    find(list) && (ofProject === undefined || scope === "project" || find(users));
  const isSaid = (name: "readOnly" | "requireApproval" | "redact"): boolean =>
    [flags, own, ofProject].some((one) => one?.[name] === true);
  const readOnly = isSaid("readOnly");
  return {
    expose: flags.expose ?? block?.expose ?? "all",
    readOnly,
    requireApproval: isSaid("requireApproval"),
    redact: isSaid("redact"),
    isEmpty: block?.tools?.length === 0,
    admit(tool, server) {
      if (readOnly && tool.effect !== "pure") return "hide";
      // Those of the host that read what was cut off: nothing is cut off here.
      if (server === undefined) return tool.effect === "pure" ? "hide" : "offer";
      return isOffered(used, server.labels["scope"], (list) => list.admit(tool, server) === "offer") ? "offer" : "hide";
    },
    hasServer: (serverId, scope) => isOffered(used, scope, (list) => list.hasServer(serverId)),
    usesServer: (serverId, scope) => isOffered(used, scope, (list) => list.namesServer(serverId)),
    unknown: (block?.tools ?? []).filter((entry) => {
      const one = listOf([ruleOf(entry).server], "serve.tools");
      return !serverIds.some((id) => one.hasServer(id));
    }),
    unmatched: (id, tools) =>
      (block?.tools ?? []).filter((entry) => {
        const { server, tool = "*" } = ruleOf(entry);
        if (server !== id || tool === "*") return false;
        const { admit } = listOf([entry], "serve.tools");
        return !tools.some((one) => one.origin?.serverId === id && admit(one, { id, labels: {} }) === "offer");
      }),
  };
}

/** Tools that a list names. */
interface ToolList {
  readonly admit: Admit;
  /** Whether it names all of a server. */
  readonly hasServer: (serverId: string) => boolean;
  /** Whether it names any of it. */
  readonly namesServer: (serverId: string) => boolean;
}

const everything: ToolList = { admit: () => "offer", hasServer: () => true, namesServer: () => true };
const nothing: ToolList = { admit: () => "hide", hasServer: () => false, namesServer: () => false };

function listOf(entries: readonly string[] | undefined, place: string): ToolList {
  if (entries === undefined) return everything;
  const rules = entries.map(ruleOf);
  const whole = rules.filter(({ tool = "*" }) => tool === "*");
  const servers = rules.map(({ server }) => ({ server }));
  return {
    admit: admitOf(rules, place),
    hasServer: hasServerOf(admitOf(whole, place)),
    namesServer: hasServerOf(admitOf(servers, place)),
  };
}

function admitOf(allow: readonly ToolRule[], place: string): Admit {
  if (allow.length === 0) return nothing.admit;
  try {
    return createPolicy({ allow, defaultDecision: "deny" }).admit;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageError(
      `${place} of hostside.json makes no sense: ${error.message}`,
      'an entry is "server" or "server/tool"',
    );
  }
}

// What allows any tool of a server allows one of this name.
function hasServerOf(admit: Admit): ToolList["hasServer"] {
  const definition = { name: "any", description: "", inputSchema: {} };
  return (id) =>
    admit({ ...definition, origin: { serverId: id, toolName: "any", qualifiedName: "" } }, { id, labels: {} }) ===
    "offer";
}

function ruleOf(entry: string): { readonly server: string; readonly tool?: string } {
  const at = entry.indexOf("/");
  return at === -1 ? { server: entry } : { server: entry.slice(0, at), tool: entry.slice(at + 1) };
}

/** What is offered, as the files say it now. */
export interface LiveOffer {
  readonly current: ServeOffer;
  /**
   * Why it is not what the files say: what they said last makes no sense, and what was offered
   * before stays.
   */
  readonly problem: string | undefined;
  /** Takes over what a configuration says, and answers what is offered then. */
  take(config: Pick<LoadedConfig, "settings" | "sources" | "problems">): ServeOffer;
}

/** Starts with what was read before anything was started. */
export function createLiveOffer(flags: ServeFlags, started: ServeOffer): LiveOffer {
  let current = started;
  let problem: string | undefined;
  let taken: LoadedConfig["settings"] | undefined;
  return {
    get current() {
      return current;
    },
    get problem() {
      return problem;
    },
    take({ settings, sources, problems }) {
      if (settings === taken) return current;
      taken = settings;
      try {
        const wrong = serveProblem(problems);
        if (wrong !== undefined) throw new TypeError(formatProblem(wrong));
        current = readOffer(
          flags,
          settings,
          sources.map(({ serverId }) => serverId),
        );
        problem = undefined;
      } catch (error) {
        problem = error instanceof Error ? error.message : "it cannot be read";
      }
      return current;
    },
  };
}

/** What is wrong with what files say of the offer, because of which nothing of it is used. */
export function serveProblem(problems: readonly ConfigProblem[]): ConfigProblem | undefined {
  return problems.find(({ severity, path }) => severity === "error" && /^serve(?:\.|$)/.test(path));
}
