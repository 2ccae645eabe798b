import type { ConfiguredServer } from "@hostside/config";
import { secretsIn } from "./find-secrets.ts";

/** What is said of an entry that is added. */
export interface Advice {
  readonly notes: readonly string[];
  /** Whether a secret stands in it. */
  readonly hasSecrets: boolean;
}

/** Says what of an entry is better written in another way. */
export function adviseOn(draft: ConfiguredServer["draft"]): Advice {
  const secrets = secretsIn(draft);
  const notes = secrets.map(({ path, shown }) => {
    const what = `${shown.replace(/^(?:env|headers)\./, "")} looks like a secret, and is written as it is; to keep it out of the file`;
    const [, variable] = /^env\.(.*)$/.exec(path) ?? [];
    return variable === undefined
      ? `${what} write '\${NAME}' in its place, and set NAME in your environment`
      : `${what}: --env ${variable}, and set ${variable} in your environment`;
  });
  return { notes: [...notes, ...habits(draft)], hasSecrets: secrets.length > 0 };
}

function habits(draft: ConfiguredServer["draft"]): readonly string[] {
  if (draft.command === undefined) return [];
  const { command, args = [], cwd } = draft;
  const isNpx = /(?:^|[\\/])npx(?:\.cmd)?$/i.test(command);
  const asks =
    isNpx && args.length > 0 && !args.some((argument) => /^(?:-y|--yes|--no-install|--no|--offline)$/.test(argument));
  const relative = [command, ...args].find((word) => /^\.{1,2}[\\/]/.test(word));
  return [
    ...(asks ? ["npx asks before it installs a package, and nobody can answer; put -y before its name"] : []),
    ...(relative !== undefined && cwd === undefined
      ? [`${relative} is looked for in the folder that hostside is started in; write the whole path, or give --cwd`]
      : []),
  ];
}
