import { formatProblem, readConfig, type ConfigProblem } from "@hostside/config";
import { readText, type LoadedConfig, type ServerSource } from "@hostside/config/node";
import { secretsIn } from "../configuring/find-secrets.ts";
import { formatCount } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { groupBy, type DoctorFinding, type Mend, type RunFor } from "./finding.ts";

const area = "configuration";

/** Looks at the files: what is wrong in them, what is not used, and secrets that stand in them. */
export async function examineConfig(
  { sources, problems }: LoadedConfig,
  isWanted: (serverId: string) => boolean,
  runFor: RunFor,
): Promise<readonly DoctorFinding[]> {
  const wanted = sources.filter(({ serverId }) => isWanted(serverId));
  const own = problems.filter(({ serverId }) => serverId === undefined || isWanted(serverId));
  const inFiles = wanted.filter(({ file }) => file !== undefined);
  const files = groupBy(inFiles, ({ file = "" }) => file);
  const isEmpty = wanted.length === 0 && !own.some(({ severity }) => severity === "error");
  const secrets = await Promise.all(Array.from(files, judgeSecrets));
  return [
    ...(isEmpty ? [noServers] : []),
    ...Array.from(files, ([file, found]): DoctorFinding => {
      return { level: "ok", area, what: `${file}: ${formatCount(found.length, "server")} (${found[0]?.scope})` };
    }),
    ...own.map((problem) => judgeProblem(problem, runFor)),
    ...wanted.flatMap(judgeSource),
    ...secrets.flat(),
  ];
}

const noServers: DoctorFinding = {
  level: "problem",
  area,
  what: "there are no servers",
  mend: { command: "hostside init" },
};

function judgeProblem(problem: ConfigProblem, runFor: RunFor): DoctorFinding {
  const { severity, serverId: server } = problem;
  const what = terminalLine(formatProblem({ ...problem, fix: undefined }), 500);
  const level = severity === "error" ? "problem" : "advice";
  return { level, area, server, what, mend: mendOf(problem, runFor) };
}

function mendOf({ code, serverId, fix }: ConfigProblem, runFor: RunFor): Mend | undefined {
  if (code === "untrusted_server" && serverId !== undefined) return runFor("trust", serverId);
  if (code === "missing_input" && serverId !== undefined && fix === undefined) return runFor("list", serverId);
  return fix === undefined ? undefined : { text: terminalLine(fix, 500) };
}

function judgeSource({ serverId: server, off, over }: ServerSource): readonly DoctorFinding[] {
  const whats = over.map((place) => `the entry of this name in ${terminalLine(place, 500)} is not used`);
  if (off === "disabled") whats.push("off: its entry says so");
  if (off === "not allowed") whats.push("off: a list of allowed or denied servers leaves it out");
  return whats.map((what) => ({ level: "ok", area, server, what }));
}

const mostBytes = 10 * 1024 * 1024;

async function judgeSecrets([file, sources]: readonly [string, readonly ServerSource[]]): Promise<
  readonly DoctorFinding[]
> {
  const text = await readText(file, mostBytes).catch(() => "{}");
  const { servers } = readConfig(text, { file, dialect: sources[0]?.dialect });
  return servers.flatMap(({ id: server, draft, places }): readonly DoctorFinding[] => {
    const found = sources.some(({ serverId }) => serverId === server) ? secretsIn(draft) : [];
    if (found.length === 0) return [];
    const what = found.length === 1 ? "a secret stands in the file" : `${found.length} secrets stand in the file`;
    const evidence = found.map((path) => {
      const line = places.get(path)?.position?.line;
      return `${file}${line === undefined ? "" : `:${line}`}: ${path}`;
    });
    const mend = { text: 'keep it in a variable NAME, and write "${NAME}" in its place' };
    return [{ level: "advice", area, server, what, evidence, mend }];
  });
}
