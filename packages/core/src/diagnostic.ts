/**
 * Something that a developer wants to know and that stops nobody: which tool was left out and why,
 * which names collided, what a server wrote where it should not.
 */
export interface Diagnostic {
  readonly kind:
    | "tool-dropped"
    | "duplicate-tool"
    | "schema-replaced"
    | "name-collision"
    | "listing-truncated"
    | "unmatched-filter"
    | "unmatched-override"
    | "unmatched-name"
    | "unmatched-rule"
    | "text-flagged"
    | "stdout-anomaly"
    | "protocol-anomaly"
    | "notification-flood"
    | "elicitation-refused"
    | "stream-lost"
    | "container-left"
    | "fallback"
    | "server-failed"
    | "server-replaced"
    | "description-failed"
    | "admission-failed"
    | "defect"
    | "over-budget"
    | "embedding-limit"
    | "not-kept"
    | "engine-down"
    | "engine-back"
    | "setting-unused";
  readonly serverId: string;
  /** One sentence with the evidence, bounded and stripped of control characters. */
  readonly message: string;
  readonly toolName?: string;
}
