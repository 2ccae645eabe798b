// The API reference: every entry point of every published package, from its doc comments into docs/reference/api.
import { fileURLToPath } from "node:url";
import { Converter } from "typedoc";
import { readPublicPackages } from "../../scripts/workspace.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The source of each entry point, with the name that a product imports it by. */
const entries = readPublicPackages(root).flatMap(({ folder, manifest }) =>
  Object.entries(manifest.exports ?? {}).flatMap(([entry, target]) => {
    const source = /** @type {Record<string, string>} */ (target)["@hostside/source"];
    return source === undefined
      ? []
      : [{ name: manifest.name + entry.slice(1), path: `${root}${folder}/${source.slice(2)}` }];
  }),
);
const isOwn = (/** @type {{ name: string }} */ { name }) => name.startsWith("hostside");
// A name is described at the first entry point that has it. Most products import it from `hostside`.
const inOrder = [...entries.filter(isOwn), ...entries.filter((entry) => !isOwn(entry))];

/** @param {import("typedoc").Application} app Names each page by its entry point, in place of its file. */
function nameEntries(app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (reflection.parent?.isProject() !== true) return;
    const file = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile().fileName;
    reflection.name = entries.find(({ path }) => path === file)?.name ?? reflection.name;
  });
}

export default {
  plugin: ["typedoc-plugin-markdown", "typedoc-vitepress-theme", nameEntries],
  tsconfig: `${root}docs/.vitepress/tsconfig.json`,
  entryPoints: inOrder.map(({ path }) => path),
  sortEntryPoints: false,
  out: `${root}docs/reference/api`,
  docsRoot: `${root}docs`,
  name: "API",
  readme: "none",
  router: "module",
  parametersFormat: "table",
  indexFormat: "table",
  sidebar: { autoConfiguration: false },
  // `pnpm check types` does that.
  skipErrorChecking: true,
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  validation: { invalidLink: true, notExported: false, rewrittenLink: false },
  treatValidationWarningsAsErrors: true,
};
