// Markdown becomes a fragment of the document: markdown-it makes HTML, in which
// HTML of the text itself is text, highlight.js colors the code, and DOMPurify
// drops everything that is not listed here. Nothing else of the page makes HTML.

import MarkdownIt from "./third_party/markdown-it.mjs";
import hljs from "./third_party/highlight.mjs";
import "./third_party/purify.js"; // which sets DOMPurify
import { markInvisible } from "./dom.js";

const { DOMPurify } = globalThis;

const md = new MarkdownIt({
  html: false,
  breaks: true, // a model gets every line, too
  highlight(code, language) {
    if (!hljs.getLanguage(language) || code.length > maxHighlighted) return "";
    return hljs.highlight(code, { language, ignoreIllegals: true }).value;
  },
});

const maxHighlighted = 50_000;

// An image of a text would be loaded from elsewhere, so its place is shown instead.
md.renderer.rules.image = (tokens, i, options, env, self) => {
  const alt = md.utils.escapeHtml(self.renderInlineAsText(tokens[i].children || [], options, env));
  const src = md.utils.escapeHtml(tokens[i].attrGet("src") || "");
  return `<span class="not-loaded">image not loaded: ${alt} <code>${src.length > 200 ? src.slice(0, 200) + "…" : src}</code></span>`;
};

const allowed = {
  ALLOWED_TAGS: ["a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"],
  ALLOWED_ATTR: ["class", "href", "start", "title"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    if (!node.hasAttribute("href")) return;
    node.setAttribute("rel", "noopener noreferrer nofollow");
    node.setAttribute("target", "_blank");
    node.setAttribute("title", node.getAttribute("href"));
  }
  if (node.hasAttribute("class")) {
    const classes = node.getAttribute("class").split(/\s+/).filter((c) => /^(hljs-[\w-]+|function_|class_|inherited__|language_|not-loaded)$/.test(c));
    if (classes.length > 0) node.setAttribute("class", classes.join(" "));
    else node.removeAttribute("class");
  }
});

// markdown returns a text as a fragment.
export function markdown(text) {
  const fragment = DOMPurify.sanitize(md.render(text), allowed);
  markInvisible(fragment);
  for (const pre of fragment.querySelectorAll("pre")) pre.tabIndex = 0; // it scrolls
  return fragment;
}

// highlighted returns code as a fragment, in the colors of a language if it is known.
export function highlighted(code, language) {
  if (!language || !hljs.getLanguage(language) || code.length > maxHighlighted) return null;
  const fragment = DOMPurify.sanitize(hljs.highlight(code, { language, ignoreIllegals: true }).value, allowed);
  markInvisible(fragment);
  return fragment;
}
