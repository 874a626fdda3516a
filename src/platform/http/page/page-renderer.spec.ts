import cookie from '@fastify/cookie';
import fastify, { type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { BrandingProperties } from '../../branding/branding.properties.js';
import { html } from '../../../kernel/encoding/html.js';
import { PAGES } from '../../../../test/support/pages/views.js';
import { type PageOptions, PageRenderer } from './page-renderer.js';
import { View } from './view.js';

const HOSTILE = `<script>alert("1")</script>'`;
const ESCAPED = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;';

const greeting = new View(({ t }) => ({ title: t.common.signIn, body: html`<p>${t.problem.toHome}</p>\n` }));

/** A server whose every path is one page. */
async function serverOf(options: Partial<PageOptions> = {}, view = greeting): Promise<FastifyInstance> {
  const server = fastify({ routerOptions: { ignoreDuplicateSlashes: false } });
  await server.register(cookie);
  const pages = new PageRenderer({ ...PAGES, ...options });
  server.all('*', (request, reply) => {
    const { body, policy } = pages.render(view, request, reply);
    return reply.header('content-type', 'text/html').header('content-security-policy', policy).send(body);
  });
  return server;
}

async function request(
  options: InjectOptions,
  page: Partial<PageOptions> = {},
  view?: View,
): Promise<LightMyRequestResponse> {
  return (await serverOf(page, view)).inject(options);
}

function languageOf({ body }: LightMyRequestResponse): string | undefined {
  return /<html lang="([^"]*)">/.exec(body)?.[1];
}

describe('the language of a page', () => {
  const KOREAN = { 'accept-language': 'ko-KR' };

  it.each([
    ['the query', { url: '/?lang=ko', headers: { cookie: 'language=en', 'accept-language': 'en' } }, 'ko'],
    ['the cookie', { url: '/', headers: { cookie: 'language=en', ...KOREAN } }, 'en'],
    ['Accept-Language', { url: '/', headers: KOREAN }, 'ko'],
    ['the default', { url: '/', headers: { 'accept-language': 'de' } }, 'en'],
    ['Accept-Language if the cookie is unknown', { url: '/', headers: { cookie: 'language=xx', ...KOREAN } }, 'ko'],
    ['Accept-Language if the query is unknown', { url: '/?lang=__proto__', headers: KOREAN }, 'ko'],
    ['Accept-Language if the query is repeated', { url: '/?lang=en&lang=en', headers: KOREAN }, 'ko'],
    ['Accept-Language for a form', { method: 'POST', url: '/?lang=en', headers: KOREAN }, 'ko'],
  ] as const)('is that of %s', async (_, options, language) => {
    expect(languageOf(await request(options))).toBe(language);
  });

  it('is the default language without any preference', async () => {
    expect(languageOf(await request({ url: '/' }, { defaultLanguage: 'ko' }))).toBe('ko');
  });

  it('is remembered in a cookie only if the query chooses it', async () => {
    const chosen = await request({ url: '/?lang=ko' }, { contextPath: '/auth' });
    const others = await Promise.all(['/', '/?lang=xx'].map((url) => request({ url, headers: KOREAN })));

    expect(chosen.cookies).toEqual([
      { name: 'language', value: 'ko', path: '/auth/', maxAge: 31_536_000, sameSite: 'Lax', httpOnly: true },
    ]);
    for (const { cookies } of others) expect(cookies).toEqual([]);
  });
});

