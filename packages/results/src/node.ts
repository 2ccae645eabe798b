// For products on Node: a folder that keeps what is too big.
export { createFolderSink, type FolderSinkOptions } from "./node/create-folder-sink.ts";
