import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Remembers the language that a browser has chosen. */
export const LANGUAGE_COOKIE = 'language';
/** Query parameter of a page that chooses its language. */
const LANGUAGE_PARAMETER = 'lang';
const ONE_YEAR = 365 * 24 * 3600;

interface LanguageCookie {
  readonly path: string;
  readonly maxAge: number;
  readonly sameSite: 'lax';
  readonly httpOnly: true;
  readonly secure: boolean;
}

type LanguageHeaders = Pick<IncomingHttpHeaders, 'cookie' | 'accept-language'>;

/** The language that `Accept-Language` prefers (RFC 9110 section 12.5.4); undefined if there is none of ours. */
export function acceptedLanguage<L extends string>(header: string | undefined, languages: readonly L[]): L | undefined {
  if (header === undefined) return undefined;
  const wanted = new Negotiator({ headers: { 'accept-language': header } }).languages();
  return wanted.map((tag) => tag.toLowerCase().split('-')[0]).find(isOneOf(languages));
}

/** The language of the cookie, or else the one that `Accept-Language` prefers; undefined if there is none of ours. */
export function requestedLanguage<L extends string>(headers: LanguageHeaders, languages: readonly L[]): L | undefined {
  return rememberedLanguage(headers, languages) ?? acceptedLanguage(headers['accept-language'], languages);
}

/** The language of the cookie. Another service may have set one of the same name, in a language of its own. */
export function rememberedLanguage<L extends string>(
  { cookie = '' }: LanguageHeaders,
  languages: readonly L[],
): L | undefined {
  const pairs = cookie.split(';').map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${LANGUAGE_COOKIE}=`));
  return values.map((pair) => pair.slice(LANGUAGE_COOKIE.length + 1)).find(isOneOf(languages));
}

/** The language that the query of a page chooses; undefined if there is none of ours. */
export function chosenLanguage<L extends string>(
  { query, method }: FastifyRequest,
  languages: readonly L[],
): L | undefined {
  const { [LANGUAGE_PARAMETER]: chosen } = (query ?? {}) as Readonly<Record<string, unknown>>;
  return method === 'GET' ? languages.find((language) => language === chosen) : undefined;
}

/** Attributes of the cookie of the language. */
export function languageCookie(contextPath: string, isSecure: boolean): LanguageCookie {
  return { path: `${contextPath}/`, maxAge: ONE_YEAR, sameSite: 'lax', httpOnly: true, secure: isSecure };
}

/** The address of the page in another language; the response to a form links to the page with that form. */
export function inLanguage({ url }: FastifyRequest, language: string, contextPath: string): string {
  const [, query = ''] = url.split('?', 2);
  return withLanguage(`${contextPath}${localPath(url)}?${query}`, language);
}

/** A path with its query, in another language. */
export function withLanguage(address: string, language: string): string {
  const [path = '', query = ''] = address.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set(LANGUAGE_PARAMETER, language);
  return `${path}?${parameters.toString()}`;
}

/** The path of a URL of the router, which begins after the context path; anything else would lead to another host. */
export function localPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.replace(/^[/\\]*/, '/');
}

function isOneOf<L extends string>(languages: readonly L[]): (text: string | undefined) => text is L {
  return (text): text is L => (languages as readonly unknown[]).includes(text);
}
