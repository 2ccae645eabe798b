// The documentation site. Its pages are plain Markdown, which reads as well on a code host.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type DefaultTheme } from "vitepress";
import llmstxt from "vitepress-plugin-llms";

const docs = fileURLToPath(new URL("..", import.meta.url));
const { repository } = JSON.parse(readFileSync(join(docs, "../packages/hostside/package.json"), "utf8"));
const home: string = repository.url.replaceAll(/^git\+|\.git$/g, "");
const notOfTheSite = ["internals/**", "README.md"];

/** The kinds of pages. Those that are named come first; a new page needs no entry. */
const sections = [
  { folder: "start", text: "Start", first: ["quick-start", "agent", "editor", "test-your-server"] },
  { folder: "how-to", text: "How-to", first: ["approvals", "many-users", "web-frameworks", "deploy", "policies"] },
  { folder: "migrate", text: "Migrate", first: [] },
  { folder: "reference", text: "Reference", first: ["host", "cli", "configuration", "frameworks", "serve"] },
  { folder: "explanation", text: "Explanation", first: ["architecture", "call-pipeline", "security", "comparison"] },
];

const guide = sections
  .filter(({ folder }) => existsSync(join(docs, folder)))
  .map(({ folder, text, first }) => {
    const files = readdirSync(join(docs, folder)).filter((file) => file.endsWith(".md"));
    const rank = new Map(first.map((page, index) => [`${page}.md`, index - first.length]));
    const items = files
      .toSorted((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0) || a.localeCompare(b))
      .map((file) => ({ text: titleOf(`${folder}/${file}`), link: `/${folder}/${file.slice(0, -3)}` }));
    return { text, items, collapsed: false };
  });

function titleOf(page: string): string {
  return (/^# (.+)$/m.exec(readFileSync(join(docs, page), "utf8"))?.[1] ?? page).replaceAll("`", "");
}

/** The entry points, from the page that TypeDoc makes of them. */
function sidebarOfApi(): DefaultTheme.SidebarItem[] {
  const index = join(docs, "reference/api/index.md");
  const text = existsSync(index) ? readFileSync(index, "utf8") : "";
  const entries = [...text.matchAll(/\[(.+?)\]\((.+?)\.md\)/g)].map(([, name = "", path = ""]) => ({
    text: name,
    link: `/reference/api/${path}`,
  }));
  return [
    { text: "All pages", link: "/" },
    { text: "hostside", items: entries.filter((entry) => entry.text.startsWith("hostside")) },
    { text: "Single packages", items: entries.filter((entry) => entry.text.startsWith("@")) },
  ];
}

/** Files that are not of the site are shown by the repository; the pages name them by their path. */
function linkOf(href: string, page: string): string {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href;
  const [path = "", anchor = ""] = href.split(/(?=#)/);
  const target = relative(docs, join(docs, dirname(page), path));
  return /^(?:\.\.|internals|README)/.test(target) ? `${home}/blob/main/${join("docs", target)}${anchor}` : href;
}

export default defineConfig({
  title: "Hostside",
  description: "Many MCP servers as one stable, safe, searchable set of tools.",
  lang: "en",
  // Where the site is served from, such as `/hostside/`.
  base: process.env["DOCS_BASE"] ?? "/",
  head: [["link", { rel: "icon", href: "data:," }]],
  srcExclude: notOfTheSite,
  themeConfig: {
    nav: [
      ...guide.map(({ text, items: [first] }) => ({
        text,
        link: first?.link ?? "/",
        activeMatch: `^${dirname(first?.link ?? "/")}/(?!api/)`,
      })),
      { text: "API", link: "/reference/api/", activeMatch: "^/reference/api/" },
    ],
    sidebar: { "/reference/api/": sidebarOfApi(), "/": guide },
    outline: [2, 3],
    editLink: { pattern: `${home}/edit/main/docs/:path` },
    socialLinks: [{ icon: "github", link: home }],
    search: {
      provider: "local",
      options: {
        _render(source, env, md) {
          const html = md.render(source, env);
          if (!env.relativePath.startsWith("reference/api/")) return html;
          // Of the API, names are found; whole comments would hide the pages that explain them.
          return (html.match(/<h[1-3][\s\S]*?<\/h[1-3]>/g) ?? []).join("\n");
        },
      },
    },
  },
  markdown: {
    config(md) {
      md.core.ruler.push("link-to-repository", ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === "link_open" ? token.attrGet("href") : null;
          if (href !== null) token.attrSet("href", linkOf(href, env.relativePath));
        }
      });
    },
  },
  vite: {
    plugins: [llmstxt({ ignoreFiles: ["reference/api/**", ...notOfTheSite], sidebar: guide })],
    // The page of the API that has all of `hostside` is large.
    build: { chunkSizeWarningLimit: 2000 },
  },
});
