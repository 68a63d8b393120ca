import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { searchOptions, searchText } from './search-options.mjs'

// stage writes site.json: the version, and the pages by section.
const { version, sidebar } = JSON.parse(readFileSync(new URL('../site.json', import.meta.url)))

// The names that GitHub gives to headings, so that a link works in both places.
const slugify = (heading) =>
  heading.trim().toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')

export default defineConfig({
  title: 'prompts',
  description: 'Typed, validated MCP prompts for Go servers',
  lang: 'en-US',
  srcDir: 'pages',
  base: process.env.SITE_BASE || '/',
  markdown: {
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      // Vue reads {{ in text as a template of its own, and so no page may have it.
      for (const rule of ['text', 'code_inline']) {
        const render = md.renderer.rules[rule]
        md.renderer.rules[rule] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
      }
    },
  },
  // A reader of a page finds its Markdown; a program finds llms.txt.
  transformHead: ({ page }) =>
    page === '404.md' ? [] : [['link', { rel: 'alternate', type: 'text/markdown', href: (process.env.SITE_BASE || '/') + page }]],
  themeConfig: {
    nav: [{ text: version, link: '/changelog' }, { text: 'Go API', link: 'https://pkg.go.dev/github.com/mcp-prompts/prompts' }],
    sidebar,
    outline: [2, 3],
    externalLinkIcon: true,
    socialLinks: [{ icon: 'github', link: 'https://github.com/mcp-prompts/prompts', ariaLabel: 'Source code on GitHub' }],
    search: { provider: 'local', options: { miniSearch: { searchOptions }, _render: searchText } },
  },
})
