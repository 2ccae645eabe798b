import type { ConfiguredServer } from "@hostside/config";
import { credentialFieldsOf } from "@hostside/core/implement";

/**
 * Finds values of an entry that look like secrets, and are written down rather than referred to:
 * their paths in the entry, such as `env.TOKEN` or `args[2]`.
 */
export function secretsIn(draft: ConfiguredServer["draft"]): readonly string[] {
  return credentialFieldsOf(draft).flatMap((field) => {
    const [, member = field, key = '""'] = /^(\w+)\[(.+)\]$/.exec(field) ?? [];
    const name = JSON.parse(key) as string | number;
    const holder: unknown = Reflect.get(draft, member);
    const value: unknown = typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : holder;
    // A reference to a variable, a file or an input is no secret.
    if (typeof value === "string" && /^\s*$|\$\{|\$\w|\{(?:env|file):|%\w+%/.test(value)) return [];
    return [typeof name === "number" || name === "" ? field : `${member}.${name}`];
  });
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