describe('the links of a page to itself in other languages', () => {
  async function linkOf(url: string, contextPath = '/auth'): Promise<string> {
    const { body } = await request({ url }, { contextPath });
    return (/hreflang="ko" href="([^"]*)"/.exec(body)?.[1] ?? '').replaceAll('&amp;', '&');
  }

  it.each([
    ['/portal/login', '/auth/portal/login?lang=ko'],
    ['/portal/login?return_to=%2Fauth%2Fme', '/auth/portal/login?return_to=%2Fauth%2Fme&lang=ko'],
    ['/portal/login?lang=en', '/auth/portal/login?lang=ko'],
    ['/portal/login?a=%22%3E%3Cscript%3E', '/auth/portal/login?a=%22%3E%3Cscript%3E&lang=ko'],
  ])('the link of the page %s is %s', async (url, link) => {
    expect(await linkOf(url)).toBe(link);
  });

  it.each(['', '/auth'])('X16: stay on the origin for every path (context path %j)', async (contextPath) => {
    const paths = ['//evil.example/', '///evil.example', '/\\evil.example', '/\\/evil.example', '/%2f%2fevil.example'];
    for (const path of [...paths, '/x/..//evil.example', '/@evil.example', '/"><script>', "/'onclick='"]) {
      const link = await linkOf(path, contextPath);

      expect(new URL(link, 'https://own.example/some/page').origin, `${path} → ${link}`).toBe('https://own.example');
      expect(link, path).not.toMatch(/[<>"']/);
    }
  });
});

it('a page that is shown once has no link to itself in other languages', async () => {
  const { body } = await request({ url: '/' }, {}, new View(() => ({ title: 'x', body: html``, isShownOnce: true })));

  expect(body).not.toContain('hreflang');
});

describe('the texts of a page', () => {
  it('escapes its title', async () => {
    const { body } = await request({ url: '/' }, {}, new View(() => ({ title: HOSTILE, body: html`` })));

    expect(body).toContain(`<title>${ESCAPED} - Login service</title>`);
    expect(body).toContain(`<h1>${ESCAPED}</h1>`);
    expect(body).not.toContain('<script>');
  });

  it('escapes the branding of the deployment', async () => {
    const branding = Object.assign(new BrandingProperties(), {
      name: HOSTILE,
      helpUrl: `/${HOSTILE}`,
      helpContact: HOSTILE,
      legalLinks: new Map([[HOSTILE, `/${HOSTILE}`]]),
    });

    const { body } = await request({ url: '/' }, { branding });

    expect(body).toContain(`<span>${ESCAPED}</span></a>`);
    expect(body.split(ESCAPED).length - 1).toBe(6);
    expect(body).not.toContain('<script>');
  });

  it('shows the name, help, contact and legal links of the deployment', async () => {
    const branding = Object.assign(new BrandingProperties(), {
      name: 'Northwind',
      helpUrl: 'https://help.example/',
      helpContact: '+82 2 123 4567',
      legalLinks: new Map([['Privacy', '/privacy']]),
    });

    const { body } = await request({ url: '/' }, { branding });

    expect(body).toContain('<title>Sign in - Northwind</title>');
    expect(body).toContain('<a href="https://help.example/">Help</a>');
    expect(body).toContain('<span>+82 2 123 4567</span>');
    expect(body).toContain('<a href="/privacy">Privacy</a>');
  });

  it('writes an instant with its zone for browsers without script', async () => {
    const view = new View(({ time }) => ({ title: 'x', body: html`${time(0)}` }));

    expect((await request({ url: '/' }, {}, view)).body).toContain(
      '<time datetime="1970-01-01T00:00:00.000Z" data-local="">Jan 1, 1970, 12:00 AM UTC</time>',
    );
    const seoul = await request({ url: '/', headers: { 'accept-language': 'ko' } }, { timeZone: 'Asia/Seoul' }, view);
    expect(seoul.body).toContain('data-local="">1970. 1. 1. 오전 9:00</time>');
  });
});

describe('the Content-Security-Policy of a page', () => {
  it.each([
    [{}, {}, "form-action 'self'"],
    [{}, { previews: true }, "connect-src 'self'; form-action 'self'"],
    [{}, { passkeys: true }, "connect-src 'self'; form-action 'self'"],
    [{ returnOrigins: ['https://portal.example'] }, {}, "form-action 'self' https://portal.example"],
    [
      { returnOrigins: ['https://portal.example'] },
      { formTarget: 'https://idp.example/slo' },
      "form-action 'self' https:",
    ],
  ] as const)('the policy with %j for a page that needs %j has %s', async (options, needs, directive) => {
    const view = new View(() => ({ title: 'x', body: html`` }), needs);
    const { headers } = await request({ url: '/' }, options, view);

    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
        `${directive}; base-uri 'none'; frame-ancestors 'none'`,
    );
  });
});
