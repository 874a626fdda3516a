import { BadRequestException, ForbiddenException, ServiceUnavailableException } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { type RequiredLogin, StepUpRequired } from '../../../kernel/principal/amr.js';
import { html } from '../../../kernel/encoding/html.js';
import { View } from '../page/view.js';
import { HttpError } from './http-error.js';
import { problemBody, problemHeaders, serviceErrorOf, failureKindOf } from './problem.js';
import { ServerErrorProperties } from '../server.properties.js';

const PAGE = new View(() => ({ title: 'page', body: html`` }));

const place = { instance: '/login', requestId: 'request-1', millis: Date.UTC(2030, 0, 2, 3, 4, 5, 6) };
const shown = { includeMessage: 'always', includeStacktrace: 'always' } satisfies ServerErrorProperties;

function bodyOf(error: unknown, properties: ServerErrorProperties = new ServerErrorProperties()): unknown {
  return JSON.parse(problemBody(error, place, properties));
}

describe('a problem body', () => {
  it('has exactly the members of the contract', () => {
    expect(bodyOf(new ServiceError('MFA_LOCKED', { reason: 'busy', retryAfterSeconds: 300 }))).toEqual({
      type: 'urn:login:error:mfa-locked',
      title: 'The second factor is locked',
      status: 429,
      instance: '/login',
      code: 'MFA_LOCKED',
      timestamp: '2030-01-02T03:04:05.006Z',
      request_id: 'request-1',
    });
  });

  it('is the same for every reason of an error', () => {
    const unknown = bodyOf(new ServiceError('INVALID_CREDENTIALS', { reason: 'unknown' }), shown) as object;
    const wrong = bodyOf(new ServiceError('INVALID_CREDENTIALS', { reason: 'wrong_password' }), shown) as object;

    expect({ ...unknown, trace: undefined }).toEqual({ ...wrong, trace: undefined });
  });

  it('lists invalid members in errors', () => {
    const errors = [{ field: 'id', code: 'required' }];

    expect(bodyOf(new ServiceError('VALIDATION_FAILED', { errors }))).toMatchObject({ errors });
    expect(bodyOf(new ServiceError('VALIDATION_FAILED'))).toMatchObject({ errors: [] });
  });

  it.each(['pwd', 'otp', 'mfa'] as const)(
    'names the method %s that a step-up requires, and nothing for other errors',
    (method) => {
      const error = new StepUpRequired({ method, maxAge: 300 });

      expect(bodyOf(error)).toMatchObject({ code: 'STEP_UP_REQUIRED', required: method });
      expect(bodyOf(HttpError.withPage(error, PAGE))).toMatchObject({ required: method });
      expect(bodyOf(new ServiceError('ACCESS_DENIED'))).not.toHaveProperty('required');
    },
  );

  it('contains detail and trace only if they are enabled, and never a reason', () => {
    const error = new ServiceError('UNAVAILABLE', { reason: 'upload not stored', cause: new Error('driver text') });

    const silent = problemBody(error, place, new ServerErrorProperties());
    const body = problemBody(error, place, shown);

    expect(silent).not.toMatch(/detail|trace/);
    expect(JSON.parse(body)).toMatchObject({ detail: expect.stringContaining('Retry-After') as string });
    expect(JSON.parse(body)).toMatchObject({ trace: expect.stringMatching(/^ServiceError\n\s+at /) as string });
    expect(body).not.toMatch(/upload not stored|driver text/);
  });

  it('L4: discloses nothing about a defect', () => {
    const error = new Error("ER_DUP_ENTRY: INSERT INTO account VALUES ('x') at /srv/login/dist/main.js");

    expect(problemBody(error, place, new ServerErrorProperties())).not.toMatch(/ER_DUP|INSERT|\/srv/);
    expect(bodyOf(error)).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
  });

  it('contains a trace with relative paths', () => {
    const error = new Error('x');
    error.stack =
      'Error: x\n    at f (file:///srv/login/builds/2026-11-29/auth/a.js:1:2)\n    at g (/srv/login/dist/b.js:1:1)\n    at /srv/login/node_modules/b/c.js:3:4';

    expect(bodyOf(error, shown)).toMatchObject({
      trace: 'Error\n    at f (dist/auth/a.js:1:2)\n    at g (dist/b.js:1:1)\n    at node_modules/b/c.js:3:4',
    });
  });
});

