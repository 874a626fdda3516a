import { describe, expect, it } from 'vitest';
import { contentOf, PAGES } from '../../../../test/support/pages/views.js';
import { type ErrorCode, STATUS } from '../../../kernel/errors/error-code.js';
import { problemPage } from './problem-page.js';

const CODES = Object.keys(STATUS) as readonly ErrorCode[];

describe.each(PAGES.catalogue.languages)('error pages in the language %s', (language) => {
  it.each(CODES)('the error page of %s shows the text for users and, small, the code and the request id', (code) => {
    const { body } = contentOf(problemPage({ code, requestId: 'request-1' }, '/portal/login'), language);
    const { errors, common } = PAGES.catalogue.messagesOf(language);

    expect(body.html).toContain(`<p>${errors[code]}</p>`);
    expect(body.html).toContain(`<small>${common.reference(code, 'request-1')}</small>`);
    expect(body.html).toMatch(/href="\/auth\/(?:portal\/login)?"/);
    expect(body.html).not.toMatch(/<script|<form/);
  });
});

it.each([
  ['INVALID_TOKEN', '/auth/portal/login', 'Sign in'],
  ['SAML_RESPONSE_INVALID', '/auth/portal/login', 'Sign in'],
  ['NOT_FOUND', '/auth/', 'Go to the home page'],
  ['INTERNAL_ERROR', '/auth/', 'Go to the home page'],
] as const)('after %s the error page leads to %s', (code, path, label) => {
  const { body } = contentOf(problemPage({ code, requestId: 'request-1' }, '/portal/login'));

  expect(body.html).toContain(`href="${path}">${label}</a>`);
});

it.each([
  [1, '1 second'],
  [2, '2 seconds'],
  [119, '119 seconds'],
  [120, '2 minutes'],
  [241, '5 minutes'],
  [3600, '60 minutes'],
])('an error page with a wait of %i seconds asks to try again in %s', (waitSeconds, told) => {
  const { body } = contentOf(problemPage({ code: 'MFA_LOCKED', requestId: 'request-1', waitSeconds }, '/'));

  expect(body.html).toContain(`<p>Try again in ${told}.</p>`);
});

it('U8: an error page that the browser requests again by itself says so', () => {
  const shown = { code: 'UNAVAILABLE', requestId: 'request-1', waitSeconds: 5, isRepeated: true } as const;
  const { body } = contentOf(problemPage(shown, '/'));

  expect(body.html).toContain('<p>This page tries again by itself in 5 seconds.</p>');
});
