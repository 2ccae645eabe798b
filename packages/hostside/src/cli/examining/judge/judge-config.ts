import { formatCount } from "../../render/format-amount.ts";
import type { ConfigFacts, ConfigProblemFacts, PlainSecret, ServerFacts } from "../facts.ts";
import type { DoctorFinding, Mend } from "../finding.ts";
import { commandFor } from "./command-for.ts";

const area = "configuration";

/** What the files say, and what is wrong with them. */
export function judgeConfig(
  { files, problems, plainSecrets, unused, duplicates }: ConfigFacts,
  servers: readonly ServerFacts[],
): readonly DoctorFinding[] {
  return [
    // Where something could not be read, that is what to mend.
    ...(files.length + servers.length === 0 && !problems.some(({ severity }) => severity === "error")
      ? [noServers]
      : []),
    ...files.map(({ file, servers: ids, scope }): DoctorFinding => {
      return {
        level: "ok",
        area,
        what: `${file}: ${formatCount(ids.length, "server")} (${scope})`,
      };
    }),
    ...problems.map(judgeProblem),
    ...servers.flatMap(judgeOff),
    ...unused.map(({ server, place }): DoctorFinding => {
      return { level: "ok", area, server, what: `the entry of this name in ${place} is not used` };
    }),
    ...judgeSecrets(plainSecrets),
    ...duplicates.map(judgeDuplicate),
  ];
}

const noServers: DoctorFinding = {
  level: "problem",
  area,
  what: "there are no servers",
  mend: { command: "hostside init" },
};

function judgeProblem({ code, severity, server, text, fix }: ConfigProblemFacts): DoctorFinding {
  return {
    // A server that nobody trusted is as it should be, and needs its user's word.
    level: severity === "error" ? "problem" : "advice",
    area,
    ...(server !== undefined && { server }),
    what: text,
    ...mendOf(code, { server, fix }),
  };
}

function mendOf(code: string, { server, fix }: Pick<ConfigProblemFacts, "server" | "fix">): { readonly mend?: Mend } {
  if (code === "untrusted_server" && server !== undefined) return { mend: { command: commandFor("trust", server) } };
  // One that is not declared is asked for nowhere.
  if (code === "missing_input" && server !== undefined && fix === undefined) {
    return { mend: { text: `${commandFor("list", server)} asks for it on a terminal` } };
  }
  return fix === undefined ? {} : { mend: { text: fix } };
}

function judgeOff({ id, state, off }: ServerFacts): readonly DoctorFinding[] {
  // What nobody trusted is a problem of the configuration, with its place.
  if (state !== "off" || off === "untrusted") return [];
  const isListed = off === "not allowed";
  const what = isListed ? "off: a list of allowed or denied servers leaves it out" : "off: its entry says so";
  return [{ level: "ok", area, server: id, what, ...(!isListed && { mend: { command: commandFor("enable", id) } }) }];
}

function judgeSecrets(secrets: readonly PlainSecret[]): readonly DoctorFinding[] {
  const groups = new Map<string, PlainSecret[]>();
  for (const secret of secrets) {
    const key = JSON.stringify([secret.file, secret.server, secret.placeholder]);
    groups.set(key, [...(groups.get(key) ?? []), secret]);
  }
  return Array.from(groups.values(), (group): DoctorFinding => {
    const [{ server, placeholder }] = group as [PlainSecret, ...PlainSecret[]];
    const isOne = group.length === 1;
    const evidence = group.map(({ file, line, field }) => `${file}${line === undefined ? "" : `:${line}`}: ${field}`);
    const variable = variableFor(group[0]?.field ?? "");
    return placeholder
      ? {
          level: "problem",
          area,
          server,
          what: isOne
            ? "a secret is still the one of an example"
            : `${group.length} secrets are still those of an example`,
          evidence,
          mend: { text: "put the real one in its place, or the name of a variable that holds it" },
        }
      : {
          level: "advice",
          area,
          server,
          what: isOne ? "a secret stands in the file" : `${group.length} secrets stand in the file`,
          evidence,
          mend: { text: `keep it in a variable, and write "\${${variable}}" in its place` },
        };
  });
}

// Of `env.TOKEN`, `headers.X-Api-Key`, `args --api-key`, `url ?key`.
function variableFor(field: string): string {
  const name = field.split(/[.\s]/).at(-1) ?? "";
  return name.replaceAll(/^\W+/g, "").replaceAll(/\W+/g, "_").toUpperCase() || "TOKEN";
}

function judgeDuplicate(ids: readonly string[]): DoctorFinding {
  const [first = "", ...others] = ids;
  return {
    level: "advice",
    area,
    server: first,
    what: `is the same server as ${others.map((id) => JSON.stringify(id)).join(", ")}: a model sees its tools ${ids.length} times`,
    mend: { command: commandFor("disable", others[0] ?? first) },
  };
}
