import { createHash } from 'node:crypto';

/** The inline stylesheet of the page, which needs no path of its own. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --text: #1c2126; --quiet: #59636e; --line: #d5dae0; --back: #fff; --box: #f4f6f8;
  --link: #0757b8; --get: #1a6b3c; --post: #7a4a00; --delete: #a3222c; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e3e7eb; --quiet: #9ea8b3; --line: #38414a; --back: #14181c; --box: #1e242a; --link: #7cb4ff;
    --get: #6fd098; --post: #f0b65a; --delete: #ff8f98; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, sans-serif;
  overflow-wrap: anywhere; }
header, nav, main { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.25; }
h2 { margin: 3rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { margin: 0; font-size: 1.05rem; }
h4 { margin: 1rem 0 .25rem; font-size: .95rem; }
p { margin: .5rem 0; }
ul { margin: .25rem 0; padding-left: 1.25rem; }
code, pre { font: .9em/1.5 ui-monospace, monospace; }
pre { margin: .5rem 0; padding: .75rem; background: var(--back); border: 1px solid var(--line); border-radius: .375rem;
  overflow-x: auto; overflow-wrap: normal; }
article { margin: 1rem 0; padding: 1rem; background: var(--box); border: 1px solid var(--line); border-radius: .5rem; }
article:target { outline: 2px solid var(--link); }
dl { margin: .25rem 0; } dt { float: left; clear: left; font-weight: 600; } dd { margin: 0 0 .25rem 4rem; }
nav h2 { margin: 1rem 0 0; border: 0; font-size: 1rem; } nav ul { margin: 0; list-style: none; padding: 0; }
.method { font-weight: 700; } .get { color: var(--get); } .post { color: var(--post); } .delete { color: var(--delete); }
.quiet { color: var(--quiet); }
`;

const HASH = createHash('sha256').update(DOCS_STYLE).digest('base64');

/** Content-Security-Policy of the page: only this stylesheet. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
