import { expect, it } from 'vitest';
import { STATUS } from '../../errors/error-code.js';
import { TEXT } from '../../errors/error-text.js';
import type { ErrorCode } from '../../errors/error-code.js';
import { problemPage } from './problem-page.js';

const CODES = Object.keys(STATUS) as readonly ErrorCode[];

it.each(CODES)('the error page of %s shows the text for users, the code and the request id', (code) => {
  const page = problemPage({ code, requestId: 'request-1' }, '/auth/portal/login');

  expect(page).toContain(`<p>${TEXT[code].page ?? `${TEXT[code].title}.`}</p>`);
  expect(page).toContain(`<code>${code}</code>, request <code>request-1</code>`);
  expect(page).toContain('<a href="/auth/portal/login">Sign in</a>');
  expect(page).not.toMatch(/Try again in|<script|<form/);
});

it.each([
  [1, '1 second'],
  [2, '2 seconds'],
  [119, '119 seconds'],
  [120, '2 minutes'],
  [241, '5 minutes'],
  [3600, '60 minutes'],
])('an error page with a wait of %i seconds asks to try again in %s', (waitSeconds, told) => {
  const page = problemPage({ code: 'MFA_LOCKED', requestId: 'request-1', waitSeconds }, '/');

  expect(page).toContain(`<p>Try again in ${told}.</p>`);
});
