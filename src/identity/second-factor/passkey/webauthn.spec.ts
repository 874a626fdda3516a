import { describe, expect, it } from 'vitest';
import { clientDataOf } from './webauthn.js';

const GENUINE = '{"type":"webauthn.get","challenge":"abc","origin":"https://login.test","crossOrigin":false}';

function read(text: string | Buffer): ReturnType<typeof clientDataOf> {
  return clientDataOf(Buffer.from(text).toString('base64url'));
}

describe('clientDataOf', () => {
  it.each([
    ['as browsers write it', GENUINE],
    ['with a byte order mark', `\uFEFF${GENUINE}`],
    ['with unknown members and spaces', GENUINE.replace('}', ', "more": { "a": [1] } }')],
    ['without crossOrigin', GENUINE.replace(',"crossOrigin":false', '')],
  ])('reads client data %s', (_, text) => {
    expect(read(text)).toEqual({ challenge: 'abc', isCrossOrigin: false });
  });

  it.each([
    ['crossOrigin', GENUINE.replace('false', 'true')],
    ['a crossOrigin that is not a boolean', GENUINE.replace('false', '0')],
    ['topOrigin', GENUINE.replace('}', ',"topOrigin":"https://login.test"}')],
  ])('treats client data with %s as those of a frame', (_, text) => {
    expect(read(text)).toEqual({ challenge: 'abc', isCrossOrigin: true });
  });

  it.each([
    ['a member twice', GENUINE.replace('{', '{"origin":"https://evil.example",')],
    ['a member twice in two spellings', GENUINE.replace('{', String.raw`{"orig\u0069n":"https://evil.example",`)],
    ['two byte order marks', `\uFEFF\uFEFF${GENUINE}`],
    ['text after it', `${GENUINE}{}`],
    ['bytes that are not UTF-8', Buffer.from(GENUINE, 'utf16le')],
    ['a challenge that is a number', GENUINE.replace('"abc"', '7')],
    ['no challenge', '{}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['nothing', ''],
  ])('rejects client data with %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });
});
