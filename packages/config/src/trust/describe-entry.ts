import type { HttpEntry, StdioEntry } from "@hostside/core";
import { isPlainObject, isSecretName } from "@hostside/core/implement";
import type { ServerDraft } from "../configured-server.ts";
import { parseEnvFile } from "../expand/parse-env-file.ts";
import { tightenEntry } from "../layers/tighten.ts";
import { formatPath } from "../parse/config-data.ts";
import { referencesIn, referencesOf } from "./references-of.ts";
import { settingsId, type TrustEntry, type TrustQuestion } from "./trust.ts";

/** All of an entry that takes effect, as a person is shown it: nothing of it is left out. Pure. */
export function describeEntry({
  server: written,
  contents = {},
  settings = {},
  replaces = [],
}: TrustEntry): Pick<TrustQuestion, "starts" | "cwd" | "sets" | "settings" | "replaces"> {
  const { draft, extras, variables, inputs } = tightenEntry(written).server;
  const { id: _id, type: _type, ...fields } = draft;
  const { starts, cwd, named: sets, ...others } = fields.command === undefined ? addressOf(fields) : programOf(fields);
  const { defaultCwd, ...rest } = extras;
  const startsIn = cwd ?? (defaultCwd === undefined ? undefined : `\${${defaultCwd}}`);
  const shown = referencesIn(written, readable(draft));
  const named = new Set(referencesOf(written).flatMap(({ kind, name }) => (kind === "input" ? [name] : [])));
  const defaults = inputs.flatMap(({ id, default: text }) =>
    named.has(id) && text !== undefined ? [{ id, text }] : [],
  );
  return {
    starts: written.id === settingsId ? [] : starts,
    ...(startsIn === undefined ? {} : { cwd: startsIn }),
    sets: Object.entries(sets).map(([name, value]) => `${name}=${value}`),
    settings: [
      ...membersOf({ ...others, ...rest }),
      ...variables.map(({ field, variable }) => `${field} is the variable ${variable}`),
      ...defaults.map(({ id, text }) => `input ${id}=${JSON.stringify(text)}`),
      ...Object.entries(contents).flatMap(([path, text]) => {
        if (path === extras.envFile) return variablesOf(path, text);
        return `file ${path} has ${shown.has(`file ${path}`) ? JSON.stringify(text) : `${text.length} characters`}`;
      }),
      ...Object.entries(settings).flatMap(([file, set]) => membersOf(set).map((member) => `${member} of ${file}`)),
    ],
    replaces,
  };
}

type Fields<Entry> = Omit<Entry, "id" | "type">;

function programOf({ command, args = [], cwd, env: named = {}, url: _url, ...others }: Fields<StdioEntry>) {
  return { ...others, starts: [command, ...args], cwd, named };
}

function addressOf({ url, headers: named = {}, command: _command, ...others }: Fields<HttpEntry>) {
  return { ...others, starts: [url], cwd: undefined, named };
}

// `oauth.clientId="x"`: each value that is no object, with its path.
function membersOf(value: object, path: readonly string[] = []): readonly string[] {
  return Object.entries(value).flatMap(([name, member]: readonly [string, unknown]) => {
    const at = [...path, name];
    if (isPlainObject(member)) return membersOf(member, at);
    return member === undefined ? [] : [`${formatPath(at)}=${JSON.stringify(member)}`];
  });
}

function variablesOf(path: string, text: string): readonly string[] {
  return Array.from(parseEnvFile(text), ([name, value]) => {
    return `${name}${isHidden(name) ? ` (${value.length} characters)` : `=${JSON.stringify(value)}`} of file ${path}`;
  });
}

// All that is sent or run, but for what may be the user's own secret, which lies in the project.
function readable(draft: ServerDraft): unknown {
  if (draft.command === undefined) return draft.url;
  const { command, args, cwd, env = {} } = draft;
  return [command, args, cwd, Object.entries(env).filter(([name]) => !isHidden(name))];
}

// What has this name runs another program.
function isHidden(name: string): boolean {
  return isSecretName(name) && !/askpass/i.test(name);
}
