/** A published server whose tool list is in the data set. */
export interface RecordedServer {
  /** Id in the data set. */
  readonly id: string;
  /** What a host would call the server. */
  readonly title: string;
  readonly package: string;
  readonly version: string;
  /** The package's executable; default: its only one. */
  readonly bin?: string;
  readonly args?: readonly string[];
  /**
   * What the server wants to see before it starts. Nothing here is a credential, and no request is
   * ever made with it.
   */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Servers that start and list their tools without an account. All are under the MIT, the ISC or the
 * Apache 2.0 licence.
 */
export const recordedServers: readonly RecordedServer[] = [
  { id: "everything", title: "Everything", package: "@modelcontextprotocol/server-everything", version: "2026.8.31" },
  {
    id: "filesystem",
    title: "Filesystem",
    package: "@modelcontextprotocol/server-filesystem",
    version: "2026.8.31",
    args: ["."],
  },
  { id: "memory", title: "Memory", package: "@modelcontextprotocol/server-memory", version: "2026.8.31" },
  {
    id: "sequential-thinking",
    title: "Sequential Thinking",
    package: "@modelcontextprotocol/server-sequential-thinking",
    version: "2026.8.31",
  },
  { id: "github", title: "GitHub", package: "@modelcontextprotocol/server-github", version: "2025.4.8" },
  {
    id: "slack",
    title: "Slack",
    package: "@modelcontextprotocol/server-slack",
    version: "2025.4.25",
    env: { SLACK_BOT_TOKEN: "none", SLACK_TEAM_ID: "none" },
  },
  {
    id: "google-maps",
    title: "Google Maps",
    package: "@modelcontextprotocol/server-google-maps",
    version: "0.6.2",
    env: { GOOGLE_MAPS_API_KEY: "none" },
  },
  {
    id: "brave-search",
    title: "Brave Search",
    package: "@modelcontextprotocol/server-brave-search",
    version: "0.6.2",
    env: { BRAVE_API_KEY: "none" },
  },
  { id: "playwright", title: "Playwright", package: "@playwright/mcp", version: "0.0.83" },
  {
    id: "chrome-devtools",
    title: "Chrome DevTools",
    package: "chrome-devtools-mcp",
    version: "1.11.0",
    bin: "chrome-devtools-mcp",
  },
  { id: "notion", title: "Notion", package: "@notionhq/notion-mcp-server", version: "2.5.2" },
  {
    id: "mongodb",
    title: "MongoDB",
    package: "mongodb-mcp-server",
    version: "3.0.4",
    args: ["--telemetry", "disabled"],
  },
  { id: "context7", title: "Context7", package: "@upstash/context7-mcp", version: "4.1.1" },
  {
    id: "airtable",
    title: "Airtable",
    package: "airtable-mcp-server",
    version: "1.14.0",
    env: { AIRTABLE_API_KEY: "none" },
  },
  { id: "kubernetes", title: "Kubernetes", package: "mcp-server-kubernetes", version: "4.1.7" },
  {
    id: "circleci",
    title: "CircleCI",
    package: "@circleci/mcp-server-circleci",
    version: "0.20.0",
    env: { CIRCLECI_TOKEN: "none" },
  },
  { id: "teams", title: "Microsoft Teams", package: "@floriscornel/teams-mcp", version: "0.3.2" },
  { id: "netlify", title: "Netlify", package: "@netlify/mcp", version: "1.15.1" },
  {
    id: "gitlab",
    title: "GitLab",
    package: "@zereight/mcp-gitlab",
    version: "2.1.64",
    bin: "mcp-gitlab",
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: "none" },
  },
  {
    id: "firecrawl",
    title: "Firecrawl",
    package: "firecrawl-mcp",
    version: "3.22.2",
    env: { FIRECRAWL_API_KEY: "none" },
  },
  {
    id: "hubspot",
    title: "HubSpot",
    package: "@hubspot/mcp-server",
    version: "0.4.0",
    env: { PRIVATE_APP_ACCESS_TOKEN: "none" },
  },
  {
    id: "launchdarkly",
    title: "LaunchDarkly",
    package: "@launchdarkly/mcp-server",
    version: "0.6.2",
    bin: "mcp",
    args: ["start", "--api-key", "none"],
  },
];
