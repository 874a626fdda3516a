import { expect, it } from 'vitest';
import { type Answer, basic, HttpClient } from '../support/http/http-client.js';
import { PASSWORD, storyOn } from '../support/login/login-story.js';
import { OPERATOR } from '../support/management/management.js';
import { onAnyEngine } from '../support/database/story-database.js';
import { waitUntil } from '../support/runner/wait-until.js';

interface Row {
  readonly actor: string | null;
  readonly user_id: string | null;
  readonly ip: string | null;
  readonly request_id: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
}

onAnyEngine('H4: log level changes', (engine) => {
  const story = storyOn(engine, {
    others: { manager: 'ROLE_MANAGEMENT' },
    args: [
      `--management.security.user=${OPERATOR.user}`,
      `--management.security.password=${OPERATOR.password}`,
      // Lets the manager sign in by password and enrol.
      '--app.security.mfa.required-roles=ROLE_ADMIN',
    ],
  });

  const change = (name: string, body: object, headers = basic(OPERATOR.user, OPERATOR.password)): Promise<Answer> =>
    new HttpClient(`${story.service.url}/actuator`).post(`/loggers/${name}`, body, { headers });
  const events = async (): Promise<readonly (Omit<Row, 'detail'> & { readonly detail: unknown })[]> => {
    const rows = await story.database.query<Row>(
      "SELECT * FROM security_event WHERE kind = 'LOGLEVEL_CHANGED' ORDER BY id",
    );
    return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail ?? 'null') as unknown }));
  };
  const linesAbout = (text: string): number => story.service.log.filter((line) => line.includes(text)).length;

  it('H4: a log level change records a security event with actor, logger, old and new level', async () => {
    const { accessToken } = await story.enrolled({ id: 'manager', password: PASSWORD });

    await change('auth', { configuredLevel: 'DEBUG' });
    await change('auth', { configuredLevel: 'WARN' }, { authorization: `Bearer ${accessToken}` });
    await change('auth', { configuredLevel: 'WARN' });
    await change('sql', { configuredLevel: 'DEBUG' });

    const subject = await story.subjectOf({ id: 'manager' });
    expect(await events()).toMatchObject([
      {
        actor: OPERATOR.user,
        user_id: null,
        ip: '127.0.0.1',
        detail: { logger: 'auth', old: 'INFO (inherited)', new: 'DEBUG' },
      },
      { actor: subject, detail: { logger: 'auth', old: 'DEBUG', new: 'WARN' } },
      { actor: OPERATOR.user, detail: { logger: 'orm.sql', old: 'INFO (inherited)', new: 'DEBUG' } },
      { actor: OPERATOR.user, detail: { logger: 'mapper', old: 'INFO (inherited)', new: 'DEBUG' } },
    ]);
  });

  it.each(['management', 'events', 'ROOT'])(
    'H4: a log level change is logged and recorded even if it silences %s, and so is the next one',
    async (silenced) => {
      const before = (await events()).length;
      const name = `after.${silenced}`;

      await change(silenced, { configuredLevel: 'OFF' });
      await change(name, { configuredLevel: 'DEBUG', duration: '15m' });
      story.clock.advance(15 * 60);
      const recorded = await waitUntil('all three events are recorded', async () => {
        const found = (await events()).slice(before);
        return found.length === 3 ? found : undefined;
      });

      expect(recorded).toMatchObject([
        { actor: OPERATOR.user, detail: { logger: silenced, new: 'OFF' } },
        { actor: OPERATOR.user, detail: { logger: name, new: 'DEBUG' } },
        { actor: 'service', ip: null, request_id: null, reason: 'time_over', detail: { logger: name, old: 'DEBUG' } },
      ]);
      await waitUntil('all lines are written', () => linesAbout(`The level of logger ${name} changes`) === 2);
      expect(linesAbout(`The level of logger ${silenced} changes`)).toBe(1);
      await waitUntil('the lines of the events are written', () => linesAbout('LOGLEVEL_CHANGED') >= before + 3);
      await change(silenced, {});
    },
  );
});
