import type { ConfiguredServer } from "@hostside/config";
import { redactSpec } from "@hostside/core";
import { isCredentialHeader, isSecretName } from "@hostside/core/implement";

/** The place of a secret in an entry. */
export interface SecretPlace {
  /** The path in the entry, such as `env.TOKEN` or `args[2]`. */
  readonly path: string;
  /** The same for people, such as `args --token`. Never the secret. */
  readonly shown: string;
}

/**
 * Finds values of an entry that look like secrets, and are written down rather than referred to.
 */
export function secretsIn(draft: ConfiguredServer["draft"]): readonly SecretPlace[] {
  if (draft.command !== undefined) {
    const { env = {}, args = [] } = draft;
    const redacted = redactSpec(draft);
    const shown = redacted.command === undefined ? [] : (redacted.args ?? []);
    return [
      ...inRecord(env, "env", isSecretName),
      ...args.flatMap((arg, index): readonly SecretPlace[] => {
        const path = `args[${index}]`;
        if (shown[index] === arg || !isLiteral(arg)) return [];
        const [name = ""] = /^-*[^=:\s]+(?=[=:](?!\/\/))/.exec(arg) ?? [
          args[index - 1]?.startsWith("-") ? args[index - 1] : "",
        ];
        return [{ path, shown: name === "" || arg.includes("://") ? path : `args ${name}` }];
      }),
    ];
  }
  const { headers = {}, bearerToken = "", url } = draft;
  const query = URL.canParse(url) ? Object.fromEntries(new URL(url).searchParams) : {};
  return [
    ...inRecord(headers, "headers", (name) => isCredentialHeader(name) || isSecretName(name)),
    ...(isLiteral(bearerToken) ? [{ path: "bearerToken", shown: "bearerToken" }] : []),
    ...inRecord(query, "url", isSecretName).map(({ path }) => ({ path: "url", shown: path.replace("url.", "url ?") })),
  ];
}

function inRecord(
  values: Readonly<Record<string, string>>,
  member: string,
  isSecret: (name: string) => boolean,
): readonly SecretPlace[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isSecret(name) && isLiteral(value) ? [{ path: `${member}.${name}`, shown: `${member}.${name}` }] : [],
  );
}

/** Tells a value from a reference to a variable, a file or an input. */
function isLiteral(value: string): boolean {
  return value.trim() !== "" && !/\$\{|\$\w|\{(?:env|file):|%\w+%/.test(value);
}

/** Advice about an entry that is added. */
export interface Advice {
  readonly notes: readonly string[];
  /** A secret stands in the entry. */
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
