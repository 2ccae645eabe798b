import type { RecordedServer } from "./recorded-servers.ts";

/**
 * More servers, of which the input schemas are kept in data/schemas: the schema profiles of
 * `@hostside/adapters` are tried on them. What a search reads of them is in data/search/listed. All
 * are under the MIT, the ISC or the Apache 2.0 licence.
 */
export const schemaServers: readonly RecordedServer[] = [
  { id: "antv-chart", title: "AntV Chart", package: "@antv/mcp-server-chart", version: "0.9.10" },
  {
    id: "argocd",
    title: "Argo CD",
    package: "argocd-mcp",
    version: "0.9.0",
    args: ["stdio"],
    env: { ARGOCD_BASE_URL: "http://localhost:1", ARGOCD_API_TOKEN: "none" },
  },
  {
    id: "azure-devops",
    title: "Azure DevOps",
    package: "@tiberriver256/mcp-server-azure-devops",
    version: "0.1.48",
    env: {
      AZURE_DEVOPS_ORG_URL: "https://dev.azure.com/none",
      AZURE_DEVOPS_AUTH_METHOD: "pat",
      AZURE_DEVOPS_PAT: "none",
    },
  },
  {
    id: "brightdata",
    title: "Bright Data",
    package: "@brightdata/mcp",
    version: "2.11.3",
    env: { API_TOKEN: "none", PRO_MODE: "true" },
  },
  {
    id: "browserbase",
    title: "Browserbase",
    package: "@browserbasehq/mcp-server-browserbase",
    version: "2.4.3",
    env: { BROWSERBASE_API_KEY: "none", BROWSERBASE_PROJECT_ID: "none", GEMINI_API_KEY: "none" },
  },
  { id: "cloud-run", title: "Cloud Run", package: "@google-cloud/cloud-run-mcp", version: "1.10.0" },
  { id: "currents", title: "Currents", package: "@currents/mcp", version: "2.1.1", env: { CURRENTS_API_KEY: "none" } },
  {
    id: "dataforseo",
    title: "DataForSEO",
    package: "dataforseo-mcp-server",
    version: "3.0.1",
    env: { DATAFORSEO_USERNAME: "none", DATAFORSEO_PASSWORD: "none" },
  },
  {
    id: "desktop-commander",
    title: "Desktop Commander",
    package: "@wonderwhy-er/desktop-commander",
    version: "0.2.52",
    bin: "desktop-commander",
  },
  {
    id: "elasticsearch",
    title: "Elasticsearch",
    package: "@elastic/mcp-server-elasticsearch",
    version: "0.3.1",
    env: { ES_URL: "http://localhost:1", ES_API_KEY: "none" },
  },
  { id: "git", title: "Git", package: "@cyanheads/git-mcp-server", version: "2.15.3" },
  {
    id: "lark",
    title: "Lark",
    package: "@larksuiteoapi/lark-mcp",
    version: "0.5.1",
    args: ["mcp", "-a", "none", "-s", "none"],
  },
  {
    id: "line-bot",
    title: "LINE",
    package: "@line/line-bot-mcp-server",
    version: "0.4.2",
    env: { CHANNEL_ACCESS_TOKEN: "none" },
  },
  { id: "mobile", title: "Mobile", package: "@mobilenext/mobile-mcp", version: "1.0.4" },
  {
    id: "n8n",
    title: "n8n",
    package: "n8n-mcp",
    version: "2.87.0",
    env: { MCP_MODE: "stdio", N8N_API_URL: "http://localhost:1", N8N_API_KEY: "none" },
  },
  { id: "neon", title: "Neon", package: "@neondatabase/mcp-server-neon", version: "0.3.7", args: ["start", "none"] },
  {
    id: "perplexity",
    title: "Perplexity",
    package: "@perplexity-ai/mcp-server",
    version: "1.2.1",
    env: { PERPLEXITY_API_KEY: "none" },
  },
  {
    id: "pinecone",
    title: "Pinecone",
    package: "@pinecone-database/mcp",
    version: "0.3.0",
    env: { PINECONE_API_KEY: "none" },
  },
  { id: "qase", title: "Qase", package: "@qase/mcp-server", version: "2.7.0", env: { QASE_API_TOKEN: "none" } },
  {
    id: "replicate",
    title: "Replicate",
    package: "replicate-mcp",
    version: "0.9.0",
    env: { REPLICATE_API_TOKEN: "none" },
  },
  { id: "shopify-dev", title: "Shopify Dev", package: "@shopify/dev-mcp", version: "1.16.0" },
  { id: "tavily", title: "Tavily", package: "tavily-mcp", version: "0.2.22", env: { TAVILY_API_KEY: "none" } },
  {
    id: "todoist",
    title: "Todoist",
    package: "@doist/todoist-mcp",
    version: "11.0.0",
    bin: "todoist-mcp",
    env: { TODOIST_API_KEY: "none" },
  },
];
