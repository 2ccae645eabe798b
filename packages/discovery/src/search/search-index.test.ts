import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { createSearchIndex, type SearchDocument, type SearchIndex } from "./search-index.ts";
import { stemWord } from "./stem-word.ts";

function documentOf(name: string, description: string = "", more: Partial<SearchDocument> = {}): SearchDocument {
  return { name, shortName: name, aliases: [], title: "", description, parameters: [], context: "", ...more };
}

function indexOf(...documents: readonly SearchDocument[]): SearchIndex {
  const index = createSearchIndex();
  for (const document of documents) index.add(document);
  return index;
}

const find = (index: SearchIndex, query: string, limit = 10): readonly string[] =>
  index.search(query, { limit }).map(({ name }) => name);

describe("search()", () => {
  it("puts exact names first, then names that begin with the query, then the rest, whatever the scores", () => {
    const index = indexOf(
      documentOf("find_issue", "issue issue issue issue", { title: "issue issue", parameters: ["issue"] }),
      documentOf("issue_tracker_settings", "Nothing of the kind."),
      documentOf("mcp_x_issue", "Nothing of the kind.", { shortName: "issue" }),
    );
    expect(index.search("issue", { limit: 3 })).toMatchObject([
      { name: "mcp_x_issue", match: "exact" },
      { name: "issue_tracker_settings", match: "prefix" },
      { name: "find_issue", match: "words" },
    ]);
  });

  it.each([["create_issue"], ["CREATE_ISSUE"], ["create issue"], ["createIssue"], ["create-issue"]])(
    "knows a name in any spelling: %s",
    (query) => {
      const index = indexOf(documentOf("create_issue"), documentOf("create_issue_comment"), documentOf("issue_create"));
      expect(index.search(query, { limit: 2 })).toMatchObject([
        { name: "create_issue", match: "exact" },
        { name: "create_issue_comment", match: "prefix" },
      ]);
    },
  );

  it("puts a tool for many before one for one, and the other way round, as the query asks", () => {
    const grown = indexOf(documentOf("get_service"), documentOf("list_services"));
    expect(find(grown, "cloud services")[0]).toBe("list_services");
    expect(find(grown, "cloud service")[0]).toBe("get_service");
    // Of 129 documents 100 go, and the rest is written anew.
    const others = Array.from({ length: 127 }, (_, at) => documentOf(`other_${at}`));
    for (const other of others) grown.add(other);
    for (const { name } of others.slice(0, 100)) grown.remove(name);
    expect(find(grown, "cloud services")[0]).toBe("list_services");
    expect(find(grown, "cloud service")[0]).toBe("get_service");
  });

  it("knows a word from which the vowels were left out, and puts nothing that it may stand for before the word itself", () => {
    const index = indexOf(
      documentOf("send_template"),
      documentOf("press_button"),
      documentOf("read_txt"),
      documentOf("read_text"),
    );
    expect(find(index, "all email tmplts")).toEqual(["send_template"]);
    expect(find(index, "+btn")).toEqual(["press_button"]);
    expect(find(index, "plain txt")).toEqual(["read_txt", "read_text"]);
  });

  it("takes a word that is said twice for one", () => {
    const index = indexOf(documentOf("message_search"), documentOf("send_reply", "Sends a reply to a customer."));
    const scoreOf = (query: string): number => index.search(query, { limit: 2 })[0]?.score ?? 0;
    expect(scoreOf("messages, the message of a message")).toBe(scoreOf("messages"));
    expect(find(index, "reply +message")).toEqual(find(index, "message reply +message"));
  });

  it("finds by words of name, title, description, parameters and context, in every form of a word", () => {
    const index = indexOf(
      documentOf("a", "", { shortName: "closeTicket" }),
      documentOf("b", "", { title: "Invoices" }),
      documentOf("c", "Translates a paragraph."),
      documentOf("d", "", { parameters: ["trackingNumber"] }),
      documentOf("e", "", { context: "github GitHub" }),
    );
    expect(["closing", "invoice", "translation", "tracking", "github"].map((query) => find(index, query)[0])).toEqual([
      "a",
      "b",
      "c",
      "d",
      "e",
    ]);
  });

  it("finds by everyday synonyms and phrases, behind the word itself", () => {
    const index = indexOf(documentOf("delete_page"), documentOf("remove_page"), documentOf("list_pages"));
    expect(find(index, "remove page").slice(0, 2)).toEqual(["remove_page", "delete_page"]);
    expect(find(index, "get rid of a page")[0]).toBe("delete_page");
  });

  it("forgives typing mistakes, also in joined and parted words", () => {
    const index = indexOf(documentOf("kubernetes_logs"), documentOf("send_invoice"), documentOf("list_webhooks"));
    expect(find(index, "kuberntes")[0]).toBe("kubernetes_logs");
    expect(find(index, "invioce")[0]).toBe("send_invoice");
    expect(find(index, "web hook")[0]).toBe("list_webhooks");
    expect(find(index, "kubern")[0]).toBe("kubernetes_logs");
  });

  test.prop([fc.stringMatching(/^[a-z]{5,10}$/), fc.nat({ max: 9 })])(
    "never puts a guess before a document that has the word itself",
    (word, position) => {
      const at = position % word.length;
      const neighbour = `${word.slice(0, at)}${word.slice(at + 1)}`;
      fc.pre(stemWord(neighbour) !== stemWord(word));
      const index = indexOf(documentOf(`${neighbour}_a`, neighbour, { title: neighbour }), documentOf("other", word));
      expect(find(index, `${word} zzz`)[0]).toBe("other");
    },
  );

  it("breaks ties by name, by UTF-16 units", () => {
    const index = indexOf(documentOf("b", "same"), documentOf("a", "same"), documentOf("B", "same"));
    expect(find(index, "same")).toEqual(["B", "a", "b"]);
  });

  it("prefers tools that look for questions, and destructive ones only when they are meant", () => {
    const index = indexOf(documentOf("delete_users"), documentOf("count_users"), documentOf("create_users"));
    expect(find(index, "How many users are there?")[0]).toBe("count_users");
    expect(find(index, "users")[2]).toBe("delete_users");
    expect(find(index, "remove users")[0]).toBe("delete_users");
  });

  it("returns only what is allowed, up to the limit", () => {
    const index = indexOf(
      ...Array.from({ length: 50 }, (_, i) => documentOf(`tool_${String(i).padStart(2, "0")}`, "thing")),
    );
    const odd = (name: string): boolean => Number(name.slice(-2)) % 2 === 1;
    const hits = index.search("thing", { limit: 3, allows: odd });
    expect(hits.map(({ name }) => name)).toEqual(["tool_01", "tool_03", "tool_05"]);
    expect(index.search("tool", { limit: 40, allows: odd })).toHaveLength(25);
  });

  it.each([
    [""],
    ["   "],
    ["?!…"],
    ["the of and"],
    ["x".repeat(1_000_000)],
    ["a ".repeat(100_000)],
    ["(((+*[".repeat(1000)],
    ["\u0000"],
  ])("answers any query", (query) => {
    const index = indexOf(documentOf("create_issue", "Creates an issue."));
    expect(() => index.search(query, { limit: 5 })).not.toThrow();
  });

  it("counts stop words when a query has nothing else", () => {
    expect(find(indexOf(documentOf("who_am_i"), documentOf("other")), "who am i")[0]).toBe("who_am_i");
  });

  test.prop([
    fc.string({ unit: "binary" }),
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({ unit: "binary" }),
  ])("survives any text in a document", (name, description, query) => {
    const index = indexOf(documentOf(name, description), documentOf("__proto__", "constructor toString"));
    expect(() => index.search(query, { limit: 5 })).not.toThrow();
    expect(find(index, "constructor")).toContain("__proto__");
  });
});

