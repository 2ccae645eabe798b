import { compareText, dateOf } from "@hostside/core/implement";
import { isHostsideError, type QuarantinedTool, type Subscription, type ToolDefinition } from "@hostside/core";
import type { PolicyParts } from "../policy-parts.ts";

/** What offers tools and asks a policy which: a provider or a toolbox. */
export interface AdmissionTarget {
  quarantined(): readonly QuarantinedTool[];
  readmit(): void;
}

/** Those that are attached to a policy. */
export interface Targets {
  attach(target: AdmissionTarget): Subscription;
  /** Throws a `TypeError` when there are none. */
  assertAttached(): void;
  /** Has all ask again. Never throws; one that was closed is let go. */
  readmit(): void;
  /** What all of them hold back, each tool once, sorted by server and remote name. */
  quarantined(): readonly QuarantinedTool[];
}

/** Makes an empty set. */
export function createTargets(parts: Pick<PolicyParts, "clock" | "emit">): Targets {
  const targets = new Set<AdmissionTarget>();
  return {
    attach(target) {
      if (typeof target.readmit !== "function" || typeof target.quarantined !== "function") {
        throw new TypeError("only a provider or a toolbox can be attached: what has readmit() and quarantined()");
      }
      targets.add(target);
      const detach = (): void => void targets.delete(target);
      return Object.assign(detach, { [Symbol.dispose]: detach });
    },
    assertAttached() {
      if (targets.size > 0) return;
      throw new TypeError("nothing is attached: call attach(provider) first, so that it is known what is held back");
    },
    readmit() {
      for (const target of Array.from(targets)) {
        try {
          target.readmit();
        } catch (error) {
          if (isHostsideError(error, "closed")) targets.delete(target);
          else parts.emit({ type: "part-failed", at: dateOf(parts.clock), part: "attached", error });
        }
      }
    },
    quarantined() {
      const all = Array.from(targets).flatMap((target) => target.quarantined());
      const byKey = new Map(all.map((tool) => [keyOf(tool.definition), tool]));
      return Array.from(byKey)
        .sort(([a], [b]) => compareText(a, b))
        .map(([, tool]) => tool);
    },
  };
}

/** Identifies a tool as it is now: a provider's tool and the toolbox's copy of it are one. */
export function keyOf({ origin, name, fingerprint }: ToolDefinition): string {
  return JSON.stringify([origin?.serverId ?? "", origin?.toolName ?? name, fingerprint]);
}
