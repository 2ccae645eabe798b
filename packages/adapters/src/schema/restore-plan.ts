import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Adaptation } from "./adaptation.ts";
import { CannotAdapt } from "./adaptation.ts";
import { memberOf, propertiesOf, schemasOf } from "./keywords.ts";
import { resolveRef } from "./resolve-ref.ts";

const mostPlans = 2000;

/** What is put back in a value of one place. */
interface Plan {
  /** By the name that was declared. */
  readonly members: ReadonlyMap<string, PlannedMember>;
  items(): Plan;
  /** Of members that no schema names. */
  rest(): Plan;
}

interface PlannedMember {
  /** The server's own name. */
  readonly name: string;
  /** Whether `null` means that it is left out. */
  readonly strip: boolean;
  plan(): Plan;
}

/**
 * What maps arguments that are valid by the adapted schema to those that the server takes: names
 * are put back, and what was `null` because nothing can be left out is left out. Throws
 * {@linkcode CannotAdapt} when the same `null` may mean two things. The function takes time linear
 * in the arguments, and gives back what it is not about.
 */
export function planRestore(root: JsonObject, adaptation: Adaptation): (args: unknown) => unknown {
  const plans = createPlans(root, adaptation);
  const isStrict = adaptation.profile.schema.allRequired !== undefined;
  if (!isStrict && adaptation.renamed.size === 0) return (args) => args;
  const first = plans([root]);
  if (isStrict) visitAll(first);
  return (args) => restore(args, first);
}

function createPlans(root: JsonObject, adaptation: Adaptation): (schemas: readonly unknown[]) => Plan {
  const ids = new Map<JsonObject, number>();
  const known = new Map<string, Plan>();
  const idOf = (schema: JsonObject): number => {
    const id = ids.get(schema) ?? ids.size;
    ids.set(schema, id);
    return id;
  };
  const planOf = (schemas: readonly unknown[]): Plan => {
    const nodes = flatten(schemas, root);
    const key = nodes
      .map(idOf)
      .sort((a, b) => a - b)
      .join();
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= mostPlans) throw new CannotAdapt("too many places to look at");
    const items = nodes.flatMap((node) => [node["items"], node["contains"], ...schemasOf(node, "prefixItems")]);
    const rest = nodes.flatMap(restOf);
    const members = readMembers(nodes, adaptation, planOf);
    const plan: Plan = { members, items: () => planOf(items), rest: () => planOf(rest) };
    known.set(key, plan);
    return plan;
  };
  return planOf;
}

/**
 * The schemas that say something of one value: those given, what they refer to, and the parts they
 * are made of.
 */
function flatten(schemas: readonly unknown[], root: JsonObject): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting = [...schemas];
  while (waiting.length > 0) {
    const schema = waiting.pop();
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    for (const keyword of ["anyOf", "allOf", "oneOf"]) waiting.push(...schemasOf(schema, keyword));
    for (const keyword of ["if", "then", "else"]) waiting.push(schema[keyword]);
    waiting.push(...schemasIn(schema, "dependentSchemas"));
    const ref = schema["$ref"];
    if (typeof ref === "string") waiting.push(resolveRef(root, ref));
  }
  return Array.from(found);
}

/** The schemas of members that a schema does not name. */
function restOf(node: JsonObject): readonly unknown[] {
  return [node["additionalProperties"], ...schemasIn(node, "patternProperties")];
}

function schemasIn(node: JsonObject, keyword: string): readonly unknown[] {
  const schemas = node[keyword];
  return isJsonObject(schemas) ? Object.values(schemas) : [];
}

function readMembers(
  nodes: readonly JsonObject[],
  { stripped, nullable, renamed }: Adaptation,
  planOf: (schemas: readonly unknown[]) => Plan,
): ReadonlyMap<string, PlannedMember> {
  const schemas = new Map<string, unknown[]>();
  for (const node of nodes) {
    for (const [name, schema] of propertiesOf(node)) {
      const found = schemas.get(name);
      if (found === undefined) schemas.set(name, [schema]);
      else found.push(schema);
    }
  }
  return new Map(
    Array.from(schemas, ([name, some]): [string, PlannedMember] => {
      const strip = nodes.some((node) => stripped.get(node)?.has(name) === true);
      if (strip && nodes.some((node) => nullable.get(node)?.has(name) === true)) {
        throw new CannotAdapt("a property that may be left out and may be null");
      }
      const others = nodes.filter((node) => !propertiesOf(node).has(name)).flatMap(restOf);
      return [name, { name: renamed.get(name) ?? name, strip, plan: () => planOf([...some, ...others]) }];
    }),
  );
}

// Whether two meanings of `null` meet is known only when all places were looked at.
function visitAll(first: Plan): void {
  const seen = new Set([first]);
  const waiting = [first];
  for (let plan = waiting.pop(); plan !== undefined; plan = waiting.pop()) {
    for (const next of [plan.items(), plan.rest(), ...Array.from(plan.members.values(), (member) => member.plan())]) {
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
}

const deepest = 200;

function restore(value: unknown, plan: Plan, depth: number = 0): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) return value.map((item) => restore(item, plan.items(), depth + 1));
  if (!isJsonObject(value)) return value;
  const members: [string, unknown][] = [];
  for (const name of Object.keys(value)) {
    const member = memberOf(value, name);
    const planned = plan.members.get(name);
    if (planned === undefined) members.push([name, restore(member, plan.rest(), depth + 1)]);
    else if (!(planned.strip && member === null)) {
      members.push([planned.name, restore(member, planned.plan(), depth + 1)]);
    }
  }
  return Object.fromEntries(members);
}
