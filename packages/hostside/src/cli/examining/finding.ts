/** What a finding is about. */
export type Area =
  | "machine"
  | "configuration"
  | "program"
  | "connection"
  | "sign-in"
  | "protocol"
  | "tools"
  | "names"
  | "schemas"
  | "tokens"
  | "speed";

/** What helps: a command line that can be copied, or words. */
export type Mend = { readonly command: string } | { readonly text: string };

/**
 * One thing that `doctor` has to say. Plain data, safe to show: bounded, clean, without secrets.
 */
export interface DoctorFinding {
  /**
   * `"problem"`: something does not work. `"advice"`: it works, and would be better otherwise.
   * `"ok"`: so it is.
   */
  readonly level: "ok" | "advice" | "problem";
  readonly area: Area;
  /** The server that it is about; absent: all of them, or none. */
  readonly server?: string | undefined;
  /** One sentence or clause. */
  readonly what: string;
  /** What it was seen by, line by line. */
  readonly evidence?: readonly string[] | undefined;
  readonly mend?: Mend | undefined;
}

/** How many findings of each level there are. */
export interface FindingCounts {
  readonly problems: number;
  readonly advice: number;
}

/** Counts what somebody should look at. */
export function countFindings(findings: readonly DoctorFinding[]): FindingCounts {
  const count = (level: DoctorFinding["level"]): number => findings.filter((finding) => finding.level === level).length;
  return { problems: count("problem"), advice: count("advice") };
}
