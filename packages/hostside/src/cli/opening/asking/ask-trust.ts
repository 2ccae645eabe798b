import type { AskTrust, TrustQuestion } from "@hostside/config";
import { escapeUnseen } from "@hostside/core/implement";
import type { TerminalPrompter } from "./asker.ts";

/**
 * Asks about a server that a project brings. Who cancels has given no answer, and `onCancel` hears
 * of it.
 */
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
 * What a user is to know before they answer, as lines: whole, and with escapes in place of what a
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
