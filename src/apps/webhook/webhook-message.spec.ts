import { expect, it } from 'vitest';
import { ConversionProblem } from '../../config/problem.js';
import type { EventRow } from '../../identity/events/event-line.js';
import { bodyOf, webhookHeaders } from './webhook-message.js';
import { webhookSecret } from './webhook-secret.js';

const EVENT: EventRow = {
  ...{ id: '0193', at: 1_800_000_000_123, kind: 'MFA_OK', user_id: 's-1', actor: null, ip: '192.0.2.1', agent: null },
  ...{ request_id: null, idp: null, authn_context: null, amr: 'pwd otp', result: 'ok', reason: null, detail: null },
};

it('a message has the signature of the published example of Standard Webhooks', () => {
  const secret = webhookSecret.parse('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') as Uint8Array;
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };

  expect(webhookHeaders(message, 1_614_265_330, [secret])['webhook-signature']).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

it('two secrets give two signatures, and no secret gives no header', () => {
  const message = { id: 'a', body: '{}' };
  const [first, second] = [Buffer.alloc(24, 1), Buffer.alloc(24, 2)];
  const one = webhookHeaders(message, 1, [first])['webhook-signature'];
  const other = webhookHeaders(message, 1, [second])['webhook-signature'];

  expect(webhookHeaders(message, 1, [first, second])['webhook-signature']).toBe(`${one} ${other}`);
  expect(webhookHeaders(message, 1, [])).not.toHaveProperty('webhook-signature');
});

it('the body of an event has its facts, and no member for a fact that it lacks', () => {
  expect(JSON.parse(bodyOf(EVENT))).toEqual({
    version: 1,
    type: 'MFA_OK',
    timestamp: '2027-01-15T08:00:00.123Z',
    data: { id: '0193', user_id: 's-1', ip: '192.0.2.1', result: 'ok', amr: ['pwd', 'otp'] },
  });
});

it('the detail of an event is an object in its body', () => {
  const detail = '{"logger":"auth","new":"DEBUG"}';

  expect(JSON.parse(bodyOf({ ...EVENT, detail }))).toMatchObject({
    data: { detail: { logger: 'auth', new: 'DEBUG' } },
  });
});

it.each([
  ['too short', Buffer.alloc(23, 1).toString('base64')],
  ['too long', Buffer.alloc(65, 1).toString('base64')],
  ['not Base64', 'whsec_***'],
])('a secret that is %s is rejected', (_, text) => {
  expect(webhookSecret.parse(text)).toBeInstanceOf(ConversionProblem);
});
