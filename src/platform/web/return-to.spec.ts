import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { safeReturnPath, safeReturnUrl } from './return-to.js';

const OWN = 'https://own.example';
const CONTEXTS = ['', '/auth', '/a/b.c'];

/** Pieces of open redirects; two thirds of the texts built from them are rejected. */
const PIECES = [
  ...['/', '//', '\\', '.', '..', '%2f', '%2F', '%5c', '%5C', '%2e', '%2E', '%252f', '%255c', '%25252f', '%c0%af'],
  ...['%09', '%0a', '%0d', '%00', '\t', '\n', '\r', ' ', '\u0000', '\u2028', '\u00a0', '\uff0f', '\u3002', '%e2%80%a8'],
  ...['?', '#', '@', ':', ';', '&', '=', '%', '%2', 'a', 'auth', '/auth', '/auth/', '/a/b.c/', 'evil.example'],
  ...['https:', 'javascript:', 'data:', '[::1]', '%25', '%3f', '%23', '%40', '%20', '%3', 'x'.repeat(300)],
];

describe('the page to return to', () => {
  it.each([
    ['/auth/', '/auth/'],
    ['/auth/menu', '/auth/menu'],
    ['/auth/menu?tab=2&sort=up', '/auth/menu?tab=2&sort=up'],
    ['/auth/menu#top', '/auth/menu#top'],
    ['/auth/a%20b/%C3%84?q=100%25', '/auth/a%20b/%C3%84?q=100%25'],
    ['/auth/.well-known/x', '/auth/.well-known/x'],
    ['/auth/a..b/...?up=..', '/auth/a..b/...?up=..'],
    ['/auth/menu?of=%23&or=a%3fb#..%23', '/auth/menu?of=%23&or=a%3fb#..%23'],
    [`/auth/${'x'.repeat(1018)}`, `/auth/${'x'.repeat(1018)}`],
  ])('may be %s', (returnTo, expected) => {
    expect(safeReturnPath(returnTo, '/auth')).toBe(expected);
  });

  it.each([
    ['a missing value', undefined],
    ['an empty text', ''],
    ['an absolute URL', 'https://evil.example/auth/'],
    ['a URL without a scheme', '//evil.example/auth/'],
    ['a path without a leading slash', 'auth/menu'],
    ['a scheme without a host', 'https:/auth/'],
    ['a scheme of scripts', 'javascript:alert(1)//auth/'],
    ['the context path alone', '/auth'],
    ['another path', '/other/'],
    ['a longer name', '/authority/'],
    ['a name of other letters', '/AUTH/'],
    ['the root', '/'],
    ['two slashes before', '//auth/menu'],
    ['two slashes inside', '/auth//evil.example'],
    ['two slashes behind a dot', '/auth/.//evil.example'],
    ['two slashes in the query', '/auth/?next=https://evil.example'],
    ['a backslash', '/auth/\\evil.example'],
    ['a backslash at the start', '/\\evil.example/auth/'],
    ['backslashes only', '\\\\evil.example\\auth\\'],
    ['a tab', '/auth/\t/evil.example'],
    ['a tab at the start', '/\t/evil.example/auth/'],
    ['a line end', '/auth/x\r\nSet-Cookie: a=b'],
    ['a space before', ' /auth/'],
    ['a space behind', '/auth/ '],
    ['a NUL', '/auth/\u0000'],
    ['DEL', '/auth/\u007f'],
    ['a letter beyond ASCII', '/auth/ä'],
    ['a wide slash', '/auth/\uff0f\uff0fevil.example'],
    ['a line end of Unicode', '/auth/\u2028'],
    ['encoded slashes', '/auth/%2f%2fevil.example'],
    ['an encoded slash beside a slash', '/auth/%2Fevil.example'],
    ['twice encoded slashes', '/auth/%252f%252fevil.example'],
    ['four times encoded slashes', '/auth/%2525252f%2525252fevil.example'],
    ['an encoded backslash', '/auth/%5cevil.example'],
    ['a twice encoded backslash', '/auth/%255Cevil.example'],
    ['an encoded tab', '/auth/%09/evil.example'],
    ['an encoded line end', '/auth/%0d%0aSet-Cookie:%20a=b'],
    ['a twice encoded line end', '/auth/%250d%250aSet-Cookie:%20a=b'],
    ['an encoded NUL', '/auth/%00'],
    ['an encoded control character of Latin', '/auth/%c2%85'],
    ['an encoded line end of Unicode', '/auth/%e2%80%a8'],
    ['an overlong slash', '/auth/%c0%afevil.example'],
    ['a twice encoded overlong slash', '/auth/%25c0%25afevil.example'],
    ['a step up', '/auth/../other/'],
    ['a step up at the end', '/auth/..'],
    ['a step up inside', '/auth/a/../b'],
    ['a step up behind an encoded question mark', '/auth/%3f/../../other'],
    ['an encoded step up', '/auth/%2e%2e/other/'],
    ['a half encoded step up', '/auth/.%2E/other/'],
    ['a twice encoded step up', '/auth/%252e%252e/other/'],
    ['a step up with an encoded slash', '/auth/..%2fother/'],
    ['a step on the spot', '/auth/./menu'],
    ['a path that is too long', `/auth/${'x'.repeat(1019)}`],
    ['percent signs that are encoded many times', `/auth/${'%25'.repeat(339)}2f/`],
  ])('X16: is the home page instead of %s', (_, returnTo) => {
    expect(safeReturnPath(returnTo, '/auth')).toBe('/auth/');
  });

  it.each([
    ['a step up before an encoded number sign', '/auth/..%23'],
    ['a step up before an encoded question mark', '/auth/..%3f'],
    ['a step up before a twice encoded number sign', '/auth/..%2523'],
    ['a half encoded step up before a split escape of a number sign', '/auth/.%2e%2%33'],
    ['a step up before an encoded space', '/auth/..%20'],
    ['an encoded question mark in the path', '/auth/a%3fb'],
    ['an encoded number sign in the path', '/auth/a%23b'],
  ])('H7: is the home page instead of %s', (_, returnTo) => {
    expect(safeReturnPath(returnTo, '/auth')).toBe('/auth/');
  });

  it.each([
    ['/menu', '/menu'],
    ['/', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/%2fevil.example', '/'],
    ['/.//evil.example', '/'],
    ['/..//evil.example', '/'],
    ['/@evil.example', '/@evil.example'],
    ['evil.example', '/'],
    ['', '/'],
  ])('X16: the page without a context path for the value "%s" is %s', (returnTo, expected) => {
    expect(safeReturnPath(returnTo, '')).toBe(expected);
  });

  it('X16: is on the same origin and below the context path for any value', () => {
    const hostile = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(''));
    const texts = fc.oneof(hostile, fc.webUrl(), fc.webPath(), fc.string({ unit: 'binary', maxLength: 40 }));
    fc.assert(
      fc.property(fc.constantFrom(...CONTEXTS), fc.boolean(), texts, (context, isBelow, text) => {
        const path = safeReturnPath(isBelow ? `${context}/${text}` : text, context);

        const { origin, pathname } = new URL(path, `${OWN}/somewhere/else`);
        expect(origin).toBe(OWN);
        expect(`${pathname}/`.startsWith(`${context}/`)).toBe(true);
        // A component that decodes the path once more stays on this origin, too.
        const again = new URL(decodedOnce(path), `${OWN}/somewhere/else`);
        expect(again.origin).toBe(OWN);
        expect(again.pathname.startsWith(`${context}/`)).toBe(true);
        expect(path).toMatch(/^\/[\x21-\x7e]*$/);
        expect(safeReturnPath(path, context)).toBe(path);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is unchanged for every plain path below the context path', () => {
    const segment = fc.string({
      unit: fc.constantFrom(...Array.from('abz019-_~!$&()*+,;=:@')),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.constantFrom(...CONTEXTS), fc.array(segment, { maxLength: 6 }), (context, segments) => {
        const path = `${context}/${segments.join('/')}`;
        expect(safeReturnPath(path, context)).toBe(path);
      }),
    );
  });
});

describe('the address of another application to return to', () => {
  const ALLOWED = ['https://portal.example', 'http://shop.example:8080'];

  it.each([
    'https://portal.example',
    'https://portal.example/',
    'https://portal.example/menu?tab=2&sort=up#top',
    'https://portal.example?tab=2',
    'https://portal.example#top',
    'https://portal.example//double/../step',
    'https://portal.example/a%0d%0ab',
    'https://portal.example/next=https://evil.example',
    'http://shop.example:8080/cart',
  ])('may be %s', (returnTo) => {
    expect(safeReturnUrl(returnTo, ALLOWED)).toBe(returnTo);
  });

  it.each([
    ['a missing value', undefined],
    ['an empty text', ''],
    ['a local path', '/menu'],
    ['another origin', 'https://evil.example/'],
    ['another scheme', 'http://portal.example/'],
    ['another port', 'https://portal.example:8443/'],
    ['a missing port', 'http://shop.example/'],
    ['a longer port', 'http://shop.example:80801/'],
    ['a longer name', 'https://portal.example.evil.example/'],
    ['a name that continues', 'https://portal.examples/'],
    ['a name below', 'https://evil.portal.example/'],
    ['a user before another host', 'https://portal.example@evil.example/'],
    ['a password before another host', 'https://portal.example:8080@evil.example/'],
    ['a user before the same host', 'https://user@portal.example/'],
    ['an encoded at sign', 'https://portal.example%40evil.example/'],
    ['a backslash behind the host', 'https://portal.example\\@evil.example/'],
    ['a backslash in the path', 'https://portal.example/\\evil.example'],
    ['backslashes for slashes', 'https:\\\\portal.example/'],
    ['a scheme without slashes', 'https:portal.example/'],
    ['one slash', 'https:/portal.example/'],
    ['three slashes', 'https:///portal.example/'],
    ['no scheme', '//portal.example/'],
    ['a tab in the host', 'https://portal\t.example/'],
    ['a line end', 'https://portal.example/\r\nSet-Cookie: a=b'],
    ['a space before', ' https://portal.example/'],
    ['a space behind', 'https://portal.example/ '],
    ['a letter beyond ASCII', 'https://portal.example/ä'],
    ['a full stop of another script', 'https://portal\u3002example/'],
    ['a dot behind the host', 'https://portal.example./'],
    ['a script', 'javascript:alert("https://portal.example/")'],
    ['data', 'data:text/html,https://portal.example/'],
    ['a text that is too long', `https://portal.example/${'x'.repeat(1024)}`],
  ])('X16: is not %s', (_, returnTo) => {
    expect(safeReturnUrl(returnTo, ALLOWED)).toBeUndefined();
  });

  it.each([
    ['HTTPS://PORTAL.EXAMPLE/', 'https://portal.example/'],
    ['https://Portal.Example/Menu?of=A', 'https://portal.example/Menu?of=A'],
    ['https://portal.example:443/menu', 'https://portal.example/menu'],
    ['https://portal.example:443', 'https://portal.example/'],
    ['http://SHOP.example:8080#top', 'http://shop.example:8080/#top'],
  ])('A4: %s is the address that a browser reads', (returnTo, expected) => {
    expect(safeReturnUrl(returnTo, ALLOWED)).toBe(expected);
  });

  it('X16: no address is allowed without a configured origin', () => {
    expect(safeReturnUrl('https://portal.example/', [])).toBeUndefined();
  });

  it('X16: has an allowed origin, as browsers read it, for any value', () => {
    const starts = ['', ...ALLOWED, 'https://portal.example.', 'https://portal.example:', 'https://portal.example@'];
    const hostile = fc.array(fc.constantFrom(...PIECES, ...starts), { maxLength: 8 }).map((pieces) => pieces.join(''));
    const texts = fc.oneof(hostile, fc.webUrl(), fc.string({ unit: 'binary', maxLength: 40 }));
    let allowed = 0;
    fc.assert(
      fc.property(fc.constantFrom(...starts), texts, (start, text) => {
        const url = safeReturnUrl(start + text, ALLOWED);

        if (url === undefined) return;
        allowed += 1;
        expect([start + text, new URL(start + text).href]).toContain(url);
        expect(ALLOWED).toContain(new URL(url, `${OWN}/somewhere/else`).origin);
        expect(new URL(url).username).toBe('');
        expect(url).toMatch(/^[\x21-\x7e]+$/);
      }),
      { numRuns: 5_000 },
    );
    expect(allowed).toBeGreaterThan(100);
  });
});

function decodedOnce(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, decodeURIComponent);
}
