import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpClient } from '../../support/http/http-client.js';
import { visit } from '../../support/pages/pages.js';
import { type RunningService, runService, startService } from '../../support/programs/service.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import '../../support/runner/matchers.js';

const CONTEXT = '/auth';
const FOREVER = 'public, max-age=31536000, immutable';
const INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const HOSTILE_LOGO = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>';

describe('files of the pages', () => {
  const folder = temporaryFolder('logo');
  const logo = join(folder, 'logo.svg');
  let service: RunningService;
  let client: HttpClient;

  beforeAll(async () => {
    writeFileSync(logo, HOSTILE_LOGO);
    service = await startService({
      args: [
        `--server.servlet.context-path=${CONTEXT}`,
        `--app.branding.logo=${logo}`,
        '--app.branding.name=Northwind',
      ],
    });
    client = new HttpClient(service.url);
  });

  afterAll(() => service.stop());

  /** Paths of the files that the sign-in page names, without the context path. */
  async function named(): Promise<readonly string[]> {
    const { text } = await visit(client, '/portal/login');
    return Array.from(text.matchAll(/="\/auth(\/assets\/[^"]+)"/g), ([, path = '']) => path);
  }

  it('each file of a page may be cached for ever, and its name changes with its content', async () => {
    const paths = await named();

    expect(paths.map((path) => /\.\w+$/.exec(path)?.[0])).toEqual(['.svg', '.css', '.js', '.svg']);
    for (const path of paths) {
      const answer = await client.get(path);
      expect(answer).toBeAnswered(200);
      expect(answer.headers.get('cache-control'), path).toBe(FOREVER);
      expect(answer.headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(answer.cookies, path).toEqual([]);
    }
  });

  it('a file of another version is served but not cached, so that pages of two replicas have their style', async () => {
    const answer = await client.get('/assets/portal-AAAAAAAAAAAA.css');

    expect(answer).toBeAnswered(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/css/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['none.css', '..%2fapplication.yml', '%2e%2e%2f%2e%2e%2fpackage.json', 'portal.css%00', 'constructor'])(
    'H8: /assets/%s is not found',
    async (name) => {
      const { status } = await client.get(`/assets/${name}`);

      expect([400, 404]).toContain(status);
    },
  );

  it('S5: a logo with a script is sent with a policy that keeps it inert', async () => {
    const path = (await named()).find((each) => each.includes('/logo-')) ?? '';

    const answer = await client.get(path);

    expect(answer.text).toBe(HOSTILE_LOGO);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(answer.headers.get('content-security-policy')).toBe(INERT);
  });

  it('/favicon.ico is the icon of the pages', async () => {
    const answer = await client.get('/favicon.ico');

    expect(answer).toBeAnswered(200);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
  });

  it.each([
    ['GET', '/nowhere', 404, 'Page not found'],
    ['PUT', '/portal/login', 405, 'Something went wrong'],
  ])(
    '%s %s is an error page with status %i for a browser, and a problem document for other callers',
    async (method, path, status, title) => {
      const page = await client.send(method, path, { headers: { accept: 'text/html,*/*;q=0.8' } });
      const problem = await client.send(method, path);

      expect([page.status, problem.status]).toEqual([status, status]);
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      expect(page.text).toContain(`<title>${title} - Northwind</title>`);
      expect(problem.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    },
  );

  it('startup fails with a report if the logo cannot be used', async () => {
    const text = join(folder, 'logo.txt');
    writeFileSync(text, 'logo');

    const { exitCode, stdout, stderr } = await runService({ args: [`--app.branding.logo=${text}`] });

    expect(exitCode).toBe(1);
    expect(stdout + stderr).toContain('The logo cannot be used: the logo must be an .svg, .png, .jpg or .webp file');
    expect(stdout + stderr).toContain('app.branding.logo');
  });
});
