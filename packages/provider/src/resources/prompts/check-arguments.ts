import { HostsideError, type CallOutcome, type Violation } from "@hostside/core";
import { isPlainObject, kindOf, quoteText } from "@hostside/core/implement";
import type { PromptArgument } from "./prompt.ts";

/** What is filled in: a prompt's arguments, or the variables of a template, by name. */
export type FilledArguments = Readonly<Record<string, string>>;

/** Whose values are checked, for errors. */
export interface ArgumentsOwner {
  readonly serverId?: string;
  /** Such as `prompt "summarize"`. */
  readonly what: string;
}

/**
 * Refuses what is no object of texts with `invalid_arguments`: values come from users and models.
 * The copy has what was given and nothing that is `undefined`.
 */
export function readFilledArguments(values: unknown, owner: ArgumentsOwner): FilledArguments {
  if (!isPlainObject(values)) throw refusal(owner, `takes its values as an object, not as ${kindOf(values)}`);
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const wrong = given.filter(([, value]) => typeof value !== "string");
  if (wrong.length > 0) {
    const violations = wrong.map(([name, value]) => ({
      path: pointerTo(name),
      keyword: "type",
      message: `must be a text, not ${kindOf(value)}`,
    }));
    throw refusal(owner, `takes texts alone; ${nameAll(wrong.map(([name]) => name))} must be one`, { violations });
  }
  // By definition and not by assignment, so that a member `__proto__` is one like any other.
  return Object.fromEntries(given.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}

/** The required ones that nothing was given for. */
export function missingArguments(
  declared: readonly Pick<PromptArgument, "name" | "required">[],
  values: FilledArguments,
): readonly string[] {
  return declared.filter(({ name, required }) => required && !Object.hasOwn(values, name)).map(({ name }) => name);
}

/** Names what is missing. `outcome` says whether the server was asked before that was known. */
export function missingError(
  owner: ArgumentsOwner,
  missing: readonly string[],
  { outcome = "not-sent", cause }: { readonly outcome?: CallOutcome; readonly cause?: HostsideError } = {},
): HostsideError {
  const violations = missing.map((name) => ({
    path: pointerTo(name),
    keyword: "required",
    message: "is required and missing",
  }));
  return refusal(owner, `needs ${nameAll(missing)}`, { violations, outcome, cause });
}

/** What an `invalid_arguments` has beside its message. */
interface RefusalInit {
  readonly violations?: readonly Violation[];
  /** Default `not-sent`. */
  readonly outcome?: CallOutcome;
  readonly cause?: HostsideError | undefined;
}

/** An `invalid_arguments`. */
export function refusal({ serverId, what }: ArgumentsOwner, problem: string, init: RefusalInit = {}): HostsideError {
  const { violations = [], outcome, cause } = init;
  const where = serverId === undefined ? "" : ` of server ${JSON.stringify(serverId)}`;
  return new HostsideError(`${what}${where} ${problem}`, {
    code: "invalid_arguments",
    ...(serverId !== undefined && { serverId }),
    ...(outcome !== undefined && { outcome }),
    details: { ...cause?.details, ...(violations.length > 0 && { violations: violations.slice(0, mostViolations) }) },
    ...(cause && { cause }),
  });
}

// An error is read by people and models.
const mostViolations = 20;

/** Names in quotation marks, the first ten of them. */
export function nameAll(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => quoteText(name, 64));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  return `${shown.join(", ")}${more}`;
}

function pointerTo(name: string): string {
  return `/${name.slice(0, 256).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
