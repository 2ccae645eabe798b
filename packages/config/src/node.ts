// For products on Node: what reads files.
export { readConfigFile } from "./node/read-config-file.ts";
export { readText } from "./node/read-text.ts";
