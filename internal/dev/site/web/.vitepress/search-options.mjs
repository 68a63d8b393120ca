// The options of the search on the page and in search.mjs. Reference pages come after the
// pages that explain a task.
export const searchOptions = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 4, text: 2, titles: 1 },
  boostDocument: (id) => (/\/(limits|security|options|commands|changelog)\.html/.test(id) ? 0.4 : 1),
}

// The index has no names of Go tests, which stand in tables for maintainers. Each of them
// would be a result for "test".
export function searchText(src, env, md) {
  const html = md.render(src, env)
  return env.frontmatter?.search === false ? '' : html.replace(/<code[^>]*>[^<]*\b(Test|Fuzz)[A-Z][^<]*<\/code>/g, '')
}
