import { readConfig, formatProblem, type ConfiguredServer } from "@hostside/config";
import { readText, type LoadedConfig, type ServerSource } from "@hostside/config/node";
import { cleanText, type ServerSpec } from "@hostside/core";
import { canonicalJson, isSecretName, reachOf } from "@hostside/core/implement";
import { terminalLine } from "../../render/one-line.ts";
import type { ConfigFacts, ConfigFileFacts, PlainSecret } from "../facts.ts";

/**
 * Reads what a configuration says of itself, and looks into its files for secrets. `isWanted`: the
 * servers that somebody asked about.
 */
export async function gatherConfig(
  { servers, sources, problems }: LoadedConfig,
  isWanted: (serverId: string) => boolean,
): Promise<ConfigFacts> {
  const wanted = sources.filter(({ serverId }) => isWanted(serverId));
  return {
    files: filesOf(wanted),
    problems: problems
      .filter(({ serverId }) => serverId === undefined || isWanted(serverId))
      .map((problem) => ({
        code: problem.code,
        severity: problem.severity,
        ...(problem.serverId !== undefined && { server: cleanText(problem.serverId, 128) }),
        text: terminalLine(formatProblem({ ...problem, fix: undefined }), 500),
        ...(problem.fix !== undefined && { fix: terminalLine(problem.fix, 500) }),
      })),
    plainSecrets: await plainSecretsOf(wanted),
    unused: wanted.flatMap(({ serverId, over }) =>
      over.map((place) => ({ server: serverId, place: terminalLine(place, 500) })),
    ),
    duplicates: duplicatesOf(servers).filter((ids) => ids.some(isWanted)),
  };
}

function filesOf(sources: readonly ServerSource[]): readonly ConfigFileFacts[] {
  const files = new Map<string, ConfigFileFacts>();
  for (const { serverId, file, dialect, scope } of sources) {
    if (file === undefined) continue;
    const known = files.get(file);
    files.set(file, { file, dialect, scope, servers: [...(known?.servers ?? []), serverId] });
  }
  return Array.from(files.values());
}

/** Names of servers that are on and would start the very same thing. */
export function duplicatesOf(servers: readonly ServerSpec[]): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const spec of servers) {
    const { id, command, url, disabled } = spec;
    if (disabled === true || (command === undefined && url === undefined)) continue;
    // With another account it is another server: what stands in the environment and in headers
    // counts.
    const key = canonicalJson(JSON.parse(JSON.stringify(reachOf(spec))));
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  return Array.from(groups.values()).filter(({ length }) => length > 1);
}

async function plainSecretsOf(sources: readonly ServerSource[]): Promise<readonly PlainSecret[]> {
  const found: PlainSecret[] = [];
  for (const file of new Set(sources.map((source) => source.file))) {
    if (file === undefined) continue;
    const dialect = sources.find((source) => source.file === file)?.dialect;
    const ids = new Set(sources.filter((source) => source.file === file).map(({ serverId }) => serverId));
    // What cannot be read any more is a problem of its own.
    const text = await readText(file, mostBytes).catch(() => undefined);
    if (text === undefined) continue;
    const { servers } = readConfig(text, { file, dialect });
    for (const server of servers) if (ids.has(server.id)) found.push(...plainSecretsIn(server, file));
  }
  return found;
}

const mostBytes = 10 * 1024 * 1024;

/** What stands in an entry as it is and is a secret by the name of its field. */
export function plainSecretsIn(
  { id, draft, places }: Pick<ConfiguredServer, "id" | "draft" | "places">,
  file: string,
): readonly PlainSecret[] {
  return fieldsOf(draft).flatMap(([path, field, value]) => {
    if (value.trim() === "" || !isSecretName(field) || isReference(value)) return [];
    const line = places.get(path)?.position?.line;
    const shown = cleanText(field, 128);
    return [{ server: id, file, ...(line !== undefined && { line }), field: shown, placeholder: isPlaceholder(value) }];
  });
}

type Field = readonly [path: string, shown: string, value: string];

/** Everything in an entry that has a name and a value. */
function fieldsOf(draft: ConfiguredServer["draft"]): readonly Field[] {
  if (draft.command !== undefined) {
    const { env = {}, args = [] } = draft;
    return [
      ...Object.entries(env).map(([name, value]): Field => [`env.${name}`, `env.${name}`, value]),
      ...args.flatMap((arg, index) => fieldsOfArgument(arg, args[index - 1], `args[${index}]`)),
    ];
  }
  const { headers = {}, bearerToken = "", url } = draft;
  return [
    ...Object.entries(headers).map(([name, value]): Field => [`headers.${name}`, `headers.${name}`, value]),
    ["bearerToken", "bearerToken", bearerToken],
    ...fieldsOfUrl(url, "url", "url"),
  ];
}

// `--token=abc`, `TOKEN=abc`, `Authorization: abc`, `--token abc`, and URLs.
function fieldsOfArgument(argument: string, before: string | undefined, path: string): readonly Field[] {
  const [, name, value = ""] = /^([^=:\s]+)[=:](?!\/\/)\s*(\S.*)$/s.exec(argument) ?? [];
  if (name !== undefined) return [[path, `args ${name}`, value], ...fieldsOfUrl(value, path, "args")];
  if (argument.includes("://")) return fieldsOfUrl(argument, path, "args");
  const isValue = before?.startsWith("-") === true && !argument.startsWith("-") && !/[=:]/.test(before);
  return isValue ? [[path, `args ${before}`, argument]] : [];
}

function fieldsOfUrl(text: string, path: string, shown: string): readonly Field[] {
  if (!URL.canParse(text)) return [];
  const { searchParams, password } = new URL(text);
  return [
    [path, `${shown} password`, password],
    ...Array.from(searchParams, ([name, value]): Field => [path, `${shown} ?${name}`, value]),
  ];
}

// What some dialect puts something else in place of.
function isReference(value: string): boolean {
  return /\$\{|\$\w|\{(?:env|file):|%\w+%/.test(value);
}

// `Bearer <token>`, `YOUR_API_KEY`, `sk-xxxx`, `...`: what stands in examples.
function isPlaceholder(value: string): boolean {
  const text = value.replace(/^bearer\s+/i, "").trim();
  return /^<[^>]*>$|^\[[^\]]*\]$|your[-_ ]|^\.{3}$|^…$|x{4,}|changeme|placeholder|insert[-_ ]/i.test(text);
}
