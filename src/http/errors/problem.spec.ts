import { BadRequestException, ForbiddenException, ServiceUnavailableException } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/service-error.js';
import { StepUpRequired } from '../../principal/amr.js';
import { HttpError } from './http-error.js';
import { defectCode, problemBody, problemHeaders, serviceErrorOf } from './problem.js';
import { ServerErrorProperties } from '../server.properties.js';

const place = { instance: '/login', requestId: 'request-1', millis: Date.UTC(2030, 0, 2, 3, 4, 5, 6) };
const shown = { includeMessage: 'always', includeStacktrace: 'always' } satisfies ServerErrorProperties;

function bodyOf(error: unknown, properties: ServerErrorProperties = new ServerErrorProperties()): unknown {
  return JSON.parse(problemBody(error, place, properties));
}

describe('a problem body', () => {
  it('has the members of the contract, and no more', () => {
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

  it('is the same for every reason behind a refusal', () => {
    const unknown = bodyOf(new ServiceError('INVALID_CREDENTIALS', { reason: 'unknown' }), shown) as object;
    const wrong = bodyOf(new ServiceError('INVALID_CREDENTIALS', { reason: 'wrong_password' }), shown) as object;

    expect({ ...unknown, trace: undefined }).toEqual({ ...wrong, trace: undefined });
  });

  it('names the members that do not fit', () => {
    const errors = [{ field: 'id', code: 'required' }];

    expect(bodyOf(new ServiceError('VALIDATION_FAILED', { errors }))).toMatchObject({ errors });
    expect(bodyOf(new ServiceError('VALIDATION_FAILED'))).toMatchObject({ errors: [] });
  });

  it('tells detail and trace only where they are switched on, and never a reason or a folder', () => {
    const error = new ServiceError('UNAVAILABLE', { reason: 'upload not stored', cause: new Error('driver text') });

    const silent = problemBody(error, place, new ServerErrorProperties());
    const told = problemBody(error, place, shown);

    expect(silent).not.toMatch(/detail|trace/);
    expect(JSON.parse(told)).toMatchObject({ detail: expect.stringContaining('Retry-After') as string });
    expect(JSON.parse(told)).toMatchObject({ trace: expect.stringMatching(/^ServiceError\n\s+at /) as string });
    expect(told).not.toMatch(/upload not stored|driver text/);
  });

  it('L4 says nothing of a defect', () => {
    const error = new Error("ER_DUP_ENTRY: INSERT INTO account VALUES ('x') at /srv/login/dist/main.js");

    expect(problemBody(error, place, new ServerErrorProperties())).not.toMatch(/ER_DUP|INSERT|\/srv/);
    expect(bodyOf(error)).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
  });

  it('shortens the paths of a trace', () => {
    const error = new Error('x');
    error.stack =
      'Error: x\n    at f (file:///srv/login/dist/auth/a.js:1:2)\n    at /srv/login/node_modules/b/c.js:3:4';

    expect(bodyOf(error, shown)).toMatchObject({
      trace: 'Error\n    at f (dist/auth/a.js:1:2)\n    at node_modules/b/c.js:3:4',
    });
  });
});

describe('headers of a refusal', () => {
  it.each([
    ['a whole number of seconds', { retryAfterSeconds: 299.2 }, '300'],
    ['at least one second', { retryAfterSeconds: 0 }, '1'],
    ['a second where nobody said how long', {}, '1'],
  ])('ask to wait: %s', (_, facts, expected) => {
    expect(problemHeaders(new ServiceError('RATE_LIMITED', facts))).toEqual({ 'retry-after': expected });
  });

  it('ask for a token where there is none, or as the service says', () => {
    const challenge = 'Bearer error="invalid_token"';

    expect(problemHeaders(new ServiceError('INVALID_TOKEN'))).toEqual({ 'www-authenticate': 'Bearer' });
    expect(problemHeaders(new HttpError('INVALID_TOKEN', { challenge }))).toEqual({ 'www-authenticate': challenge });
    expect(problemHeaders(new ServiceError('INVALID_CREDENTIALS'))).toEqual({});
  });

  it('name the missing authentication as in RFC 9470 section 3', () => {
    expect(problemHeaders(new StepUpRequired({ method: 'otp', maxAge: 300 }))).toEqual({
      'www-authenticate':
        'Bearer error="insufficient_user_authentication", acr_values="urn:login:acr:mfa", max_age="300"',
    });
  });

  it.each([new StepUpRequired({ method: 'pwd' }), new HttpError('INVALID_TOKEN', { challenge: 'Bearer error="x"' })])(
    'stay the same for an error that gets a page of its own: %s',
    (error) => {
      expect(problemHeaders(HttpError.withPage(error, '<p>page</p>'))).toEqual(problemHeaders(error));
    },
  );
});

describe('what is no refusal of a service', () => {
  const fastifyError = (code: string, statusCode: number): Error =>
    Object.assign(new Error('text'), { code, statusCode });

  it.each([
    ['a guard that says no', new ForbiddenException(), 'ACCESS_DENIED'],
    ['a pipe of the framework', new BadRequestException(), 'VALIDATION_FAILED'],
    ['overload', new ServiceUnavailableException(), 'UNAVAILABLE'],
    ['a body over its limit', fastifyError('FST_ERR_CTP_BODY_TOO_LARGE', 413), 'PAYLOAD_TOO_LARGE'],
    ['a media type without reader', fastifyError('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415), 'UNSUPPORTED_MEDIA_TYPE'],
    ['a bad path', fastifyError('FST_ERR_BAD_URL', 400), 'VALIDATION_FAILED'],
    ['a long path parameter', fastifyError('FST_ERR_MAX_PARAM_LENGTH', 414), 'NOT_FOUND'],
    ['a defect of the framework', fastifyError('FST_ERR_REP_INVALID_PAYLOAD_TYPE', 500), 'INTERNAL_ERROR'],
    ['a library that met a 404 of its own', fastifyError('ERR_BAD_RESPONSE', 404), 'INTERNAL_ERROR'],
    ['a plain error', new TypeError('x is undefined'), 'INTERNAL_ERROR'],
    ['no error at all', 'text', 'INTERNAL_ERROR'],
  ])('is mapped: %s', (_, error, code) => {
    expect(serviceErrorOf(error).code).toBe(code);
  });
});

describe('a defect', () => {
  it('is something that broke, and no plain refusal', () => {
    const outOfReach = new ServiceError('UNAVAILABLE', { cause: new Error('ECONNREFUSED') });

    expect(defectCode(new TypeError('x'))).toBe('INTERNAL_ERROR');
    expect(defectCode(outOfReach)).toBe('UNAVAILABLE');
    expect(defectCode(new ServiceError('UNAVAILABLE'))).toBeUndefined();
    expect(defectCode(new ServiceError('INVALID_TOKEN', { cause: new Error('x') }))).toBeUndefined();
  });
});
