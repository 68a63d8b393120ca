// usage: node search.mjs DIR TERMS
// Searches a built site as its page does. For each term of the file TERMS, one of the
// pages beside it must be the first or second result.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import MiniSearch from 'minisearch'
import { searchOptions } from './.vitepress/search-options.mjs'

const [dir, terms] = process.argv.slice(2)
const base = process.env.SITE_BASE || '/'
const chunks = join(resolve(dir), 'assets/chunks')
const chunk = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndexroot'))
const index = await import(join(chunks, chunk))
const search = MiniSearch.loadJSON(index.default, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions,
})
let bad = 0
for (const row of readFileSync(terms, 'utf8').trim().split('\n')) {
  const [term, pages] = row.split('\t')
  const found = search.search(term).map((r) => (r.id.startsWith(base) ? r.id.slice(base.length) : r.id).replace(/(\.html)?(#.*)?$/, ''))
  const place = found.findIndex((page) => pages.split(' ').includes(page))
  if (place < 0 || place > 1) {
    bad++
    console.log(`search for "${term}": ${pages} is result ${place + 1}; the first are ${found.slice(0, 5).join(', ')}`)
  }
}
process.exit(bad ? 1 : 0)
