import { redactSpec, type HttpTransportSpec, type ServerSpec, type StdioTransportSpec } from "@hostside/core";
import { isCredentialHeader, isSecretName } from "@hostside/core/implement";

/** A spec as files have it. */
type FileSpec = Omit<ServerSpec, "transport"> & { readonly transport: StdioTransportSpec | HttpTransportSpec };

/** What somebody may want to know about an entry before it is written. */
export interface Advice {
  /** As lines, never with a value that is secret. */
  readonly notes: readonly string[];
  /** Whether there is something in it that looks like a secret. */
  readonly hasSecrets: boolean;
}

/** Looks for secrets that are written as they are, and for habits that do not work here. Pure. */
export function adviseOn(spec: FileSpec): Advice {
  const { transport } = spec;
  const secrets =
    transport.type === "stdio"
      ? [...secretVariables(transport), ...secretArguments(spec, transport)]
      : [...secretHeaders(transport), ...secretParameters(transport)];
  const others = transport.type === "stdio" ? habits(transport) : [];
  return { notes: [...secrets, ...others], hasSecrets: secrets.length > 0 };
}

function secretVariables({ env = {} }: StdioTransportSpec): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    isSecretName(name) && isLiteral(value)
      ? [
          `${name} looks like a secret, and is written as it is; to keep it out of the file: --env ${name}, and set ${name} in your environment`,
        ]
      : [],
  );
}

function secretArguments(spec: FileSpec, { args = [] }: StdioTransportSpec): readonly string[] {
  const { transport } = redactSpec(spec);
  const shown = transport.type === "stdio" ? (transport.args ?? []) : [];
  return args.flatMap((argument, index) =>
    shown[index] !== argument && isLiteral(argument) && !argument.includes("://")
      ? [
          `argument ${index + 1} looks like a secret, and is written as it is; to keep it out of the file write '\${NAME}' in its place, and set NAME in your environment`,
        ]
      : [],
  );
}

function secretHeaders({ headers = {} }: HttpTransportSpec): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (isCredentialHeader(name) || isSecretName(name)) && isLiteral(value)
      ? [
          `${name} looks like a secret, and is written as it is; to keep it out of the file write '\${NAME}' in its place, and set NAME in your environment`,
        ]
      : [],
  );
}

function secretParameters({ url }: HttpTransportSpec): readonly string[] {
  if (!URL.canParse(url)) return [];
  return [...new URL(url).searchParams].flatMap(([name, value]) =>
    isSecretName(name) && isLiteral(value)
      ? [
          `${name} in the URL looks like a secret, and is written as it is; to keep it out of the file write '\${NAME}' in its place, and set NAME in your environment`,
        ]
      : [],
  );
}

function habits({ command, args = [], cwd }: StdioTransportSpec): readonly string[] {
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
