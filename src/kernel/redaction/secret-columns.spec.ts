import { expect, it } from 'vitest';
import { isSecretColumn } from './secret-columns.js';

it.each([
  ...['password', 'password_hash', 'secret_hash', 'token_hash', 'hash', 'backupCode', 'code', 'totpSecret', 'sealed'],
  ...['sealed_successor', 'replaced_by', 'jti', 'otp', 'accessToken', 'relay_state', 'name_id', 'expired_key', 'pwd'],
  ...['expiredKey[12]', 'user.password', 'codes[0].code', 'pepper'],
])('%s is the name of a secret', (name) => {
  expect(isSecretColumn(name)).toBe(true);
});

it.each([
  ...[
    'id',
    'user',
    'user_id',
    'kind',
    'at',
    'ip',
    'limit',
    'before',
    'result',
    'reason',
    'events',
    'firstId',
    'item[3]',
  ],
  ...['expires_at', 'seal_key_id', 'idp', 'amr', 'login_id'],
])('%s is not the name of a secret', (name) => {
  expect(isSecretColumn(name)).toBe(false);
});
