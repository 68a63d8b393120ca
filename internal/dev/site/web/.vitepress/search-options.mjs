// The options of the search on the page and in search.mjs. Pages with many names of
// tests and limits come after the pages that explain a task.
export const searchOptions = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 4, text: 2, titles: 1 },
  boostDocument: (id) => (/^\/(limits|security|options|commands|changelog)\b/.test(id) ? 0.4 : 1),
}
