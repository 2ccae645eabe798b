import type { ConfiguredServer } from "@hostside/config";
import { redactSpec } from "@hostside/core";
import { isCredentialHeader, isSecretName } from "@hostside/core/implement";

/**
 * Finds values of an entry that look like secrets, and are written down rather than referred to:
 * their paths in the entry, such as `env.TOKEN` or `args[2]`.
 */
export function secretsIn(draft: ConfiguredServer["draft"]): readonly string[] {
  if (draft.command !== undefined) {
    const { env = {}, args = [] } = draft;
    const redacted = redactSpec(draft);
    const shown = redacted.command === undefined ? [] : (redacted.args ?? []);
    return [
      ...namesIn(env, isSecretName).map((name) => `env.${name}`),
      ...args.flatMap((arg, index) => (shown[index] === arg || !isLiteral(arg) ? [] : [`args[${index}]`])),
    ];
  }
  const { headers = {}, bearerToken = "", url } = draft;
  const query = URL.canParse(url) ? Object.fromEntries(new URL(url).searchParams) : {};
  return [
    ...namesIn(headers, (name) => isCredentialHeader(name) || isSecretName(name)).map((name) => `headers.${name}`),
    ...(isLiteral(bearerToken) ? ["bearerToken"] : []),
    ...(namesIn(query, isSecretName).length > 0 ? ["url"] : []),
  ];
}

function namesIn(values: Readonly<Record<string, string>>, isSecret: (name: string) => boolean): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => (isSecret(name) && isLiteral(value) ? [name] : []));
}

/** Tells a value from a reference to a variable, a file or an input. */
function isLiteral(value: string): boolean {
  return value.trim() !== "" && !/\$\{|\$\w|\{(?:env|file):|%\w+%/.test(value);
}

/** Says how secrets that stand in an entry are kept out of the file. */
export function adviseOnSecrets(paths: readonly string[]): readonly string[] {
  return paths.map((path) => {
    const [, variable] = /^env\.(.*)$/.exec(path) ?? [];
    const what = `${variable ?? path} looks like a secret, and is written as it is; to keep it out of the file`;
    return variable === undefined
      ? `${what} write '\${NAME}' in its place, and set NAME in your environment`
      : `${what}: --env ${variable}, and set ${variable} in your environment`;
  });
}
