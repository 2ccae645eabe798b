import type { AskTrust, TrustQuestion } from "@hostside/config";
import { redactUrl } from "@hostside/core";
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
        "Start it?",
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

/** What a user is to know before they answer, as lines. */
export function describeTrust(question: TrustQuestion): readonly string[] {
  const { serverId, folder, file, line, column, starts, cwd = "", sets, references, changed, before } = question;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const gets = references.map(({ kind, name }) => `${kind} ${quoteWhereNeeded(name)}`).join(", ");
  const answered = before === "trust" ? "you trusted it before that" : "you refused it before that";
  const rows: readonly (readonly [string, string])[] = [
    ["server", serverId],
    ["project", folder],
    ["written in", place],
    isUrl(starts) ? ["reaches", showStarts(starts).join(" ")] : ["runs", starts.map(quoteWhereNeeded).join(" ")],
    ["in", cwd],
    ["with", sets.map(quoteWhereNeeded).join(", ")],
    ["gets", gets],
    ["changed", changed.length === 0 ? "" : `${changed.join(", ")} (${answered})`],
  ];
  return [
    "",
    "A project brings a server:",
    ...rows.filter(([, text]) => text !== "").map(([name, text]) => `  ${name.padEnd(10)}  ${text}`),
  ];
}

/**
 * What would start as a user is shown it: of a URL without what may be secret, of a program all.
 */
export function showStarts(starts: readonly string[]): readonly string[] {
  const [url = ""] = starts;
  if (!isUrl(starts)) return starts;
  // With a reference for a host it is none yet, and where it leads is still to be seen.
  return [URL.canParse(url) ? redactUrl(url) : url.replace(/[?#].*$/s, "").replace(/\/\/[^/]*@/, "//***@")];
}

function isUrl(starts: readonly string[]): boolean {
  return starts.length === 1 && /^https?:\/\//i.test(starts[0] ?? "");
}

function quoteWhereNeeded(text: string): string {
  return /^[\w./:@%+=,${}-]+$/.test(text) ? text : JSON.stringify(text);
}
