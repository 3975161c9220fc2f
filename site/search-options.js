// The options of the search index, for the code that builds it and for the code that reads it.
export const FIELDS = ["part", "title", "text"];
export const OPTIONS = {
  fields: FIELDS,
  storeFields: ["title", "part", "url"],
  searchOptions: { boost: { part: 3, title: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
};
