import { toolEffects } from "../effects/worse-effect.ts";
import { globCovers } from "./compare-globs.ts";
import { matchLoosely } from "./spell-loosely.ts";
import type { ReadSelector } from "./select-tools.ts";

/** Whether `wide` is sure to match every tool that `narrow` matches. `false` says nothing. */
export function selectorCovers(wide: ReadSelector, narrow: ReadSelector): boolean {
  return (
    coversGlobs(wide.servers, narrow.servers, coversServer) &&
    coversGlobs(wide.tools, narrow.tools, toolComparison(wide, narrow)) &&
    wide.labels.every(({ name, value }) =>
      narrow.labels.some((label) => label.name === name && globCovers(value, label.value)),
    ) &&
    coversEffects(wide.effects, narrow.effects) &&
    (wide.isNew === undefined || wide.isNew === narrow.isNew) &&
    (wide.requireApproval === undefined || wide.requireApproval === narrow.requireApproval)
  );
}

type Covers = (wide: string, narrow: string) => boolean;

// A rule about servers is not for the host's own reading tools, which are on none.
function coversServer(wide: string, narrow: string): boolean {
  return narrow === "" ? wide === "" : globCovers(wide, narrow);
}

function coversGlobs(
  wide: readonly string[] | undefined,
  narrow: readonly string[] | undefined,
  covers: Covers,
): boolean {
  return wide === undefined || (narrow ?? ["*"]).every((glob) => wide.some((other) => covers(other, glob)));
}

// Between spellings only what is plain: a name without `*`, and the glob that stands for
// everything.
function toolComparison(wide: ReadSelector, narrow: ReadSelector): Covers {
  if (wide.spelling === narrow.spelling) return globCovers;
  if (wide.spelling === "any")
    return (other, glob) => isAnything(other) || (!glob.includes("*") && matchLoosely(other)(glob));
  return isAnything;
}

function isAnything(glob: string): boolean {
  return globCovers(glob, "*");
}

function coversEffects(wide: ReadSelector["effects"], narrow: ReadSelector["effects"]): boolean {
  const all = wide.length === 0 ? toolEffects : wide;
  return (narrow.length === 0 ? toolEffects : narrow).every((effect) => all.includes(effect));
}

/**
 * How particular a selector is: of two that match the same tool, the one with the larger number by
 * the first that differs.
 */
export function specificityOf(selector: ReadSelector): readonly number[] {
  const { servers, tools, labels, effects, isNew, requireApproval } = selector;
  const globs = [servers ?? ["*"], tools ?? ["*"]];
  return [
    globs.filter((list) => list.every((glob) => !glob.includes("*"))).length,
    globs
      .map((list) => Math.min(...list.map((glob) => glob.replaceAll("*", "").length)))
      .reduce((sum, n) => sum + n, 0),
    labels.length,
    toolEffects.length - (effects.length === 0 ? toolEffects.length : new Set(effects).size),
    [isNew, requireApproval].filter((flag) => flag !== undefined).length,
  ];
}
