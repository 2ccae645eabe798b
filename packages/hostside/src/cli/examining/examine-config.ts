import { formatProblem, readConfig, type ConfigProblem } from "@hostside/config";
import { readText, type LoadedConfig, type ServerSource } from "@hostside/config/node";
import type { ServerSpec } from "@hostside/core";
import { canonicalJson, reachOf } from "@hostside/core/implement";
import { secretsIn, type SecretPlace } from "../configuring/find-secrets.ts";
import { formatCount } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { runFor, type DoctorFinding, type Mend } from "./finding.ts";

const area = "configuration";

/** Looks at the files: what is wrong in them, what is not used, and secrets that stand in them. */
export async function examineConfig(
  { servers, sources, problems }: LoadedConfig,
  isWanted: (serverId: string) => boolean,
): Promise<readonly DoctorFinding[]> {
  const wanted = sources.filter(({ serverId }) => isWanted(serverId));
  const own = problems.filter(({ serverId }) => serverId === undefined || isWanted(serverId));
  const isEmpty = wanted.length === 0 && !own.some(({ severity }) => severity === "error");
  return [
    ...(isEmpty ? [noServers] : []),
    ...judgeFiles(wanted),
    ...own.map(judgeProblem),
    ...wanted.flatMap(judgeSource),
    ...(await judgeSecrets(wanted)),
    ...duplicatesOf(servers)
      .filter((ids) => ids.some(isWanted))
      .map(judgeDuplicate),
  ];
}

const noServers: DoctorFinding = {
  level: "problem",
  area,
  what: "there are no servers",
  mend: { command: "hostside init" },
};

function judgeFiles(sources: readonly ServerSource[]): readonly DoctorFinding[] {
  const files = new Map<string, ServerSource[]>();
  for (const source of sources) {
    if (source.file !== undefined) files.set(source.file, [...(files.get(source.file) ?? []), source]);
  }
  return Array.from(files, ([file, found]) => {
    return { level: "ok", area, what: `${file}: ${formatCount(found.length, "server")} (${found[0]?.scope})` };
  });
}

function judgeProblem(problem: ConfigProblem): DoctorFinding {
  const { severity, serverId: server } = problem;
  const what = terminalLine(formatProblem({ ...problem, fix: undefined }), 500);
  return { level: severity === "error" ? "problem" : "advice", area, server, what, mend: mendOf(problem) };
}

function mendOf({ code, serverId, fix }: ConfigProblem): Mend | undefined {
  if (code === "untrusted_server" && serverId !== undefined) return runFor("trust", serverId);
  if (code === "missing_input" && serverId !== undefined && fix === undefined) return runFor("list", serverId);
  return fix === undefined ? undefined : { text: terminalLine(fix, 500) };
}

function judgeSource({ serverId: server, off, over }: ServerSource): readonly DoctorFinding[] {
  const unused = over.map((place): DoctorFinding => {
    return { level: "ok", area, server, what: `the entry of this name in ${terminalLine(place, 500)} is not used` };
  });
  if (off !== "disabled" && off !== "not allowed") return unused;
  const why = off === "disabled" ? "its entry says so" : "a list of allowed or denied servers leaves it out";
  return [...unused, { level: "ok", area, server, what: `off: ${why}` }];
}

const mostBytes = 10 * 1024 * 1024;

async function judgeSecrets(sources: readonly ServerSource[]): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  for (const file of new Set(sources.map((source) => source.file))) {
    if (file === undefined) continue;
    const own = sources.filter((source) => source.file === file);
    const text = await readText(file, mostBytes).catch(() => undefined);
    const { servers } = readConfig(text ?? "{}", { file, dialect: own[0]?.dialect });
    for (const { id: server, draft, places } of servers) {
      const found = own.some(({ serverId }) => serverId === server) ? secretsIn(draft) : [];
      if (found.length === 0) continue;
      const lineOf = ({ path, shown }: SecretPlace): string =>
        `${[file, places.get(path)?.position?.line].filter((part) => part !== undefined).join(":")}: ${shown}`;
      const what = found.length === 1 ? "a secret stands in the file" : `${found.length} secrets stand in the file`;
      const mend = {
        text: `keep it in a variable, and write "\${${variableFor(found[0]?.shown ?? "")}}" in its place`,
      };
      findings.push({ level: "advice", area, server, what, evidence: found.map(lineOf), mend });
    }
  }
  return findings;
}

/** The last word of a field's name, as a variable is called. */
function variableFor(field: string): string {
  const name = field.split(/[.\s]/).at(-1) ?? "";
  return name.replaceAll(/^\W+/g, "").replaceAll(/\W+/g, "_").toUpperCase() || "TOKEN";
}

/** Groups of servers that start or reach the same thing. */
function duplicatesOf(servers: readonly ServerSpec[]): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const spec of servers) {
    const { id, command, url, disabled } = spec;
    if (disabled === true || (command === undefined && url === undefined)) continue;
    const key = canonicalJson(JSON.parse(JSON.stringify(reachOf(spec))));
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  return Array.from(groups.values()).filter(({ length }) => length > 1);
}

function judgeDuplicate([server = "", ...others]: readonly string[]): DoctorFinding {
  const named = others.map((id) => JSON.stringify(id)).join(", ");
  const what = `is the same server as ${named}: a model sees its tools ${others.length + 1} times`;
  return { level: "advice", area, server, what, mend: runFor("disable", others[0] ?? server) };
}
