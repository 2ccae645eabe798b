import type { OAuthPrompt } from "@hostside/auth";
import { hasBrowser, openBrowser, terminalPrompt } from "@hostside/auth/node";
import type { ApprovalDecision, ApprovalHandler, ApprovalOptions } from "@hostside/policy";
import { HostsideError, type ServerSpec, type ToolDefinition } from "@hostside/core";
import { effectOfHints, escapeUnseen } from "@hostside/core/implement";
import type { AskTrust, ConfigInput, Trust, TrustQuestion } from "@hostside/config";
import { createTrust } from "@hostside/config/node";
import { userState } from "../../../state/user-state.ts";
import type { TerminalPrompter, PromptChoice } from "../../questions.ts";
import type { Terminal } from "../../terminal.ts";

const labels: Readonly<Partial<Record<ApprovalDecision, Pick<PromptChoice<string>, "label" | "hint">>>> = {
  once: { label: "Yes, this call" },
  conversation: { label: "Yes, until this ends", hint: "every call of this tool" },
  always: { label: "Yes, always", hint: "every call of this tool, until it changes" },
};

/** Asks about a call that somebody has to approve. Cancelling refuses the call. */
export function askApproval(asker: TerminalPrompter): ApprovalHandler {
  return (question) =>
    asker.alone(async (ask) => {
      ask.show(["", `A call waits for you: ${question.why}`, ...question.shown.map((line) => `  ${line}`)]);
      const choices: readonly PromptChoice<ApprovalDecision>[] = [
        ...question.answers.flatMap((value) => (labels[value] === undefined ? [] : { value, ...labels[value] })),
        { value: "no", label: "No" },
      ];
      return (await ask.choose("Call it?", choices, "no")) ?? "no";
    }, question.signal);
}

type SpecOf = (serverId: string) => ServerSpec | undefined;

/**
 * Asks about each call from a command line that is not known to be `pure`, once, by the same
 * question as one that a rule wants approved. Without a person to ask, it is refused. A tool of the
 * person's own servers may say of itself that it only reads.
 */
export function approveCalls(
  { isYes }: { readonly isYes: boolean },
  { asker, specOf }: { readonly asker: TerminalPrompter | undefined; readonly specOf: SpecOf },
): ApprovalOptions {
  return {
    mode: { tools: { effect: ["idempotent-write", "non-idempotent-write", "external"] } },
    async handler(question) {
      if (isYes) return "once";
      const { requireApproval } = question.definition;
      if (requireApproval !== true && saysItReads(question.definition, specOf)) return "once";
      if (asker === undefined) return "no";
      const why = requireApproval === true ? "the definition of the tool says so" : "it may change things";
      return askApproval(asker)({ ...question, why });
    },
  };
}

// What the entry says of the tool counts more, and the server of a project is no choice of the
// person's.
function saysItReads({ annotations = {}, origin }: ToolDefinition, specOf: SpecOf): boolean {
  const spec = specOf(origin?.serverId ?? "");
  if (spec === undefined || spec.labels?.["scope"] === "project" || spec.trustAnnotations === false) return false;
  const { effect } = spec.tools?.[origin?.toolName ?? ""] ?? {};
  return effect === undefined && effectOfHints(annotations) === "pure";
}

/**
 * Asks for the inputs of a configuration (`${input:id}`), each once. Cancelling calls `onCancel`,
 * and gives no answer.
 */
export function askInput(
  asker: TerminalPrompter,
  onCancel: () => void,
): (input: ConfigInput) => Promise<string | undefined> {
  const answers = new Map<string, Promise<string | undefined>>();
  return (input) => {
    // Two files may have an input of one name each.
    const key = JSON.stringify(input);
    const answer = answers.get(key) ?? ask(input, asker, onCancel);
    answers.set(key, answer);
    return answer;
  };
}

async function ask(input: ConfigInput, asker: TerminalPrompter, onCancel: () => void): Promise<string | undefined> {
  const { id, type, description, default: initial, password, options } = input;
  // Which program it would have to run, only its editor knows.
  if (type === "command") return undefined;
  const message = description === undefined ? `Input ${id}` : `${description} (input ${id})`;
  return asker.alone(async (questions) => {
    const choices = (options ?? []).map((value) => ({ value, label: value }));
    const answer =
      type === "pickString" && choices.length > 0
        ? await questions.choose(message, choices, initial)
        : password === true
          ? await questions.secret(message)
          : await questions.text(message, { initial });
    if (answer === undefined) onCancel();
    // Then what the file says in place of an answer is taken, or it is a problem.
    return answer === "" ? undefined : answer;
  });
}

