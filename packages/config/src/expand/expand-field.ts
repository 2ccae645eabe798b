import type { ConfiguredServer } from "../drafts/configured-server.ts";
import type { ConfigProblem, ConfigProblemCode } from "../parse/config-problem.ts";
import { serverProblem } from "../drafts/spec-fault.ts";
import type { ExpandContext } from "./expand-context.ts";
import {
  findReferences,
  type ConfigReference,
  type ReferenceForm,
  type Syntax,
  type UnsetRule,
} from "../syntax/references.ts";
import { resolveReference } from "./resolve-reference.ts";

/** Expands the fields of one server, and collects what that brings to light. */
export interface FieldExpander {
  /** The text of a field, such as `"env.TOKEN"`, with what its references stand for. */
  expand(field: string, template: string): Promise<string>;
  report(field: string, problem: FieldProblem): void;
  addSecret(value: string): void;
  readonly problems: readonly ConfigProblem[];
  /** Values from a place that is for secrets. */
  readonly secrets: ReadonlySet<string>;
}

/** A problem of a field. */
export interface FieldProblem {
  readonly severity: ConfigProblem["severity"];
  readonly code: ConfigProblemCode;
  readonly message: string;
  readonly fix?: string | undefined;
}

// A value of a reference may be a file; a text full of references to it is nobody's wish.
const longestExpanded = 1024 * 1024;
const anyForm: readonly ReferenceForm[] = ["braces", "curly", "secrets"];

/** An expander for one server. */
export function createFieldExpander(server: ConfiguredServer, syntax: Syntax, context: ExpandContext): FieldExpander {
  const problems: ConfigProblem[] = [];
  const secrets = new Set<string>();
  const report = (field: string, problem: FieldProblem): void => {
    problems.push(serverProblem(server, problem, field));
  };
  return {
    problems,
    secrets,
    report,
    addSecret: (value) => void secrets.add(value),
    async expand(field, template) {
      const missing = new Set<string>();
      const texts: string[] = [];
      let length = 0;
      const rule = syntax.unset(partOf(field));
      for (const piece of findReferences(template, { forms: formsFor(syntax, field, context.platform) })) {
        if (typeof piece === "string") {
          const foreign = findReferences(piece, { forms: anyForm }).find((one) => typeof one !== "string");
          if (foreign !== undefined) report(field, notExpanded(foreign, server.dialect));
          texts.push(piece);
          continue;
        }
        const resolved = await resolveReference(piece, context, server.inputs);
        if ("value" in resolved) {
          if (resolved.isSecret && resolved.value !== "") secrets.add(resolved.value);
          texts.push(resolved.value);
          length += resolved.value.length;
          if (length > longestExpanded) {
            report(field, tooLong);
            return template;
          }
        } else if ("unset" in resolved) {
          missing.add(nameInWords(resolved.unset));
          texts.push(rule === "empty" ? "" : piece.text);
        } else {
          report(field, { severity: "error", ...resolved });
        }
      }
      if (missing.size > 0) reportMissing(field, [...missing], { syntax, rule, report });
      // Its command is expanded as a whole or not at all.
      return syntax.evva === true && missing.size > 0 && partOf(field) === "command" ? template : texts.join("");
    },
  };
}

function formsFor({ forms, foldersNotIn = [] }: Syntax, field: string, platform?: string): readonly ReferenceForm[] {
  const part = partOf(field);
  const without = new Set<ReferenceForm>();
  if (foldersNotIn.includes(part)) without.add("folders");
  // Elsewhere it is how URLs are written: `%20a%20`.
  if (platform !== "win32" || (part !== "env" && part !== "headers")) without.add("percent");
  return forms.filter((form) => !without.has(form));
}

interface Missing {
  readonly syntax: Syntax;
  readonly rule: UnsetRule;
  readonly report: FieldExpander["report"];
}

function reportMissing(field: string, names: readonly string[], { syntax, rule, report }: Missing): void {
  if (syntax.evva === true) {
    if (partOf(field) !== "args")
      report(field, { severity: "warning", code: "unset_variable", message: `missing [${names.join(" ")}]` });
    return;
  }
  const list = names.join(", ");
  const are = names.length === 1 ? "is" : "are";
  const fix = `set ${list}`;
  const code = "unset_variable";
  if (rule === "error") return report(field, { severity: "error", code, message: `${list} ${are} not set`, fix });
  const then = rule === "empty" ? "nothing is put in place" : "the text is sent as it is written";
  report(field, { severity: "warning", code, message: `${list} ${are} not set, and ${then}`, fix });
}

const tooLong: FieldProblem = {
  severity: "error",
  code: "too_large",
  message: `is longer than ${longestExpanded} characters with what its references stand for`,
};

// What follows the name may be a default, in a dialect that has none, and with it a secret.
function nameInWords(name: string): string {
  const [start = ""] = /^\w{0,80}/.exec(name) ?? [];
  return start === name ? name : `${start}…`;
}

function referenceInWords(text: string): string {
  const [start = ""] = /^\W{0,4}(?:[a-z]{1,8}[:.])?\w{0,80}/.exec(text) ?? [];
  return /^\s*\}{1,2}$/.test(text.slice(start.length)) ? text : `${start}…}`;
}

function notExpanded({ text }: ConfigReference, dialect: string): FieldProblem {
  const message = `${referenceInWords(text)} is not a reference in the dialect ${dialect}, and is sent as it is written`;
  return { severity: "warning", code: "not_expanded", message };
}

/** The first part of a field: `"env"` of `"env.TOKEN"`. */
function partOf(field: string): string {
  return /^[A-Za-z]+/.exec(field)?.[0] ?? field;
}
