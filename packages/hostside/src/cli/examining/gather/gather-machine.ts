import type { Terminal } from "../../terminal.ts";
import type { MachineFacts } from "../facts.ts";
import { lookUpProgram, pathFolders, realFiles, type FileLookup } from "./find-program.ts";

const proxyNames = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/** Looks at the machine. Starts nothing. */
export async function gatherMachine(
  { env, cwd, platform, nodeVersion }: Pick<Terminal, "env" | "cwd" | "platform" | "nodeVersion">,
  files: FileLookup = realFiles,
): Promise<MachineFacts> {
  const place = { env, cwd, platform, files };
  const found = async (name: string): Promise<string | undefined> => {
    const program = await lookUpProgram(name, place);
    return "path" in program ? program.path : undefined;
  };
  const [node, npm, npx] = await Promise.all(["node", "npm", "npx"].map(found));
  const folders = [...new Set(pathFolders(place))];
  const kinds = await Promise.all(folders.map((folder) => files.kindOf(folder)));
  const certificates = env["NODE_EXTRA_CA_CERTS"];
  return {
    nodeVersion,
    platform,
    programs: { ...(node && { node }), ...(npm && { npm }), ...(npx && { npx }) },
    missingPathFolders: folders.filter(
      // npx and npm scripts put one of each folder above on the PATH, whether it is there or not.
      (folder, index) => kinds[index] !== "directory" && !/[\\/]node_modules[\\/]\.bin$/.test(folder),
    ),
    proxyVariables: Object.keys(env)
      .filter((name) => proxyNames.includes(name.toUpperCase()) && (env[name] ?? "") !== "")
      .sort(),
    ...(certificates !== undefined &&
      certificates !== "" && {
        extraCertificates: { file: certificates, readable: await files.canRead(certificates) },
      }),
    trustsAnyCertificate: env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0",
    nodeOptions: readOptions(env["NODE_OPTIONS"] ?? ""),
  };
}

// Names alone: the value of an option may be anything.
function readOptions(text: string): readonly string[] {
  return text
    .split(/\s+/)
    .filter((word) => word.startsWith("-"))
    .map((word) => word.split("=", 1)[0] ?? word);
}
