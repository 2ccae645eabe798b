import type { Admit } from "@hostside/core";
import { askAdmit } from "@hostside/core/implement";
import { hostsideNaming, type NamingStrategy } from "@hostside/naming";
import { describeWithOrigin, type DescribeTool } from "./define-tool.ts";

/**
 * A part of the product's own that threw, or answered nothing of use, when it was shown what a
 * server listed.
 */
export interface PartFault {
  readonly part: "description" | "naming" | "admission";
  /** The server id or the remote tool name that it was shown. */
  readonly subject: string;
  /** Of a description or an admission. */
  readonly serverId?: string;
  /** Of an admission: what the rule did, as a predicate. */
  readonly problem?: string;
}

/** Parts of a provider that never throw. */
export interface GuardedParts {
  readonly describe: DescribeTool;
  readonly admit: Admit | undefined;
  /** What went wrong since the last time that it was asked, each subject once. */
  readonly takeFaults: () => readonly PartFault[];
}

/**
 * Guards the parts that a product may bring, because a server chooses what they are given, and no
 * server may end the process or jam another one. A description that fails is the default one; a
 * rule for admission that fails hides the tool; a part of a name that cannot be made legal is made
 * so by the default strategy.
 */
export function guardParts(parts: Omit<GuardedParts, "takeFaults">): GuardedParts {
  const { admit } = parts;
  const { note, take: takeFaults } = createFaults();
  return {
    describe(tool, spec) {
      // Without a function for each tool, of which a listing can have ten thousand.
      try {
        const description: unknown = parts.describe(tool, spec);
        if (typeof description === "string") return description;
      } catch {
        // Told below.
      }
      note({ part: "description", subject: tool.name, serverId: spec.id });
      return describeWithOrigin(tool, spec);
    },
    admit:
      admit &&
      ((tool, server) => {
        const { admission, problem } = askAdmit(admit, tool, server);
        if (problem === undefined) return admission;
        note({
          part: "admission",
          subject: tool.origin?.toolName ?? tool.name,
          problem,
          ...(server && { serverId: server.id }),
        });
        return "hide";
      }),
    takeFaults,
  };
}

/** The same of a naming strategy. */
export function guardNaming(naming: NamingStrategy): {
  readonly naming: NamingStrategy;
  readonly takeFaults: GuardedParts["takeFaults"];
} {
  const { note, take: takeFaults } = createFaults();
  return {
    naming: {
      ...naming,
      sanitize(part) {
        const sanitized = attempt(() => naming.sanitize(part));
        if (typeof sanitized === "string") return sanitized;
        note({ part: "naming", subject: part });
        return hostsideNaming.sanitize(part);
      },
    },
    takeFaults,
  };
}

function createFaults(): { readonly note: (fault: PartFault) => void; readonly take: () => readonly PartFault[] } {
  let faults = new Map<string, PartFault>();
  return {
    note(fault) {
      faults.set(JSON.stringify([fault.part, fault.serverId, fault.subject]), fault);
    },
    take() {
      const taken = Array.from(faults.values());
      faults = new Map();
      return taken;
    },
  };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
