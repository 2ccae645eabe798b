import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { detectDialect, type ConfigEdit } from "@hostside/config";
import { findConfigFiles, readConfigFile, type ConfigLocation } from "@hostside/config/node";
import type { JsonValue } from "@hostside/core";
import type { CommandWork } from "../command-context.ts";
import { pathBelow, printResult, shortPath } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { choosePlace, type ConfigPlace, type PlaceRequest, changeConfig } from "./edit-config.ts";

/**
 * Writes a `hostside.json` that imports what other tools have. The user's imports the files of all
 * tools, as it is without one; a project's imports the files of the project that are known for sure
 * and without errors. A file that is there stays as it is, unless it is blank.
 */
export const initConfig: CommandWork<PlaceRequest> = async (args, context) => {
  const { terminal } = context;
  const { env, home, platform, cwd } = terminal;
  const place = choosePlace(context, args);
  const folder = dirname(place.path);
  const found = findConfigFiles({ env, home, platform, cwd }).filter(
    ({ dialect, scope, path }) =>
      dialect !== "hostside" &&
      (place.scope !== "project" || (scope === "project" && pathBelow(folder, path) !== undefined)),
  );
  const reasons = place.scope === "project" ? await Promise.all(found.map(whyNotImported)) : [];
  const sure = found.filter((_, index) => reasons[index] === undefined).toReversed();
  const imports = place.scope === "project" ? sure.map((one) => pathImport(one, folder)) : ["auto"];
  const { isNew } = await changeConfig(context, {
    place,
    plan: (current) => ({
      edits: current.isNew ? [...schemaEdits(place), { path: ["imports"], value: imports }] : [],
    }),
  });
  const files = found.map(({ tool, dialect, path: file }) => ({ tool, dialect, file }));
  const report = { file: place.path, change: isNew ? "created" : "unchanged", ...(isNew && { imports }), found: files };
  return printResult(context, report, () => {
    const shown = terminal.paint("name", shortPath(place.path, terminal));
    return [
      ...files.map(({ tool, file }, index) => {
        const line = `${terminal.paint("bold", tool)}  ${terminalLine(shortPath(file, terminal))}`;
        const reason = isNew ? reasons[index] : undefined;
        return reason === undefined ? line : `${line}  not imported: ${terminalLine(reason, 500)}`;
      }),
      isNew ? `${shown} written: it imports ${JSON.stringify(imports)}.` : `${shown} is there already.`,
      "",
      "Next:",
      "  hostside list                 connects to the servers, and shows their tools",
      "  hostside doctor               says what is wrong with each, and what mends it",
      "  hostside add NAME -- COMMAND  adds a server",
    ];
  });
};

/** Tells why a project does not import a file; `undefined`: it does. */
async function whyNotImported({ path, dialect, certain, tool }: ConfigLocation): Promise<string | undefined> {
  if (!certain) return `the place is not documented by ${tool}`;
  const { problems } = await readConfigFile(path, { dialect });
  return problems.find(({ severity }) => severity === "error")?.message;
}

/** A path alone, where the file is read as what it is without more. */
function pathImport({ path, dialect }: ConfigLocation, folder: string): JsonValue {
  const from = `./${relative(folder, path).replaceAll("\\", "/")}`;
  return dialect === "mcp-json" || detectDialect(path, undefined) === dialect ? from : { from, dialect };
}

// What an editor completes the file by, where it is installed.
const installed = "node_modules/@hostside/config/hostside.schema.json";

function schemaEdits({ path }: ConfigPlace): readonly ConfigEdit[] {
  return existsSync(join(dirname(path), installed)) ? [{ path: ["$schema"], value: `./${installed}` }] : [];
}
