import { expect, it } from 'vitest';
import { basic, HttpClient } from '../support/http/http-client.js';
import { storyOn } from '../support/login/login-story.js';
import { onSqlite } from '../support/database/story-database.js';

const OPERATOR = ['ops', 'a random password of an operator'] as const;
const SCRAPER = ['prometheus', 'a random password of a scraper'] as const;

onSqlite('S5: the monitoring account of the management endpoints', (engine) => {
  const story = storyOn(engine, {
    args: [
      ...[`--management.security.user=${OPERATOR[0]}`, `--management.security.password=${OPERATOR[1]}`],
      ...[`--management.security.monitoring.user=${SCRAPER[0]}`],
      ...[`--management.security.monitoring.password=${SCRAPER[1]}`],
      '--management.endpoints.web.exposure.include=*',
      ...['shutdown', 'heapdump'].map((id) => `--management.endpoint.${id}.access=unrestricted`),
      '--logging.file.name=login.log',
    ],
  });
  const client = (): HttpClient => new HttpClient(`${story.service.url}/actuator`);
  const headers = basic(...SCRAPER);

  it('S5: the monitoring account reads metrics, log levels and the discovery page', async () => {
    for (const path of ['', '/prometheus', '/metrics', '/metrics/login.attempts', '/info', '/loggers', '/health']) {
      expect(await client().get(path, { headers }), path).toBeAnswered(200);
    }
  });

  it('S5: the monitoring account changes nothing and reads nothing that shows secrets', async () => {
    for (const path of ['/env', '/env/server.port', '/configprops', '/logfile', '/heapdump']) {
      expect(await client().get(path, { headers }), path).toBeRefused(403, 'ACCESS_DENIED');
    }
    const level = { configuredLevel: 'DEBUG' };
    expect(await client().post('/loggers/auth', level, { headers })).toBeRefused(403, 'ACCESS_DENIED');
    expect(await client().send('DELETE', '/caches', { headers })).toBeRefused(403, 'ACCESS_DENIED');
    expect(await client().post('/shutdown', {}, { headers })).toBeRefused(403, 'ACCESS_DENIED');
    const operator = { headers: basic(...OPERATOR) };
    expect(await client().post('/loggers/auth', level, operator)).toBeAnswered(204);
  });

  it('S5: neither account has the password of the other one', async () => {
    for (const [user, password] of [
      [SCRAPER[0], OPERATOR[1]],
      [OPERATOR[0], SCRAPER[1]],
    ] as const) {
      const answer = await client().get('/prometheus', { headers: basic(user, password) });
      expect(answer).toBeRefused(401, 'INVALID_TOKEN');
    }
  });
});