describe("add() and remove()", () => {
  const words = ["issue", "page", "list", "create", "user", "file", "branch", "message"];
  const documents = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 12 }), fc.constantFrom(...words), fc.constantFrom(...words), fc.boolean()),
    { maxLength: 60 },
  );

  test.prop([documents, fc.constantFrom(...words), fc.constantFrom(...words)])(
    "give the same answers as an index built at once from what is left, in any order",
    (steps, first, second) => {
      const grown = createSearchIndex();
      const left = new Map<string, SearchDocument>();
      for (const [id, a, b, isAdded] of steps) {
        const document = documentOf(`tool_${id}`, `Does ${b}.`, { shortName: `${a}_${id}`, context: b });
        if (isAdded) grown.add(document);
        else expect(grown.remove(document.name)).toBe(left.has(document.name));
        if (isAdded) left.set(document.name, document);
        else left.delete(document.name);
      }
      const fresh = indexOf(...Array.from(left.values()).toReversed());
      expect(grown.size).toBe(left.size);
      for (const query of [first, `${first} ${second}`, `${first}_3`]) {
        expect(grown.search(query, { limit: 20 })).toEqual(fresh.search(query, { limit: 20 }));
      }
    },
  );

  it("clean up after many removals, and still give the same answers", () => {
    const make = (id: number): SearchDocument => documentOf(`tool_${id}`, `Thing number ${id} of ${id % 7} kinds.`);
    const index = indexOf(...Array.from({ length: 1000 }, (_, id) => make(id)));
    for (let id = 0; id < 950; id += 1) expect(index.remove(`tool_${id}`)).toBe(true);
    const fresh = indexOf(...Array.from({ length: 50 }, (_, id) => make(950 + id)));
    for (const query of ["thing", "tool_99", "tool_960", "kinds 3"]) {
      expect(index.search(query, { limit: 60 })).toEqual(fresh.search(query, { limit: 60 }));
    }
    expect(index.size).toBe(50);
  });
});
