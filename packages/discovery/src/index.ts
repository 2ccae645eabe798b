// For products: the toolbox, its views, and what they are made from.
export { createToolbox, reservedNames, type Toolbox } from "./toolbox.ts";
export type { ToolboxOptions } from "./toolbox-options.ts";
export type { ViewDeclareOptions, ToolboxView, ViewOptions, WhenListedOptions } from "./view/view.ts";
export type { DeniedTool } from "./offer/denial.ts";
export { toolHint } from "./offer/tool-hint.ts";
export type { StaticResult, StaticTool, ToolBundle } from "./catalog/static-tool.ts";
export type { NameClash, Precedence, PrecedenceRule } from "./catalog/settle-name-clash.ts";
export type { HelperNames } from "./discovery-tools/helper-definitions.ts";
export type { GroupsInput } from "./discovery-tools/tools-groups.ts";
export type { SearchInput } from "./discovery-tools/tools-search.ts";
export type { SelectInput } from "./discovery-tools/tools-select.ts";
export type {
  GroupAnswer,
  GroupEntry,
  GroupsAnswer,
  NextPage,
  OmittedNames,
  ToolAnswer,
  ToolsAnswer,
} from "./discovery-tools/answers.ts";
export type { EmbeddingRanker, EmbeddingRequest, ScoredName } from "./ranking/rank-tools.ts";
export type { SelectorChoice, SelectorRequest, ModelToolSelector } from "./ranking/rank-tools.ts";
export { estimateDefinitionTokens, estimateTokens } from "./tokens/token-counter.ts";

// For those who build another way to discover tools, or measure this one.
export { relatedTerms, searchTerms } from "./search/look-up-synonyms.ts";
export { createSearchIndex, type SearchDocument, type SearchHit, type SearchIndex } from "./search/search-index.ts";
export { aboutGroup, toSearchDocument } from "./catalog/catalog-search.ts";
export { viewOptionFields } from "./view/view.ts";
