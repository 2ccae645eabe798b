import type { ConfiguredServer, HostSettings } from "../drafts/configured-server.ts";
import type { ConfigReference } from "../syntax/references.ts";

/** An entry of a project's file, whose user may trust it. */
export interface TrustEntry {
  readonly server: ConfiguredServer;
  /**
   * The project's, as an absolute path with no link in it. A decision counts for this folder alone.
   */
  readonly folder: string;
  /**
   * The content of each file that the entry names and that whoever wrote the project can change, as
   * a hash, by the path as it is written: what is put into the entry from there is as much a part
   * of it as what it says itself. Default none.
   */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** The texts of those of `files` that the project has. */
  readonly contents?: Readonly<Record<string, string>> | undefined;
  /**
   * The settings of the host in files of the project, by their paths. Only the entry `"(settings)"`
   * has them; that entry has no server.
   */
  readonly settings?: Readonly<Record<string, HostSettings>> | undefined;
  /** Files of the user's own with an entry of this name, in place of which this one is used. */
  readonly replaces?: readonly string[] | undefined;
}

/** Something that is put into an entry when it is used. */
export interface NamedReference {
  readonly kind: ConfigReference["kind"];
  readonly name: string;
}

/** A question to a user. Everything in it is as the project says it: show it as data. */
export interface TrustQuestion {
  readonly serverId: string;
  readonly folder: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /**
   * The program and its arguments, or the URL, with references as they are written. Empty: the
   * question is about the settings of a project.
   */
  readonly starts: readonly string[];
  /** The folder that the program starts in, where the entry says one. */
  readonly cwd?: string | undefined;
  /**
   * The variables that the entry itself puts into the program's environment, or sends as headers,
   * as `NAME=value` with references as they are written. A variable can run code, as `NODE_OPTIONS`
   * does.
   */
  readonly sets: readonly string[];
  /**
   * All else that takes effect: `auth="oauth"`, what stands in files of the project, and of
   * `"(settings)"` the settings.
   */
  readonly settings: readonly string[];
  /** Files of the user's own with a server of this name, in place of which this one is used. */
  readonly replaces: readonly string[];
  /** Variables, files and inputs whose values the server would get or be reached with, sorted. */
  readonly references: readonly NamedReference[];
  /**
   * The parts that changed since the last answer: `"args"`, `"file .env"`. Empty: nobody was asked
   * before.
   */
  readonly changed: readonly string[];
  /** The last answer, to what the entry was then. */
  readonly before?: TrustAnswer | undefined;
  readonly fingerprint: string;
}

/** The answer of a user: both are remembered. */
export type TrustAnswer = "trust" | "refuse";

/**
 * Asks the user of a project; `undefined`: no answer, and nothing is remembered. Once `signal`
 * aborts, nobody waits for the answer.
 */
export type AskTrust = (question: TrustQuestion, signal?: AbortSignal) => Promise<TrustAnswer | undefined>;

/** The decision about an entry. */
export type TrustVerdict =
  | { readonly trusted: true }
  | {
      readonly trusted: false;
      /**
       * `"refused"`: the user said no. `"undecided"`: nobody answered, or nobody was asked.
       * `"failed"`: it is not known, because the store or whoever asks failed. `"too-long"`: nobody
       * is asked about what cannot be shown whole.
       */
      readonly why: "refused" | "undecided" | "failed" | "too-long";
      readonly message: string;
      readonly question: TrustQuestion;
    };

/** An answer that is remembered. */
export interface TrustRecord extends TrustPlace {
  readonly answer: TrustAnswer;
  readonly fingerprint: string;
  /**
   * Hashes of the parts of the entry, by their names: so that a change can be named, and no value
   * is kept.
   */
  readonly parts: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly answeredAt: number;
}

/** The scope of a decision. */
export interface TrustPlace {
  readonly folder: string;
  readonly file?: string | undefined;
  readonly serverId: string;
}

/** Options of a decision. */
export interface DecideOptions {
  /** `true`: where nothing is remembered, the user is asked and waited for. Default `false`. */
  readonly ask?: boolean | undefined;
  /** Ends the wait for an answer. */
  readonly signal?: AbortSignal | undefined;
}

/** The decisions of users about servers that projects bring. */
export interface Trust {
  /** True if the user can be asked at all. */
  readonly canAsk: boolean;
  /**
   * Never rejects: what fails is a verdict. The same question is asked once at a time, and one
   * after the other.
   */
  decide(entry: TrustEntry, options?: DecideOptions): Promise<TrustVerdict>;
  /**
   * Remembers an answer that was given elsewhere. Rejects with what the store rejects with; then
   * nothing is trusted.
   */
  remember(entry: TrustEntry, answer: TrustAnswer): Promise<void>;
  /**
   * Forgets the answers about what matches all that is given, and resolves to how many they were.
   * Rejects with what the store rejects with.
   */
  revoke(place: Partial<TrustPlace>): Promise<number>;
  /** All that is remembered. Rejects with what the store rejects with. */
  list(): Promise<readonly TrustRecord[]>;
}
