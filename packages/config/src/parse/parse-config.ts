import { parseJsonTree } from "./parse-json.ts";
import { parseToml } from "./parse-toml.ts";
import { parseWith, type ParseConfigOptions, type TextParser } from "./parse-with.ts";
import { parseYaml } from "./parse-yaml.ts";
import type { ConfigFormat, ParsedConfig } from "./config-problem.ts";

const parsers: Readonly<Record<ConfigFormat, TextParser>> = { json: parseJsonTree, yaml: parseYaml, toml: parseToml };

/**
 * A text as data, with the place of everything in it. Never throws: a broken text is a problem with
 * its place, and has no data.
 */
export function parseConfig(text: string, options: ParseConfigOptions): ParsedConfig {
  return parseWith(parsers[options.format], text, options);
}
