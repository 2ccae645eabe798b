import { dirname, relative } from "node:path";
import { detectDialect } from "@hostside/config";
import { findConfigFiles, type ConfigLocation } from "@hostside/config/node";
import type { JsonValue } from "@hostside/core";
import type { CommandWork } from "../command-context.ts";
import { pathBelow, printResult, shortPath } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { choosePlace, type PlaceRequest, changeConfig } from "./edit-config.ts";

/**
 * Writes a `hostside.json` that imports what other tools have. The user's imports the files of all
 * tools, as it is without one; a project's imports the files of the project that are known for
 * sure. A file that is there stays as it is, unless it is blank.
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
  // A project imports what is sure to be read by its tool, from where it is.
  const sure = found.filter(({ certain }) => certain).toReversed();
  const imports = place.scope === "project" ? sure.map((one) => pathImport(one, folder)) : ["auto"];
  const { isNew } = await changeConfig(context, {
    place,
    plan: (current) => ({
      edits: current.isNew ? [{ path: ["imports"], value: imports }] : [],
    }),
  });
  const files = found.map(({ tool, dialect, path: file }) => ({ tool, dialect, file }));
  const report = { file: place.path, change: isNew ? "created" : "unchanged", ...(isNew && { imports }), found: files };
  return printResult(context, report, () => {
    const shown = terminal.paint("name", shortPath(place.path, terminal));
    return [
      ...files.map(({ tool, file }) => `${terminal.paint("bold", tool)}  ${terminalLine(shortPath(file, terminal))}`),
      isNew ? `${shown} written: it imports ${JSON.stringify(imports)}.` : `${shown} is there already.`,
      "",
      "Next:",
      "  hostside list                 connects to the servers, and shows their tools",
      "  hostside doctor               says what is wrong with each, and what mends it",
      "  hostside add NAME -- COMMAND  adds a server",
    ];
  });
};

/** A path alone, where the file is read as what it is without more. */
function pathImport({ path, dialect }: ConfigLocation, folder: string): JsonValue {
  const from = `./${relative(folder, path).replaceAll("\\", "/")}`;
  return dialect === "mcp-json" || detectDialect(path, undefined) === dialect ? from : { from, dialect };
}
