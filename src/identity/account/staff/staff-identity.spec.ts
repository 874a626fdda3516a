import { expect, it } from 'vitest';
import { LoginIds } from '../login-id.js';
import { shownLoginIds } from './staff-identity.js';

const ISSUER = 'https://idp.test/metadata';
const loginIds = new LoginIds({ caseSensitive: false });
const shown = (person: string): readonly string[] =>
  shownLoginIds('corp', { issuer: ISSUER, person }, (text) => loginIds.formOf(text));

it('the login id of staff is their name, or else a generated one', () => {
  expect(shown('Ada')).toEqual(['corp:ada', expect.stringMatching(/^corp:~[a-z0-9]{20}$/)]);
});

it.each(['~', '～'])(
  'X15: a name that begins with %s cannot become the generated login id of another person',
  (tilde) => {
    const [, mark = ''] = shown('ada');
    const name = `${tilde}${mark.slice('corp:~'.length)}`;

    expect(shown(name)).not.toContain(mark);
    expect(shown(name)).toHaveLength(1);
  },
);
