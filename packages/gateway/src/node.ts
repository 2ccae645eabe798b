// For products on Node: a gateway on the pipes of this process, or on a port.
export { serveStdio, type ServedStdio, type StdioOptions } from "./node/serve-stdio.ts";
export { listen, type ListenOptions, type GatewayServer } from "./node/listen.ts";
