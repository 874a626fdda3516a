import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { messagesOf } from '../../../signin/messages/messages.js';
import { assertionIn, registrationIn, registrationText } from './passkey-field.js';

const MEMBERS = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} };

describe('the field of a passkey', () => {
  it('has the assertion, with the members that the service reads', () => {
    const response = { clientDataJSON: 'AA', authenticatorData: 'BB', signature: 'CC' };

    expect(assertionIn(JSON.stringify({ ...MEMBERS, response, more: 1 }))).toEqual({ ...MEMBERS, response });
  });

  it('has the registration, with the transports that are known', () => {
    const response = { clientDataJSON: 'AA', attestationObject: 'BB' };
    const field = JSON.stringify({ ...MEMBERS, response: { ...response, transports: ['usb', 'telepathy'] } });

    expect(registrationIn(field)).toEqual({ ...MEMBERS, response: { ...response, transports: ['usb'] } });
  });

  it.each(['', '{', 'null', '[]', '{}', JSON.stringify({ ...MEMBERS, response: {} })])(
    'is rejected with %j',
    (field) => {
      for (const read of [assertionIn, registrationIn]) {
        expect(() => read(field)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
      }
    },
  );

  it.each([
    ['not_allowed', 'Your organisation does not allow this kind of passkey. Use another device or security key.'],
    ['invalid', 'The passkey was not created. Try again.'],
  ])('a registration with the fault %s gets its own text', (code, text) => {
    const error = new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'credential', code }] });

    expect(registrationText(error)(messagesOf('en'))).toBe(text);
  });
});
