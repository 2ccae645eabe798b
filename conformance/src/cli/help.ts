/** What `--help` prints. */
export const helpText = `Usage: hostside-conformance <command> [options] [-- program args…]

  server -- node my-server.js        check a server that the kit starts
  server --url https://…/mcp         check a server over Streamable HTTP, or HTTP+SSE if it speaks that alone
  server --sse URL                   check a server over HTTP+SSE of 2024-11-05
  server --config mcp.json --server NAME
  lock   -- node my-server.js        write the hashes of every tool definition
  diff   -- node my-server.js        compare a server with its lock file
  host   -- ./my-driver              check a host through its driver
  compare before.json after.json     what two --json reports differ in; --markdown FILE
  record FILE -- program args…       record what a host says with a server; also: play FILE, show FILE, play --help

Which checks
  --only ID|AREA    run these, and what they need (repeatable)
  --skip ID|AREA    leave these out (repeatable)
  --list            print every check
  --explain ID      print what a check stands on, and how to mend a failure
  --strict          failed SHOULD and HOST checks fail the run, too
  --baseline FILE   accepted failures: {"entries": [{"check", "reason", "expires"}]}
  --seed N          repeat a run

Calling tools (default: only tools that declare readOnlyHint)
  --call NAME       also this one; NAME={"json":"arguments"} gives its arguments (repeatable)
  --allow-calls     all of them, with arguments made from their schemas

Reports, each written whole or not at all
  --json FILE  --junit FILE  --sarif FILE  --html FILE  --markdown FILE
  --badge FILE             for shields.io: how many of the checks that apply passed

Servers
  --header "Name: value"   sent with every request to a URL (repeatable)
  --token-env NAME         a bearer token for a URL, from this environment variable
  --oauth                  sign in with OAuth, on a page in the browser
  --oauth-client ID        as this client; with --oauth-secret-env NAME without a user
  --oauth-scope SCOPE      ask for this scope (repeatable)
  --start-timeout SECONDS  how long the first answer may take; default 30
  --file FILE              the lock file; default mcp-lock.json
  --no-preview             do not show what a host makes of the server

Hosts
  --level LEVEL            survive, recover, consistent or hostile

Exit codes: 0 pass, 1 fail, 2 usage, 3 incomplete, 4 unreachable, 5 authentication required.
`;
