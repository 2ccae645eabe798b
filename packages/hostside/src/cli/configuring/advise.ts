import { redactSpec, type HttpEntry, type ServerSpec, type StdioEntry } from "@hostside/core";
import { isCredentialHeader, isSecretName } from "@hostside/core/implement";

/** A spec as files have it. */
type FileSpec = (StdioEntry | HttpEntry) & Pick<ServerSpec, "id">;

/** What somebody may want to know about an entry before it is written. */
export interface Advice {
  /** As lines, never with a value that is secret. */
  readonly notes: readonly string[];
  /** Whether there is something in it that looks like a secret. */
  readonly hasSecrets: boolean;
}

/** Looks for secrets that are written as they are, and for habits that do not work here. Pure. */
export function adviseOn(spec: FileSpec): Advice {
  const secrets =
    spec.command === undefined
      ? [...secretHeaders(spec), ...secretParameters(spec)]
      : [...secretVariables(spec), ...secretArguments(spec)];
  const others = spec.command === undefined ? [] : habits(spec);
  return { notes: [...secrets, ...others], hasSecrets: secrets.length > 0 };
}

function secretVariables({ env = {} }: StdioEntry): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    isSecretName(name) && isLiteral(value)
      ? [
          `${name} looks like a secret, and is written as it is; to keep it out of the file: --env ${name}, and set ${name} in your environment`,
        ]
      : [],
  );
}

function secretArguments(spec: StdioEntry & Pick<ServerSpec, "id">): readonly string[] {
  const { args = [] } = spec;
  const redacted = redactSpec(spec);
  const shown = redacted.command === undefined ? [] : (redacted.args ?? []);
  return args.flatMap((argument, index) =>
    shown[index] !== argument && isLiteral(argument) && !argument.includes("://")
      ? [
          `argument ${index + 1} looks like a secret, and is written as it is; to keep it out of the file write '\${NAME}' in its place, and set NAME in your environment`,
        ]
      : [],
  );
}

function secretHeaders({ headers = {} }: HttpEntry): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (isCredentialHeader(name) || isSecretName(name)) && isLiteral(value)
      ? [
          `${name} looks like a secret, and is written as it is; to keep it out of the file write '\${NAME}' in its place, and set NAME in your environment`,
        ]
      : [],
  );
}

function secretParameters({ url }: HttpEntry): readonly string[] {
  if (!URL.canParse(url)) return [];
  return [...new URL(url).searchParams].flatMap(([name, value]) =>
    isSecretName(name) && isLiteral(value)
      ? [
          `${name} in the URL looks like a secret, and is written as it is; to keep it out of the file write '\${NAME}' in its place, and set NAME in your environment`,
        ]
      : [],
  );
}

function habits({ command, args = [], cwd }: StdioEntry): readonly string[] {
  const [first = ""] = args;
  const isNpx = /(?:^|[\\/])npx(?:\.cmd)?$/i.test(command);
  const asks = isNpx && !args.some((argument) => /^(?:-y|--yes|--no-install|--no|--offline)$/.test(argument));
  const relative = [command, ...args].find((word) => /^\.{1,2}[\\/]/.test(word));
  return [
    ...(asks && first !== ""
      ? ["npx asks before it installs a package, and nobody can answer; put -y before its name"]
      : []),
    ...(relative !== undefined && cwd === undefined
      ? [`${relative} is looked for in the folder that hostside is started in; write the whole path, or give --cwd`]
      : []),
  ];
}

function isLiteral(value: string): boolean {
  return value !== "" && !value.includes("${");
}
