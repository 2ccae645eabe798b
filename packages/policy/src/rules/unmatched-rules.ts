import type { Diagnostic } from "@hostside/core";
import { findMeant, quoteText } from "@hostside/core/implement";
import { matchGlob, meetsPrefix } from "./match-glob.ts";
import { describeRule, type Rule, type RuleLayer } from "./rule-options.ts";
import type { ReadSelector } from "./select-tools.ts";

const requestMethods = ["resources/", "prompts/", "completion/"];

/**
 * Finds rules that match nothing, as diagnostics of the kind `"unmatched-rule"`: rules for servers
 * that do not exist (`serverId` is the id, unless it has a `*`), and rules for `listed` servers
 * that matched none of their tools. Rules with labels are left out: their servers may come later.
 */
export type FindUnmatched = (servers: readonly string[], listed: readonly string[]) => readonly Diagnostic[];

/** Notes which rules match, and finds those that do not. */
export function watchRules(read: readonly RuleLayer[]): readonly [layers: readonly RuleLayer[], find: FindUnmatched] {
  const matched = new Set<string>();
  const noting = (rule: Rule): Rule => ({
    ...rule,
    matches: (subject) => rule.matches(subject) && matched.add(rule.place) !== undefined,
  });
  const layers = read.map((layer) => ({ ...layer, rules: layer.rules.map(noting) }));
  const find: FindUnmatched = (servers, listed) =>
    layers.flatMap(({ scope, name, rules }) => {
      const rest = rules.filter(({ place }) => !matched.has(place));
      const isOver = ({ servers: named, tools = ["*"], isAboutNew }: Rule): boolean =>
        scope === undefined &&
        !isAboutNew &&
        named?.every((id) => id === "" || listed.includes(id)) === true &&
        !tools.some((tool) => requestMethods.some((methods) => meetsPrefix(tool, methods)));
      return [
        ...(scope === undefined ? [] : findAbsent(scope, `${name} (${scope.text})`, servers)),
        ...rest.flatMap((rule) => findAbsent(rule, describeRule(rule), servers)),
        ...rest
          .filter(isOver)
          .map((rule) =>
            unmatched(`${describeRule(rule)} matches none of the tools that are listed`, rule.servers?.[0]),
          ),
      ];
    });
  return [layers, find];
}

function findAbsent(
  { servers = [], hasLabels }: ReadSelector,
  what: string,
  ids: readonly string[],
): readonly Diagnostic[] {
  if (hasLabels) return [];
  const absent = servers.filter((server) => !["", ...ids].some(matchGlob(server)));
  return absent.map((server) => {
    const [meant] = findMeant(server, ids, (id) => [id]);
    const hint = meant === undefined ? "" : `; did you mean ${quoteText(meant)}?`;
    const serverId = server.includes("*") ? "" : server;
    return unmatched(`${what} matches nothing: no server is called ${quoteText(server)}${hint}`, serverId);
  });
}

function unmatched(message: string, serverId = ""): Diagnostic {
  return { kind: "unmatched-rule", serverId, message };
}
