import { confirm, isCancel, multiselect, select } from "@clack/prompts";
import type { JsonValue } from "@hostside/core";
import { terminalLine } from "../render/one-line.ts";
import type { Terminal } from "../terminal.ts";
import type { ConfigPlace } from "./choose-place.ts";
import { showPath } from "./show-server.ts";
import type { SurveyedFile } from "./survey-configs.ts";

/** Asks which files are imported; `undefined`: somebody wanted no more of it. */
export async function askFiles(
  offered: readonly SurveyedFile[],
  preselected: readonly SurveyedFile[],
  terminal: Terminal,
): Promise<readonly SurveyedFile[] | undefined> {
  const answer = await multiselect({
    message: "Which of them shall hostside use?",
    options: offered.map((one) => ({
      value: one.file,
      label: `${one.tool}  ${terminalLine(showPath(one.file, terminal))}`,
      hint: `${one.servers.length} ${one.servers.length === 1 ? "server" : "servers"}${one.certain ? "" : ", not documented by the tool"}`,
    })),
    initialValues: preselected.map(({ file }) => file),
    required: false,
    ...streams(terminal),
  });
  return isCancel(answer) ? undefined : offered.filter(({ file }) => answer.includes(file));
}

/** Asks which `hostside.json` is written. */
export async function askPlace(places: readonly ConfigPlace[], terminal: Terminal): Promise<ConfigPlace | undefined> {
  const answer = await select({
    message: "Where shall that be written?",
    options: places.map(({ path, scope }) => ({
      value: path,
      label: terminalLine(showPath(path, terminal)),
      hint: scope === "user" ? "for you, everywhere" : "for this project, and whoever works on it",
    })),
    ...streams(terminal),
  });
  return isCancel(answer) ? undefined : places.find(({ path }) => path === answer);
}

/** Asks whether a file that is there already is added to. */
export async function askConsent(
  missing: readonly JsonValue[],
  { path }: ConfigPlace,
  terminal: Terminal,
): Promise<boolean> {
  const list = missing.map((one) => JSON.stringify(one)).join(", ");
  const answer = await confirm({
    message: `Add ${list} to the imports of ${terminalLine(showPath(path, terminal))}?`,
    ...streams(terminal),
  });
  return answer === true;
}

// Questions are no results.
function streams({ stdin, stderr, signal }: Terminal) {
  return { input: stdin, output: stderr, signal };
}
