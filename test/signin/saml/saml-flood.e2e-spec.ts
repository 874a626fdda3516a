import { expect, it } from 'vitest';
import { PASSWORD_CLASS, staffStoryOn } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';

/** The number of events that one network can record within ten minutes, and some more. */
const RECORDED = 1000;
const MORE = 25;

onSqlite('a flood of invalid SAML messages', (engine) => {
  const staff = staffStoryOn(engine, { corp: {} });

  it('a flood of invalid messages records a limited number of events and does not block other users at its address', async () => {
    const stranger = staff.client();
    const codes = new Set<unknown>();
    const post = async (): Promise<void> => {
      for (let count = 0; count < (RECORDED + MORE) / 5; count += 1) {
        const { status, body } =
          count % 2 === 0
            ? await staff.arrive(stranger, { SAMLResponse: 'bm9uc2Vuc2U=' })
            : await stranger.send('POST', '/saml/corp/slo', { form: { SAMLRequest: 'bm9uc2Vuc2U=' } });
        codes.add(`${status} ${String(body['code'])}`);
      }
    };

    await Promise.all(Array.from({ length: 5 }, post));

    expect([...codes]).toEqual(['401 SAML_RESPONSE_INVALID']);
    expect(await staff.samlEvents()).toHaveLength(RECORDED);
    const { answer } = await staff.signIn({ nameId: 'ada', authnContextClassRef: PASSWORD_CLASS });
    expect(answer.status).toBe(303);
    expect((await staff.samlEvents()).at(-1)).toMatchObject({ kind: 'SAML_OK', idp: 'corp' });
  }, 60_000);
});
