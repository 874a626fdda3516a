import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const KB = 1024;
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/.vitepress/**'] }).map((path) => path.replaceAll('\\', '/')),
];
const isDecision = (page: string): boolean => page.startsWith('docs/decisions/');
const OF_DOCS = PAGES.filter((page) => page.startsWith('docs/'));
const WITHOUT_DECISIONS = OF_DOCS.filter((page) => !isDecision(page));

const TEXTS = new Map(PAGES.map((page) => [page, readFileSync(join(ROOT, page), 'utf8')]));

function textOf(page: string): string {
  return TEXTS.get(page) ?? '';
}

/** The text outside of code. */
function prose(page: string): string {
  return textOf(page).replaceAll(/^ *```.*?^ *```$/gms, '');
}

/** The anchors of a page as GitHub makes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = Array.from(prose(page).matchAll(/^#{1,6} (.+)$/gm), ([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

interface Link {
  readonly written: string;
  /** Relative to the root of the repository. */
  readonly target: string;
  readonly anchor: string;
}

/** The links to files of the repository. */
function linksOf(page: string): readonly Link[] {
  const written = Array.from(
    prose(page)
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
    ([, link = '']) => link,
  );
  return written
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path = '', anchor = ''] = link.split('#');
      return { written: link, target: path === '' ? page : relative('', join(dirname(page), path)), anchor };
    });
}

describe('the links of the documentation', () => {
  it.each(PAGES)('every link of %s leads to a file and a heading', (page) => {
    const broken = linksOf(page).filter(
      ({ target, anchor }) =>
        !existsSync(join(ROOT, target)) || (anchor !== '' && !(TEXTS.has(target) && anchorsOf(target).has(anchor))),
    );

    expect(broken.map(({ written }) => written)).toEqual([]);
  });

  it('every page is reachable from docs/README.md', () => {
    const reached = new Set(['docs/README.md']);
    for (const page of reached) {
      for (const { target } of linksOf(page)) if (TEXTS.has(target)) reached.add(target);
    }

    expect(OF_DOCS.filter((page) => !reached.has(page))).toEqual([]);
  });
});

describe('the weight of the documentation', () => {
  const bytesOf = (page: string): number => statSync(join(ROOT, page)).size;

  it('no page has more than 15 KB', () => {
    expect(WITHOUT_DECISIONS.length).toBeGreaterThan(60);
    expect(WITHOUT_DECISIONS.filter((page) => bytesOf(page) > 15 * KB)).toEqual([]);
  });

  it('CONTRIBUTING.md has at most 8 KB', () => {
    expect(bytesOf('CONTRIBUTING.md')).toBeLessThanOrEqual(8 * KB);
  });

  it('less than a tenth of a page is padding', () => {
    const padded = WITHOUT_DECISIONS.filter((page) => {
      const padding = Array.from(prose(page).matchAll(/(?<=\S) {2,}|-{4,}/g), ([run]) => run.length);
      return padding.reduce((sum, length) => sum + length, 0) > textOf(page).length / 10;
    });

    expect(padded).toEqual([]);
  });
});
