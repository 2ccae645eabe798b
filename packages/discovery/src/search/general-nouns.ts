/**
 * The objects of tools, in the words of any trade: each line one group, a word may be in several.
 * Written by somebody who saw neither tools nor queries
 * (docs/internals/decisions/0078-which-words-and-weights.md).
 */
export const generalNouns: readonly string[] = [
  "metadata, info, details, properties",
  "document, page, article",
  "form, survey, questionnaire",
  "response, submission, answer",
  "email, mail, message",
  "reply, response, comment",
  "bug, defect, error",
  "project, workspace",
  "card, task, ticket",
  "status, state",
  "workflow, process, flow, automation",
  "diff, changes, patch",
  "job, task",
  "config, configuration, settings, preferences",
  "schema, structure, data model",
  "endpoint, api, route",
  "documentation, docs, manual, reference",
  "web page, webpage, page, url",
  "url, link, web address",
  "input, field, textbox",
  "place, poi, point of interest, venue",
  "price, cost, rate",
  "tweet, post",
  "user, account, member",
  "dictionary, definition, meaning",
  "application, app, program",
];
