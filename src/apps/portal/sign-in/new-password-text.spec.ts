import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { messagesOf } from '../../../signin/messages/messages.js';
import { isChangeDone, newPasswordText } from './new-password-text.js';

function rejected(field: string, code: string): ServiceError {
  return new ServiceError('VALIDATION_FAILED', { errors: [{ field, code }] });
}

describe('the text for a rejected new password', () => {
  it.each([
    ['too_short', 'The new password is too short. Use at least 15 characters.'],
    ['too_long', 'The new password is too long. Choose a shorter one.'],
    ['too_common', 'The new password is one of the most common passwords. Choose another one.'],
    ['breached', 'The new password has appeared in data breaches, so attackers know it. Choose another one.'],
    ['same_as_id', 'The new password must differ from the username.'],
    ['same_as_temporary', 'The new password must differ from the temporary one.'],
    ['malformed', 'The new password has characters that cannot be used. Choose another one.'],
    ['unexpected', 'Your password is not temporary and was not changed. Sign in with it.'],
    ['constructor', 'At least 15 characters. A few unrelated words work well.'],
  ])('A4: the code %s has the text: %s', (code, text) => {
    expect(newPasswordText(rejected('new_pw', code), 15)?.(messagesOf('en'))).toBe(text);
  });

  it('A4: an error about something else has no such text', () => {
    expect(newPasswordText(rejected('pw', 'too_long'), 8)).toBeUndefined();
    expect(newPasswordText(new ServiceError('INVALID_CREDENTIALS'), 8)).toBeUndefined();
  });

  it('A4: isChangeDone is true only if the password is no longer temporary', () => {
    expect(isChangeDone(rejected('new_pw', 'unexpected'))).toBe(true);
    expect(isChangeDone(rejected('new_pw', 'too_short'))).toBe(false);
    expect(isChangeDone(new ServiceError('INVALID_CREDENTIALS'))).toBe(false);
  });
});
