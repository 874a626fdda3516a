import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../identity/account/language.js';
import { messagesOf } from './messages.js';

/** Every text by its path; a function is called with an example for each of its parameters. */
function textsOf(node: unknown, path = ''): readonly (readonly [string, string])[] {
  if (typeof node === 'string') return [[path, node]];
  if (typeof node === 'function') return [1, 2, 7].map((example) => [path, called(node as Text, example)] as const);
  return Object.entries(node as object).flatMap(([key, value]) => textsOf(value, path === '' ? key : `${path}.${key}`));
}

type Text = (...parts: readonly unknown[]) => string;

/** Parameters are numbers or names; both kinds accept an object that is written as a number. */
function called(text: Text, example: number): string {
  return text(...Array.from({ length: Math.max(text.length, 2) }, () => example));
}

function pathsOf(language: (typeof LANGUAGES)[number]): readonly string[] {
  return [...new Set(textsOf(messagesOf(language)).map(([path]) => path))].toSorted();
}

describe.each(LANGUAGES)('the catalogue in the language %s', (language) => {
  it('has the same keys as English', () => {
    expect(pathsOf(language)).toEqual(pathsOf('en'));
  });

  it('has no empty text and no placeholder that was not replaced', () => {
    for (const [path, text] of textsOf(messagesOf(language))) {
      expect(text.trim(), path).not.toBe('');
      expect(text, path).not.toMatch(/undefined|NaN|\[object|\$\{|\s{2}/);
    }
  });

  it('names its language and a tag that browsers know', () => {
    const { tag, languageName } = messagesOf(language);

    expect(Intl.getCanonicalLocales(tag)).toEqual([tag]);
    expect(new Intl.DisplayNames([tag], { type: 'language' }).of(tag)).toBe(languageName);
  });
});

describe('the Korean texts', () => {
  /** English words in Korean texts: names of products, formats and codes. */
  const NAMES =
    /Google Authenticator|Microsoft Authenticator|2FAS|QR|PIN|JavaScript|JSON lines|https?(?::\/\/)?|backup-codes\.txt|PDF|SVG|CSV|JSON|IP|SMS|ID|HTML|TOTP|ROLE_[A-Z_]+|SAML|login_id|password(?:_hash)?|otpauth_uri|otpauth:\/\/totp|^email(?:_verified)?|^name|^groups|^roles|true|false|UTF-8|Argon2|\{?bcrypt\}?|scrypt|PBKDF2|SHA1|Base32|4F7K-9QWD/g;

  it('contain no English sentence, only names', () => {
    const texts = textsOf(messagesOf('ko')).filter(([path]) => path !== 'tag');

    expect(texts.length).toBeGreaterThan(100);
    for (const [path, text] of texts) {
      expect(text.replaceAll(NAMES, ''), path).not.toMatch(/[a-z]{2,}/i);
    }
  });

  it('end politely if they are sentences', () => {
    const sentences = textsOf(messagesOf('ko')).filter(([, text]) => /[.?]$/.test(text));

    for (const [path, text] of sentences) {
      expect(text, path).toMatch(/(?:니다|시오|까|세요|십시오)[.?]$/);
    }
    expect(sentences.length).toBeGreaterThan(50);
  });
});
