import { full } from '../config/bind/effect.js';
import { type ScalarType, text } from '../config/bind/key-type.js';
import { Mismatch } from '../config/bind/mismatch.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import type { ServerProperties } from './server.properties.js';
import type { ServletProperties } from './servlet.properties.js';

const url: ScalarType<string> = {
  ...text(),
  name: 'URL',
  expects: 'a URL such as https://login.example.com/auth, with the context path and without a slash at its end',
  parse: (value) => {
    const trimmed = value.trim();
    const parsed = /^https?:\/\/[^\s/?#@]+(?:\/[^\s/?#]+)*$/.test(trimmed) ? URL.parse(trimmed) : null;
    // What is compared with what browsers send must be written as they write it.
    const isPlain = parsed && (parsed.href === trimmed || parsed.href === `${trimmed}/`);
    return isPlain ? trimmed : new Mismatch('not such a URL, as a browser writes it (lower case, no default port)');
  },
};

@Properties('app.security')
export class PublicUrlProperties {
  @Key(url, {
    does:
      'Where the world reaches the service: issuer of its tokens, base of mailed links, and its own origin for ' +
      'browsers. Production must set it.',
    effect: full,
    defaultText: 'http://localhost:{server.port}{server.servlet.context-path} as issuer',
  })
  readonly publicUrl?: string;
}

/** The URL at which clients reach the service: the configured one, or that of this machine for a trial. */
export function serviceUrl(
  { publicUrl }: PublicUrlProperties,
  { port }: Pick<ServerProperties, 'port'>,
  { contextPath }: Pick<ServletProperties, 'contextPath'>,
): string {
  return publicUrl ?? `http://localhost:${port}${contextPath}`;
}
