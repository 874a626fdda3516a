import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { originText } from './origin.js';
import type { Finding, Rule } from './rule.js';
import { namesSecret } from './secrets.js';

/** Rule 2: a secret is a `${NAME}` reference; a file that does hold one is nobody else's to read. */
export const secretsByReference: Rule = ({ entriesOfFiles, inputs: { workingFolder } }) => [
  ...entriesOfFiles.flatMap(({ spelled, text, origin, isRegistered, isSecret }) => {
    if (origin.kind !== 'position') return [];
    const { resource } = origin;
    const place = `${spelled} (${originText(origin)})`;
    if (passwordInUrl(text))
      return [breach(`${place}: a password inside a URL, use a key of its own or write \${NAME}`)];
    if (!(isSecret ?? namesSecret(spelled)) || isReference(text)) return [];
    if (isRegistered && !origin.isWholeFile) {
      return [breach(`${place}: a secret in clear, write \${NAME} and set NAME in the environment`)];
    }
    if (resource.kind === 'classpath') return [breach(`${place}: a secret inside the package, keep it outside`)];
    return resource.kind === 'file' ? readableByOthers(resolve(workingFolder, resource.path), place) : [];
  }),
  ...readableByOthers(join(workingFolder, '.env'), 'the file .env of the working folder'),
];

/** True where something other than a placeholder stands for a password in a URL. */
function passwordInUrl(text: string): boolean {
  const written = text.replaceAll(/\$\{[^{}]*\}/g, '');
  return /:\/\/[^\s/?#@:]*:[^\s/?#]+@|[?&;](?:password|secret|token)=[^&;\s]/i.test(written);
}

/** Nothing at all, or a placeholder without a default that would be the secret. */
function isReference(text: string): boolean {
  return text === '' || /^\$\{[^:{}]+:?\}$/.test(text);
}

function readableByOthers(path: string, what: string): readonly Finding[] {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o077) === 0) return [];
  return [breach(`${what}: holds secrets and has mode ${(mode & 0o777).toString(8)}, must be 600`)];
}

function breach(text: string): Finding {
  return { rule: '2', severity: 'breach', text };
}
