import { expect, it } from 'vitest';
import { contentOf } from '../../../../test/support/pages/views.js';
import { type SignInFields, signInPage } from './sign-in-page.js';

function pageWith(idps: SignInFields['idps'], returnTo = '/auth/'): string {
  const facts = {
    action: '/auth/portal/login',
    csrf: 'token',
    returnTo,
    address: '/auth/portal/login?return_to=',
    minLength: 8,
  };
  return contentOf(signInPage({ ...facts, idps })).body.html;
}

it('the sign-in page links to every identity provider with return_to', () => {
  const page = pageWith(
    [
      { name: 'corp', displayName: 'Head office' },
      { name: 'shops-2', displayName: 'Shops' },
    ],
    '/auth/menu?a=b&c=d',
  );

  const links = [...page.matchAll(/href="([^"]*)">([^<]*)<\/a>/g)].map(([, href, text]) => [href, text]);
  expect(links).toEqual([
    ['/auth/saml/corp/login?return_to=%2Fauth%2Fmenu%3Fa%3Db%26c%3Dd', 'Continue with Head office'],
    ['/auth/saml/shops-2/login?return_to=%2Fauth%2Fmenu%3Fa%3Db%26c%3Dd', 'Continue with Shops'],
  ]);
});

it('the sign-in page has no links without identity providers', () => {
  expect(pageWith([])).not.toMatch(/Continue with|<a /);
});

it('the sign-in page escapes the name and the display name of an identity provider', () => {
  const hostile = `"><script>alert('1')</script>&lt;`;

  const page = pageWith([{ name: hostile, displayName: hostile }]);

  expect(page).not.toContain('<script');
  expect(page).toContain('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;lt;</a>');
  expect(page).toContain(
    'href="/auth/saml/%22%3E%3Cscript%3Ealert(&#39;1&#39;)%3C%2Fscript%3E%26lt%3B/login?return_to=',
  );
});
