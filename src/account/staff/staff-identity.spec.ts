import { expect, it } from 'vitest';
import { normalisedLoginId } from '../login-id.js';
import { shownLoginIds } from './staff-identity.js';

const ISSUER = 'https://idp.test/metadata';
const shown = (person: string): readonly string[] =>
  shownLoginIds('corp', { issuer: ISSUER, person }, (text) => normalisedLoginId(text, false));

it('staff are shown by their name, or else by a mark', () => {
  expect(shown('Ada')).toEqual(['corp:ada', expect.stringMatching(/^corp:~[a-z0-9]{20}$/)]);
});

it.each(['~', '～'])('X15: nobody takes the mark of somebody else by a name that begins with %s', (tilde) => {
  const [, mark = ''] = shown('ada');
  const name = `${tilde}${mark.slice('corp:~'.length)}`;

  expect(shown(name)).not.toContain(mark);
  expect(shown(name)).toHaveLength(1);
});
