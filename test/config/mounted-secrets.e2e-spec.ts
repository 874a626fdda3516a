import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { PROD } from '../support/programs/prod.js';
import { type Ended, runCli } from '../support/programs/service.js';

const NOBODY = 65_534;
/** The `fsGroup` of the pod, which is a supplementary group of the process. */
const FS_GROUP = 65_533;
const ROOT = join(import.meta.dirname, '../..');

/**
 * As in a pod: the process is not root, and the files are root's. A process that is not root cannot give files away, and
 * another user cannot run a service below a folder that is closed to it: the files are then the process's own.
 */
const isOther = process.getuid?.() === 0 && isOpenToOthers(ROOT);
const group = isOther ? FS_GROUP : (process.getgid?.() ?? 0);

interface User {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

type Variables = Readonly<Record<string, string>>;

const POD_USER: User = { uid: NOBODY, gid: NOBODY, groups: [FS_GROUP] };
const { SEAL_KEY, DB_PASSWORD, BACKUP_CODE_PEPPER, ...WITHOUT_SECRETS } = PROD;
const SECRETS = { SEAL_KEY, DB_PASSWORD, BACKUP_CODE_PEPPER };

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number; readonly fsGroup: number };
        readonly containers: readonly [
          {
            readonly env: readonly { readonly name: string; readonly value: string }[];
            readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
            readonly livenessProbe: Probe;
            readonly readinessProbe: Probe;
            readonly volumeMounts: readonly [{ readonly mountPath: string }];
          },
        ];
        readonly volumes: readonly [{ readonly secret: { readonly defaultMode: number } }];
      };
    };
  };
}

/** In YAML 1.1, as Kubernetes reads it: 0440 is octal. */
const DEPLOYMENT = parse(readFileSync(join(ROOT, 'deploy/kubernetes/login-service.yml'), 'utf8'), {
  version: '1.1',
}) as Deployment;

interface Owned {
  readonly mode: number;
  readonly gid: number;
  /** Root by default. */
  readonly uid?: number;
}

const EXPOSED: readonly (readonly [string, Owned])[] = [
  ['every user may read', { mode: 0o444, gid: group }],
  ['the group may change', { mode: 0o460, gid: group }],
  // Only root can prepare these two; `secret-file.spec` has them in a table for every user.
  ['a group of other processes may read', { mode: 0o440, gid: 65_532, uid: NOBODY }],
  ['another user owns', { mode: 0o440, gid: group, uid: 65_531 }],
];

describe('secrets in a mounted Kubernetes volume', () => {
  it.each([
    ['0440 and fsGroup', 0o440],
    ['0640 and fsGroup', 0o640],
  ])('A3: a service that is not root accepts secret files with mode %s', async (_, mode) => {
    const ended = await check(mounted({ mode, gid: group }));

    expect(ended).toMatchObject({ exitCode: 0, stdout: expect.not.stringContaining('file with secrets') as unknown });
  });

  it.each(isOther ? EXPOSED : EXPOSED.slice(0, 2))('A3: rule 2 rejects secret files that %s', async (_, file) => {
    const ended = await check(mounted(file));

    expect(ended.exitCode).not.toBe(0);
    expect(ended.stdout + ended.stderr).toContain('file with secrets');
    expect(ended.stdout + ended.stderr).not.toContain(PROD.DB_PASSWORD);
  });
});

describe('the Deployment in deploy/kubernetes', () => {
  it('A3: the Deployment passes config check with its own user, groups, file mode and variables', async () => {
    const { template } = DEPLOYMENT.spec;
    const [container] = template.spec.containers;
    const [secrets] = template.spec.volumes;
    const { runAsUser, runAsGroup, fsGroup } = template.spec.securityContext;
    const volume = mounted({ mode: secrets.secret.defaultMode, gid: isOther ? fsGroup : group });
    const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));

    expect(env['APP_CONFIG_IMPORT']).toBe(`configtree:${container.volumeMounts[0].mountPath}/`);
    const ended = await check(volume, { uid: runAsUser, gid: runAsGroup, groups: [fsGroup] }, env);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('A3: the Deployment probes the management listener of profile prod and leaves time for shutdown', () => {
    const { terminationGracePeriodSeconds, containers } = DEPLOYMENT.spec.template.spec;
    const [{ env, ports, livenessProbe, readinessProbe }] = containers;
    const packaged = (file: string): string => readFileSync(join(ROOT, 'src/resources', file), 'utf8');
    const prod = parse(packaged('application-prod.yml')) as { management: { server: { port: number } } };
    const phase = /timeout-per-shutdown-phase: (\d+)s/.exec(packaged('application.yml'))?.[1];

    expect(ports).toContainEqual({ name: 'management', containerPort: prod.management.server.port });
    expect(livenessProbe.httpGet).toEqual({ path: '/actuator/health/liveness', port: 'management' });
    expect(readinessProbe.httpGet).toEqual({ path: '/actuator/health/readiness', port: 'management' });
    expect(terminationGracePeriodSeconds).toBeGreaterThan(Number(phase));
    expect(env).toContainEqual({ name: 'TERMINATION_GRACE', value: String(terminationGracePeriodSeconds) });
  });
});

/** A volume as the kubelet writes it: each name is a link through `..data` to a folder that is swapped as a whole. */
function mounted({ mode, gid, uid = 0 }: Owned): string {
  const volume = mkdtempSync(join(tmpdir(), 'mounted-secrets-'));
  onTestFinished(() => rmSync(volume, { recursive: true }));
  const version = '..2026_11_22_10_00_00.1234567890';
  mkdirSync(join(volume, version));
  for (const [name, value] of Object.entries(SECRETS)) {
    const file = join(volume, version, name);
    writeFileSync(file, value);
    if (isOther) chownSync(file, uid, gid);
    chmodSync(file, mode);
    symlinkSync(`..data/${name}`, join(volume, name));
  }
  symlinkSync(version, join(volume, '..data'));
  for (const folder of [volume, join(volume, version)]) chmodSync(folder, 0o755);
  return volume;
}

async function check(volume: string, who: User = POD_USER, env: Variables = WITHOUT_SECRETS): Promise<Ended> {
  const become = `process.setgroups([${who.groups.join()}]); process.setgid(${who.gid}); process.setuid(${who.uid});`;
  return runCli(['config', 'check'], {
    cwd: volume,
    env: { ...env, APP_CONFIG_IMPORT: `configtree:${volume}/` },
    ...(isOther && { nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(become)}`] }),
  });
}

function isOpenToOthers(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o005) === 0o005;
  return isOpen && (dirname(folder) === folder || isOpenToOthers(dirname(folder)));
}
