// The searchable site of the same pages: npm run docs:site. Everything that a page loads is in the built folder.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { defineConfig } from 'vitepress';

const DOCS = join(import.meta.dirname, '..');
/** The index of a folder. */
const INDEX = 'README.md';
const KINDS = ['tutorials', 'how-to', 'reference', 'explanation', 'contributing', 'decisions'];

export default defineConfig({
  title: 'Login service',
  lang: 'en',
  cacheDir: '../node_modules/.cache/vitepress',
  ignoreDeadLinks: 'localhostLinks',
  rewrites: (id) => id.replace(/(^|\/)README\.md$/, '$1index.md'),
  markdown: {
    // Angle brackets are placeholders, and a colon before a bracket is no emoji.
    html: false,
    emoji: { shortcuts: {} },
    anchor: { slugify: anchorOf },
    config: (md) => md.core.ruler.push('repository-links', linksOfSite),
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: KINDS.map((kind) => ({ ...folder(kind), collapsed: true })),
  },
});

/** A folder of the sidebar: its index, its pages, its folders. */
function folder(path) {
  const entries = readdirSync(join(DOCS, path), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => folder(posix.join(path, name)));
  const pages = entries
    .filter(({ name }) => name.endsWith('.md') && name !== INDEX)
    .map(({ name }) => ({ text: titleOf(posix.join(path, name)), link: `/${path}/${name.replace(/\.md$/, '')}` }));
  const index = entries.some(({ name }) => name === INDEX) ? { link: `/${path}/` } : {};
  return { text: capital(basename(path)), ...index, items: [...folders, ...pages], collapsed: true };
}

function titleOf(path) {
  const [, title = path] = /^# (.+)$/m.exec(readFileSync(join(DOCS, path), 'utf8')) ?? [];
  return title.replaceAll('`', '');
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Links to an index lead to its rewritten name; of a link to a file outside the docs, the text remains. */
function linksOfSite({ tokens, env }) {
  for (const { children } of tokens) {
    let isOutside = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open') {
        const href = token.attrGet('href') ?? '';
        isOutside = !/^[a-z]+:|^#/.test(href) && posix.join(posix.dirname(env.relativePath), href).startsWith('..');
        token.attrSet('href', href.replace(/(^|\/)README\.md/, '$1index.md'));
      }
      if (isOutside && /^link_(open|close)$/.test(token.type)) Object.assign(token, { type: 'text', content: '' });
    }
  }
}

/** The anchor of a heading as GitHub makes it, so that a link works in the repository and on the site. */
function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}
