import type { JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Finding } from "../../engine/check.ts";
import { firstVariable, isUriTemplate } from "../content-form.ts";
import { describeAnswer, excerpt } from "../handshake.ts";
import { argumentsOf } from "../library-reads.ts";
import type { Answer } from "../raw-session.ts";
import type { ServerTarget } from "../server-target.ts";
import {
  conclude,
  declared,
  defineChecks,
  judgeRefusal,
  legacySpec,
  notApplicable,
  notKnown,
  type ServerCheck,
} from "./define-check.ts";

const completion = "server/utilities/completion";

/** Suggestions for the arguments of prompts and resource templates. */
export const completionChecks: readonly ServerCheck[] = defineChecks("any", ["requests/probe"], {
  "completion/values": {
    title: "A completion is at most 100 texts",
    level: "MUST",
    rule: "Servers that declare completions answer completion/complete with at most 100 values.",
    source: legacySpec(`${completion}#completion-results`, "Completion, completion results"),
    legal: [
      "values is an array of at most 100 texts; total is a number and hasMore a boolean, if they are there",
      "an error other than -32601",
    ],
    fix: "Return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } }.",
    run: (target) =>
      aboutCompletions(target, true, (found) => {
        const silent = found.find(({ answer }) => answer.kind === "silence");
        if (silent) return notKnown(describeAnswer(silent.answer));
        const problems = found.flatMap(({ name, answer }) => {
          const problem = completionProblem(answer);
          return problem === undefined ? [] : [`${name}: ${problem}`];
        });
        return conclude(problems, `${found.length} completions`);
      }),
  },
  "completion/capability-honest": {
    title: "A server that completes arguments declares completions",
    level: "SHOULD",
    rule: "Servers that support completions declare the completions capability, which 2025-03-26 brought.",
    source: legacySpec(`${completion}#capabilities`, "Completion, capabilities"),
    legal: ["an error to completion/complete"],
    needs: ["requests/unknown-method"],
    fix: "Declare capabilities.completions: hosts do not ask a server that does not.",
    run: async (target) => {
      if ((await target.identity()).protocolVersion === "2024-11-05") return notApplicable("not owed in 2024-11-05");
      return aboutCompletions(target, false, (found) => {
        const answered = found.filter(({ answer }) => answer.kind === "result");
        return conclude(
          answered.map(({ name }) => `${name} is completed`),
          "no argument is completed",
        );
      });
    },
  },
  "completion/unknown": {
    title: "A completion for a prompt that does not exist is refused with -32602",
    level: "SHOULD",
    rule: "An invalid prompt name is answered with error -32602.",
    source: legacySpec(`${completion}#error-handling`, "Completion, error handling"),
    legal: ["error -32602"],
    fix: "Look the name of the prompt up before you complete its argument.",
    run: declared("completions", async ({ request }) => {
      const ref = { type: "ref/prompt", name: "hostside-no-such-prompt" };
      return judgeRefusal(await request("completion/complete", { ref, argument: { name: "a", value: "" } }), [-32_602]);
    }),
  },
});

interface Completion {
  /** What was completed, in words. */
  readonly name: string;
  readonly answer: Answer;
}

/**
 * Judges completions of the first argument of a prompt and the first variable of a template. Does
 * not apply unless the server declares that it completes (`isDeclared`), or that it does not.
 */
async function aboutCompletions(
  target: ServerTarget,
  isDeclared: boolean,
  judge: (found: readonly Completion[]) => Finding,
): Promise<Finding> {
  const { capabilities } = await target.identity();
  if (isJsonObject(capabilities["completions"]) !== isDeclared)
    return notApplicable(`the server declares ${isDeclared ? "no " : ""}completions`);
  const prompts = (await target.listing("prompts")).items.flatMap(({ name, ...prompt }) => {
    const argument = argumentsOf(prompt)[0]?.["name"];
    return typeof name === "string" && typeof argument === "string"
      ? [[{ type: "ref/prompt", name }, argument] as const]
      : [];
  });
  const templates = (await target.listing("resourceTemplates")).items.flatMap(({ uriTemplate }) => {
    const variable = isUriTemplate(uriTemplate) ? firstVariable(uriTemplate) : undefined;
    return variable === undefined ? [] : [[{ type: "ref/resource", uri: uriTemplate ?? null }, variable] as const];
  });
  const asked = [...prompts.slice(0, 1), ...templates.slice(0, 1)];
  if (asked.length === 0) return notApplicable("no prompt has an argument, and no resource template a variable");
  const { request } = await target.openReady();
  const found = asked.map(async ([ref, name]) => ({
    name: JSON.stringify(name),
    answer: await request("completion/complete", { ref, argument: { name, value: "" } }),
  }));
  return judge(await Promise.all(found));
}

function completionProblem(answer: Answer): string | undefined {
  if (answer.kind === "error") return answer.code === -32_601 ? describeAnswer(answer) : undefined;
  if (answer.kind !== "result") return describeAnswer(answer);
  const found = isJsonObject(answer.result) ? answer.result["completion"] : undefined;
  if (!isJsonObject(found)) return `completion is ${excerpt(found)}`;
  const { values, total, hasMore } = found;
  if (!Array.isArray(values) || values.some((value: JsonValue) => typeof value !== "string"))
    return `values is ${excerpt(values)}`;
  if (values.length > 100) return `${values.length} values`;
  if (total !== undefined && typeof total !== "number") return `total is ${excerpt(total)}`;
  return hasMore === undefined || typeof hasMore === "boolean" ? undefined : `hasMore is ${excerpt(hasMore)}`;
}