/** How a configuration is loaded while a person may be asked about it. */
export interface AnsweredLoading {
  readonly trust: Trust;
  readonly inputs: ReturnType<typeof askInput> | undefined;
  /** Aborts with `aborted` when the person cancels a question, and with the terminal. */
  readonly signal: AbortSignal;
}

/** Has a person answer what a configuration asks; without an asker, nobody is asked. */
export function answerLoading(terminal: Terminal, asker: TerminalPrompter | undefined): AnsweredLoading {
  const cancelled = new AbortController();
  const onCancel = (): void => cancelled.abort(new HostsideError("cancelled", { code: "aborted" }));
  const { store, lock } = userState(terminal);
  return {
    trust: createTrust({ store, lock, ask: asker && askTrust(asker, onCancel) }),
    inputs: asker && askInput(asker, onCancel),
    signal: AbortSignal.any([terminal.signal, cancelled.signal]),
  };
}

/** Asks about a server that a project brings. Cancelling calls `onCancel`, and gives no answer. */
export function askTrust(asker: TerminalPrompter, onCancel: () => void): AskTrust {
  return (question, signal) =>
    asker.alone(async (ask) => {
      ask.show(describeTrust(question));
      const answer = await ask.choose(
        question.starts.length === 0 ? "Use them?" : "Start it?",
        [
          { value: "trust", label: "Yes", hint: "now, and from now on until it changes" },
          { value: "refuse", label: "No", hint: "and do not ask again until it changes" },
          { value: "later", label: "Not now" },
        ],
        "later",
      );
      if (answer === undefined) onCancel();
      return answer === "trust" || answer === "refuse" ? answer : undefined;
    }, signal);
}

/**
 * Lines that a user reads before they answer: whole, and with escapes for characters that a
 * terminal does not show.
 */
export function describeTrust(question: TrustQuestion): readonly string[] {
  const { serverId, folder, file, line, column, starts, cwd = "", sets, settings, replaces } = question;
  const { references, changed, before } = question;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const answered = before === "trust" ? "you trusted it before that" : "you refused it before that";
  const isAddress = /^https?:/i.test(starts[0] ?? "") && starts.length === 1;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["server", starts.length === 0 ? [] : [quoteWhereNeeded(serverId)]],
    ["project", [quoteWhereNeeded(folder)]],
    ["written in", place === "" ? [] : [quoteWhereNeeded(place)]],
    ["replaces", replaces.map(quoteWhereNeeded)],
    [isAddress ? "reaches" : "runs", starts.length === 0 ? [] : [starts.map(quoteWhereNeeded).join(" ")]],
    ["in", cwd === "" ? [] : [quoteWhereNeeded(cwd)]],
    ["with", sets.map(quoteWhereNeeded)],
    [
      "gets",
      references.length === 0
        ? []
        : [references.map(({ kind, name }) => `${kind} ${quoteWhereNeeded(name)}`).join(", ")],
    ],
    ["says", settings.map(escapeUnseen)],
    ["changed", changed.length === 0 ? [] : [`${changed.map(quoteWhereNeeded).join(", ")} (${answered})`]],
  ];
  return [
    "",
    starts.length === 0 ? "A project has settings that change what you get:" : "A project brings a server:",
    ...rows.flatMap(([name, texts]) =>
      texts.map((text, index) => `  ${(index === 0 ? name : "").padEnd(10)}  ${text}`),
    ),
  ];
}

function quoteWhereNeeded(text: string): string {
  return /^[\w./:@%+=,${}-]+$/.test(text) ? text : escapeUnseen(JSON.stringify(text));
}

/**
 * Shows a user an authorization page: written to stderr, opened where a browser can be seen unless
 * `opensBrowser` is `false`, and answered by what is pasted where that one cannot come back. The
 * asker holds other questions back meanwhile.
 */
export function signInPrompt(
  { stdin, stderr, env, platform }: Terminal,
  {
    asker,
    opensBrowser = true,
  }: { readonly asker: TerminalPrompter | undefined; readonly opensBrowser?: boolean | undefined },
): OAuthPrompt {
  const open = opensBrowser && hasBrowser({ env, platform }) && openBrowser();
  const prompt = terminalPrompt({ input: stdin, output: stderr, open });
  return (request) => (asker === undefined ? prompt(request) : asker.alone(() => prompt(request), request.signal));
}
