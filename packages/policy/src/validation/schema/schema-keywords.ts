import type { Violation } from "@hostside/core";
import {
  checkEach,
  fail,
  tryCheck,
  wantsMore,
  type Check,
  type KeywordInput,
  type KeywordReader,
  type ValidationRun,
} from "./run.ts";

/** Keywords that combine schemas. */
export const readApplicators: readonly KeywordReader[] = [
  readReference,
  readAllOf,
  readAnyOf,
  readOneOf,
  readNot,
  readCondition,
];

/** The keyword `$ref`. */
export function readReference({ schema: { $ref }, resolve }: KeywordInput): Check | undefined {
  return $ref === undefined ? undefined : resolve($ref);
}

function readList(schemas: unknown, keyword: string, sub: KeywordInput["sub"]): readonly Check[] {
  if (Array.isArray(schemas) && schemas.length > 0) return schemas.map(sub);
  throw new TypeError(`its ${keyword} is no list of schemas`);
}

function readAllOf({ schema: { allOf }, sub }: KeywordInput): Check | undefined {
  if (allOf === undefined) return undefined;
  const checks = readList(allOf, "allOf", sub);
  return (value, run) => checkEach(checks, run, (check) => check(value, run));
}

function readAnyOf({ schema: { anyOf }, sub }: KeywordInput): Check | undefined {
  if (anyOf === undefined) return undefined;
  const checks = readList(anyOf, "anyOf", sub);
  return (value, run) =>
    checks.some((check) => tryCheck(check, value, run)) || explain(checks, { value, run, keyword: "anyOf" });
}

function readOneOf({ schema: { oneOf }, sub }: KeywordInput): Check | undefined {
  if (oneOf === undefined) return undefined;
  const checks = readList(oneOf, "oneOf", sub);
  return (value, run) => {
    const fitting = checks.filter((check) => tryCheck(check, value, run)).length;
    if (fitting === 0) return explain(checks, { value, run, keyword: "oneOf" });
    return fitting === 1 || fail(run, "oneOf", `must fit only one of ${checks.length} schemas, and fits ${fitting}`);
  };
}

// Reports by the one schema that was probably meant: the only one that is not refused at once.
function explain(
  checks: readonly Check[],
  { value, run, keyword }: { readonly value: unknown; readonly run: ValidationRun; readonly keyword: string },
): false {
  const reported = run.violations;
  if (reported === undefined || !wantsMore(run)) return false;
  const branches = checks.map((check) => {
    const violations: Violation[] = [];
    run.violations = violations;
    check(value, run);
    return violations;
  });
  run.violations = reported;
  const depth = run.path.length;
  const meant = branches.filter((violations) => !violations.some((violation) => isOtherKind(violation, depth)));
  const messages = new Set(branches.flatMap((violations) => violations.map(({ message }) => message)));
  const why = meant.length === 0 && messages.size <= 5 ? `: ${Array.from(messages).join("; or ")}` : "";
  fail(run, keyword, `must fit ${keyword === "oneOf" ? "exactly" : "at least"} one of ${checks.length} schemas${why}`);
  if (meant.length === 1) for (const violation of meant[0] ?? []) if (wantsMore(run)) reported.push(violation);
  return false;
}

// Another type altogether, or another value in the member that tells the schemas apart.
function isOtherKind({ path, keyword }: Violation, depth: number): boolean {
  const below = path.split("/").length - 1 - depth;
  return keyword === "type" ? below === 0 : (keyword === "const" || keyword === "enum") && below <= 1;
}

function readNot({ schema: { not }, sub }: KeywordInput): Check | undefined {
  if (not === undefined) return undefined;
  const check = sub(not);
  return (value, run) => !tryCheck(check, value, run) || fail(run, "not", "must not fit the schema of `not`");
}

function readCondition({ schema, sub }: KeywordInput): Check | undefined {
  if (schema["if"] === undefined) return undefined;
  const condition = sub(schema["if"]);
  const consequence = schema["then"] === undefined ? undefined : sub(schema["then"]);
  const alternative = schema["else"] === undefined ? undefined : sub(schema["else"]);
  return (value, run) => (tryCheck(condition, value, run) ? consequence : alternative)?.(value, run) ?? true;
}
