// How the pages are searched, where the index is made and where it is read.
export const FIELDS = ["part", "title", "text"];
export const OPTIONS = {
  fields: FIELDS,
  storeFields: ["title", "part", "url"],
  searchOptions: { boost: { part: 3, title: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
};