describe('headers of an error response', () => {
  it.each([
    ['rounded up to whole seconds', { retryAfterSeconds: 299.2 }, '300'],
    ['at least one second', { retryAfterSeconds: 0 }, '1'],
    ['1 if the error does not state seconds', {}, '1'],
  ])('contain Retry-After, %s', (_, facts, expected) => {
    expect(problemHeaders(new ServiceError('RATE_LIMITED', facts))).toEqual({ 'retry-after': expected });
  });

  it('contain the challenge of the error, or Bearer for INVALID_TOKEN', () => {
    const challenge = 'Bearer error="invalid_token"';

    expect(problemHeaders(new ServiceError('INVALID_TOKEN'))).toEqual({ 'www-authenticate': 'Bearer' });
    expect(problemHeaders(new HttpError('INVALID_TOKEN', { challenge }))).toEqual({ 'www-authenticate': challenge });
    expect(problemHeaders(new ServiceError('INVALID_CREDENTIALS'))).toEqual({});
  });

  it.each<[RequiredLogin, string, string]>([
    [{ method: 'otp' }, 'A one-time code (otp) is required', 'acr_values="urn:login:acr:mfa"'],
    [
      { method: 'otp', maxAge: 300 },
      'A one-time code (otp) is required, proven at most 300 seconds ago',
      'acr_values="urn:login:acr:mfa", max_age="300"',
    ],
    [{ method: 'mfa' }, 'A second factor is required', 'acr_values="urn:login:acr:mfa"'],
    [
      { method: 'mfa', maxAge: 300 },
      'A second factor is required, proven at most 300 seconds ago',
      'acr_values="urn:login:acr:mfa", max_age="300"',
    ],
    [
      { method: 'pwd', maxAge: 60 },
      'A sign-in is required, proven at most 60 seconds ago',
      'acr_values="urn:login:acr:pwd", max_age="60"',
    ],
  ])('name the required login %j as in RFC 9470 section 3, and in words', (required, description, rest) => {
    const challenge = `Bearer error="insufficient_user_authentication", error_description="${description}", ${rest}`;

    expect(problemHeaders(new StepUpRequired(required))).toEqual({ 'www-authenticate': challenge });
    // RFC 6750 section 3 limits the characters of the description.
    expect(description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  it.each([new StepUpRequired({ method: 'pwd' }), new HttpError('INVALID_TOKEN', { challenge: 'Bearer error="x"' })])(
    'stay the same if the error gets its own page: %s',
    (error) => {
      expect(problemHeaders(HttpError.withPage(error, PAGE))).toEqual(problemHeaders(error));
    },
  );
});

describe('an exception other than a ServiceError', () => {
  const fastifyError = (code: string, statusCode: number): Error =>
    Object.assign(new Error('text'), { code, statusCode });

  it.each([
    ['a rejection by a guard of Nest', new ForbiddenException(), 'ACCESS_DENIED'],
    ['a rejection by a pipe of Nest', new BadRequestException(), 'VALIDATION_FAILED'],
    ['overload', new ServiceUnavailableException(), 'UNAVAILABLE'],
    ['a body over its limit', fastifyError('FST_ERR_CTP_BODY_TOO_LARGE', 413), 'PAYLOAD_TOO_LARGE'],
    ['a media type without a parser', fastifyError('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415), 'UNSUPPORTED_MEDIA_TYPE'],
    ['a bad path', fastifyError('FST_ERR_BAD_URL', 400), 'VALIDATION_FAILED'],
    ['a long path parameter', fastifyError('FST_ERR_MAX_PARAM_LENGTH', 414), 'NOT_FOUND'],
    ['a defect of the framework', fastifyError('FST_ERR_REP_INVALID_PAYLOAD_TYPE', 500), 'INTERNAL_ERROR'],
    ['an error of a library with a status', fastifyError('ERR_BAD_RESPONSE', 404), 'INTERNAL_ERROR'],
    ['a plain error', new TypeError('x is undefined'), 'INTERNAL_ERROR'],
    ['a thrown text', 'text', 'INTERNAL_ERROR'],
  ])('is mapped to an error code: %s', (_, error, code) => {
    expect(serviceErrorOf(error).code).toBe(code);
  });
});

describe('troubleOf', () => {
  it('is set for defects, and for UNAVAILABLE with a cause that the log does not name yet', () => {
    const cause = new Error('ECONNREFUSED');
    const outOfReach = new ServiceError('UNAVAILABLE', { cause });

    expect(failureKindOf(new TypeError('x'))).toBe('defect');
    expect(failureKindOf(outOfReach)).toBe('failure');
    expect(failureKindOf(new ServiceError('UNAVAILABLE'))).toBeUndefined();
    expect(failureKindOf(new ServiceError('UNAVAILABLE', { cause, isReported: true }))).toBeUndefined();
    expect(failureKindOf(HttpError.withPage(outOfReach, PAGE))).toBe('failure');
    expect(failureKindOf(HttpError.withPage(new ServiceError('UNAVAILABLE'), PAGE))).toBeUndefined();
    expect(failureKindOf(new ServiceError('INVALID_TOKEN', { cause: new Error('x') }))).toBeUndefined();
  });
});
