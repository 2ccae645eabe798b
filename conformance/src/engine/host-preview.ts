/**
 * What a host makes of a server: computed by Hostside's own provider, not by a copy of its rules.
 */
export interface HostPreview {
  /** Local names, with the remote name behind each, in the order in which a model gets them. */
  readonly tools: readonly { readonly name: string; readonly toolName: string }[];
  readonly groups: readonly { readonly id: string; readonly title: string; readonly members: number }[];
  /** What was dropped, cut, flagged or renamed, and why. */
  readonly notes: readonly string[];
  /** Why the server could not be used at all. */
  readonly failure?: string;
}
