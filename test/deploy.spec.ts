import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exposition } from '../src/management/metrics/exposition.js';
import { programOf } from './support/runner/binaries.js';
import { contractMeters } from './support/management/contract-meters.js';
import { needs } from './support/runner/needs.js';
import { overHttp1 } from './support/http/secure-client.js';
import { startService } from './support/programs/service.js';
import { temporaryFolder } from './support/programs/temporary-folder.js';
import { selectorsOf } from './support/management/prom-ql.js';

const ROOT = join(import.meta.dirname, '..');
const PROMETHEUS = join(ROOT, 'deploy/prometheus');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
}

const RULES = (
  parse(read('deploy/prometheus/alerts.yml')) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
).groups.flatMap(({ rules }) => rules);
const DASHBOARD = JSON.parse(read('deploy/grafana/login-service.json')) as Dashboard;
const QUERIES = [
  ...RULES.map(({ alert, expr }) => ({ what: alert, query: expr })),
  ...DASHBOARD.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ what: title, query: expr }))),
  ...DASHBOARD.annotations.list.map(({ expr }) => ({ what: 'an annotation', query: expr })),
  ...DASHBOARD.templating.list.flatMap(({ query }) => {
    const series = /^label_values\((.*), \w+\)$/.exec(typeof query === 'string' ? '' : query.query)?.[1];
    return series === undefined ? [] : [{ what: 'a variable', query: series }];
  }),
];

/** Labels of every sample in a scrape of the service, by name. */
const SAMPLES = new Map<string, ReadonlySet<string>>([
  ['up', new Set()],
  ['ALERTS', new Set(['alertstate'])],
  ...(['text', 'openmetrics'] as const).flatMap((format) => samplesIn(exposition(contractMeters().families, format))),
]);
/** Labels that Prometheus adds. */
const EVERYWHERE = ['job', 'instance'];

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function samplesIn(scrape: string): readonly (readonly [string, ReadonlySet<string>])[] {
  const lines = scrape.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [name = ''] = /^\w+/.exec(line) ?? [];
    return [name, new Set(Array.from(line.matchAll(/(\w+)="/g), ([, label = '']) => label))] as const;
  });
}

describe('dashboard and alerts', () => {
  it.each(QUERIES)('the query of $what reads only metrics and labels of a scrape: $query', ({ query }) => {
    const selectors = selectorsOf(query);
    expect(selectors).not.toEqual([]);
    for (const { name, labels } of selectors) {
      expect([...SAMPLES.keys()]).toContain(name);
      expect([...(SAMPLES.get(name) ?? []), ...EVERYWHERE], name).toEqual(expect.arrayContaining([...labels]));
    }
  });

  it('the dashboard panels have unique ids and queries', () => {
    const ids = DASHBOARD.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const empty = DASHBOARD.panels.filter(({ type, targets = [] }) => type !== 'row' && targets.length === 0);
    expect(empty).toEqual([]);
  });

  it('every alert has the severity page or ticket and a row in docs/how-to/operate/alerts.md', () => {
    const rows = new Set(
      Array.from(read('docs/how-to/operate/alerts.md').matchAll(/^\| `(\w+)` /gm), ([, name]) => name),
    );
    for (const { alert, labels } of RULES) {
      expect(['page', 'ticket'], alert).toContain(labels.severity);
      expect([...rows], alert).toContain(alert);
    }
  });
});

needs('openssl')('docker-compose.yml', () => {
  const { services } = parse(read('docker-compose.yml')) as {
    readonly services: { readonly service: { readonly environment: Readonly<Record<string, string | number>> } };
  };
  const tls = Object.entries(services.service.environment).filter(([name]) => /SSL|TLS/.test(name));

  /** Runs the start script of the container with another folder for the volume. */
  function started(folder: string, publicUrl: string): { readonly env: Readonly<Record<string, string>>; out: string } {
    const values = tls.map(([name, value]) => [name, String(value).replace('/srv/login/tls', folder)] as const);
    const env = { ...Object.fromEntries(values), PUBLIC_URL: publicUrl };
    const start = join(ROOT, 'deploy/compose/start.sh');
    const out = execFileSync('sh', [start, 'echo', 'begun'], { env: { ...process.env, ...env }, encoding: 'utf8' });
    return { env, out };
  }

  it.each([
    ['https://login.example.com/auth', 'login.example.com'],
    ['https://localhost:8443', 'localhost'],
    ['https://10.0.0.5:8443', '10.0.0.5'],
  ])('A6: the start script creates a certificate for %s once and keeps its key private', (publicUrl, host) => {
    const folder = temporaryFolder('tls');

    const first = started(folder, publicUrl);
    const certificate = new X509Certificate(readFileSync(join(folder, 'tls.crt')));
    const again = started(folder, publicUrl);

    expect(first.out).toContain(`Created a self-signed certificate for ${host}`);
    expect(again.out).toBe('begun\n');
    expect(new X509Certificate(readFileSync(join(folder, 'tls.crt'))).fingerprint256).toBe(certificate.fingerprint256);
    expect(/^\d/.test(host) ? certificate.checkIP(host) : certificate.checkHost(host)).toBe(host);
    expect(statSync(join(folder, 'tls.key')).mode & 0o777).toBe(0o600);
  });

  it('A6: the start script fails with the reason if it cannot create a certificate', () => {
    const folder = join(temporaryFolder('tls'), 'missing');

    expect(() => started(folder, 'https://localhost:8443')).toThrow(
      /Cannot create a certificate for localhost in \S+missing: [^]*No such file or directory/,
    );
  });

  it('A6: the service serves https with the created certificate and sets Secure cookies', async () => {
    const folder = temporaryFolder('tls');
    const { env } = started(folder, 'https://localhost:8443');
    const service = await startService({ env: { ...env, APP_SECURITY_PUBLICURL: env['PUBLIC_URL'] ?? '' } });
    try {
      const ca = readFileSync(join(folder, 'tls.crt'), 'utf8');

      const { status, headers, text } = await overHttp1(service.url, '/portal/login', { ca });

      expect(new URL(service.url).protocol).toBe('https:');
      expect(status).toBe(200);
      expect(String(headers['set-cookie'])).toContain('Secure');
      expect(text).not.toContain('needs https');
    } finally {
      await service.stop();
    }
  });
});

needs('prometheus')('promtool', () => {
  it('promtool accepts the alerts and the configuration', () => {
    expect(promtool(['check', 'rules', 'alerts.yml'])).toContain(`SUCCESS: ${RULES.length} rules found`);
    expect(promtool(['check', 'config', 'prometheus.yml'])).toContain('SUCCESS: 1 rule files found');
  });

  it('promtool passes the tests of the alerts', () => {
    expect(promtool(['test', 'rules', 'alerts.test.yml'])).toContain('SUCCESS');
  });

  it('promtool accepts the names of all metrics', () => {
    expect(promtool(['check', 'metrics'], exposition(contractMeters().families, 'text'))).toBe('');
  });

  it('promtool reads label values that try to break out of their line', () => {
    const meters = contractMeters();
    const path = 'a"} 1\nup 0\\\u0000{\r\u2028';
    meters.gauge('disk.free', {}, () => 1, { path });
    expect(promtool(['check', 'metrics'], exposition(meters.families, 'text'))).toBe('');
  });
});

/** Output of promtool; throws if promtool reports a problem. */
function promtool(args: readonly string[], input = ''): string {
  return execFileSync(programOf('promtool'), args, { cwd: PROMETHEUS, input, encoding: 'utf8' });
}
