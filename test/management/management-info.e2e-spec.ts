import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/http/http-client.js';
import { startOpenManagement } from '../support/management/management.js';
import type { ServiceOptions } from '../support/programs/service.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

async function infoOf(options: ServiceOptions): Promise<{ readonly answer: Answer; readonly pid: number }> {
  const service = await startOpenManagement(options);
  const answer = await service.stranger.get('/info');
  await service.stop();
  return { answer, pid: service.pid };
}

describe('the info endpoint', () => {
  it('shows the info.* values of the packaged file and the build', async () => {
    const { answer } = await infoOf({});

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      app: { name: 'login-service', version },
      build: {
        artifact: 'login-service',
        name: 'login-service',
        version,
        time: expect.stringMatching(INSTANT) as unknown,
      },
    });
    expect(Object.keys(answer.body).filter((name) => !['app', 'build', 'git'].includes(name))).toEqual([]);
  });

  it('shows process, operating system and runtime when they are enabled', async () => {
    const ids = ['process', 'os', 'runtime'];

    const { answer, pid } = await infoOf({ args: ids.map((id) => `--management.info.${id}.enabled=true`) });

    expect(answer.body).toMatchObject({
      process: { pid, parentPid: expect.any(Number) as unknown, cpus: expect.any(Number) as unknown },
      os: { name: 'Linux', version: expect.any(String) as unknown, arch: process.arch },
      runtime: { name: 'node', version: expect.stringMatching(/^24\./) as unknown },
    });
  });

  it('shows info.* values from arguments, variables and files, under any name, with placeholders resolved', async () => {
    const { answer } = await infoOf({
      args: ['--info.tags[0]=a', '--info.tags[1]=b', '--info.region=in-${REGION}', '--info.other=${NOWHERE:none}'],
      env: { INFO_APP_VERSION: '9.9.9', REGION: 'eu' },
    });

    expect(answer.body).toMatchObject({
      app: { name: 'login-service', version: '9.9.9' },
      tags: ['a', 'b'],
      region: 'in-eu',
      other: 'none',
    });
  });

  it('L1: masks info.* values with secret names or resolved from secrets', async () => {
    const { answer } = await infoOf({
      args: ['--info.db.password=sesame', '--info.db.of=${DB_PASSWORD}', '--info.db.url=http://me:sesame@db/'],
      env: { DB_PASSWORD: 'sesame' },
    });

    expect(answer.body).toMatchObject({ db: { password: '******', of: '******', url: 'http://******@db/' } });
    expect(answer.text).not.toContain('sesame');
  });

  it('returns an empty object when every contributor is disabled', async () => {
    const { answer } = await infoOf({
      args: ['--management.info.env.enabled=false', '--management.info.defaults.enabled=false'],
    });

    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '{}' });
  });

  it('shows an individually enabled contributor although the defaults are disabled', async () => {
    const { answer } = await infoOf({
      args: ['env.enabled=false', 'defaults.enabled=false', 'build.enabled=true', 'git.enabled=false'].map(
        (setting) => `--management.info.${setting}`,
      ),
    });

    expect(Object.keys(answer.body)).toEqual(['build']);
  });
});
