import { homedir } from "node:os";
import type { Fields } from "@hostside/core/implement";
import type { DialectName, ConfigScope } from "../drafts/configured-server.ts";
import type { ExpandContext, Env } from "../expand/resolve-reference.ts";
import type { ConfigLayer } from "../layers/merge-layers.ts";
import type { Trust } from "../trust/trust.ts";

/** A file to load, and what is known of it. */
export interface ConfigFile {
  /** Relative to `cwd`. */
  readonly path: string;
  /** Default `"command-line"`: somebody named the file. */
  readonly scope?: ConfigScope | undefined;
  /** Default: found out. */
  readonly dialect?: DialectName | undefined;
  /**
   * The folder of the project that the file belongs to: its servers start only where their user
   * trusts them. Default: with the scope `"project"` that of `cwd` if the file is in it, else the
   * folder of the file; with others none.
   */
  readonly projectFolder?: string | undefined;
  /**
   * `true`: it is an error when the file is not there. Default: with the scope `"command-line"`.
   */
  readonly required?: boolean | undefined;
}

/** An extension that brings servers, as nexo has them. An installed extension is trusted. */
export interface ConfigExtension {
  readonly id: string;
  /** Its folder. */
  readonly root: string;
  /** Its configuration. */
  readonly file: string;
}

/** Options of `loadConfig` and `watchConfig`. */
export interface LoadConfigOptions {
  /**
   * `"auto"` (default): what `findConfigFiles` finds; where the user has a `hostside.json` of their
   * own, then only `hostside.json`s and what they import. Else these files, the stronger ones last;
   * a text is a path that somebody named, and is trusted.
   */
  readonly files?: "auto" | readonly (string | ConfigFile)[] | undefined;
  /** Configurations that are no files, such as what was said on a command line. */
  readonly layers?: readonly ConfigLayer[] | undefined;
  readonly extensions?: readonly ConfigExtension[] | undefined;
  /** Decides about servers that a project brings. Default: none of them starts. */
  readonly trust?: Trust | undefined;
  /** Answers to inputs; see `ExpandContext`. */
  readonly inputs?: ExpandContext["inputs"];
  /**
   * Says which servers are wanted, by id. The others have a source and no spec: nothing is
   * expanded, and nobody is asked about them. Default: all.
   */
  readonly allow?: ((serverId: string) => boolean) | undefined;
  /** A further check of each spec, such as the `check` of a connector. */
  readonly check?: ExpandContext["check"];
  /** Default: that of this process. */
  readonly cwd?: string | undefined;
  /** Default: the user's. */
  readonly home?: string | undefined;
  /** Default: that of this process. */
  readonly env?: Env | undefined;
  /** Default: that of this process. */
  readonly platform?: string | undefined;
  /** Ends the wait for a user's answer; what was not answered does not start. */
  readonly signal?: AbortSignal | undefined;
}

/** The names of the options that every way of loading has. */
export const loadFields: Fields<Omit<LoadConfigOptions, "signal">> = {
  files: true,
  layers: true,
  extensions: true,
  trust: true,
  inputs: true,
  allow: true,
  check: true,
  cwd: true,
  home: true,
  env: true,
  platform: true,
};

/** Options with their defaults. */
export interface LoadPlace {
  readonly cwd: string;
  readonly home: string;
  readonly env: Env;
  readonly platform: string;
}

/** Fills a place with the folders, environment and platform of this process. */
export function loadPlaceOf({ cwd, home, env, platform }: LoadConfigOptions): LoadPlace {
  return {
    cwd: cwd ?? process.cwd(),
    home: home ?? homedir(),
    env: env ?? process.env,
    platform: platform ?? process.platform,
  };
}
