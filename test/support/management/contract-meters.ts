import { Meters } from '../../../src/observability/metrics/meters.js';

interface ContractMeter {
  readonly names: readonly string[];
  readonly kind: 'counter' | 'gauge' | 'timer' | 'summary' | 'longTaskTimer';
  readonly unit?: string;
  readonly tags?: readonly string[];
  readonly buckets?: readonly number[];
}

/** The meters of the service (management API, "Names the service records"). */
export const CONTRACT_METERS: readonly ContractMeter[] = [
  {
    names: ['http.server.requests'],
    kind: 'timer',
    tags: ['method', 'uri', 'status', 'outcome', 'exception', 'error'],
  },
  {
    names: ['http.client.requests'],
    kind: 'timer',
    tags: ['client.name', 'method', 'uri', 'status', 'outcome', 'exception', 'error'],
  },
  { names: ['http.server.requests.active'], kind: 'longTaskTimer', tags: ['method'] },
  { names: ['embedded.threads.busy', 'embedded.threads.config.max', 'embedded.queue.size'], kind: 'gauge' },
  { names: ['embedded.connections.current'], kind: 'gauge' },
  { names: ['embedded.passwords.current', 'embedded.passwords.limit'], kind: 'gauge' },
  { names: ['embedded.rejected', 'embedded.passwords.rejected'], kind: 'counter' },
  { names: ['active', 'idle', 'min', 'max'].map((end) => `jdbc.connections.${end}`), kind: 'gauge', tags: ['name'] },
  {
    names: ['', '.pending', '.active', '.idle', '.min', '.max'].map((end) => `pool.connections${end}`),
    kind: 'gauge',
    tags: ['pool'],
  },
  { names: ['pool.connections.timeout'], kind: 'counter', tags: ['pool'] },
  { names: ['acquire', 'usage', 'creation'].map((end) => `pool.connections.${end}`), kind: 'timer', tags: ['pool'] },
  { names: ['cache.gets'], kind: 'counter', tags: ['name', 'cache.manager', 'result'] },
  { names: ['cache.size'], kind: 'gauge', tags: ['name', 'cache.manager'] },
  { names: ['cache.puts', 'cache.evictions'], kind: 'counter', tags: ['name', 'cache.manager'] },
  { names: ['executor.active.threads', 'executor.pool.size.threads'], kind: 'gauge', unit: 'threads', tags: ['name'] },
  { names: ['executor.queued.tasks'], kind: 'gauge', unit: 'tasks', tags: ['name'] },
  { names: ['executor.completed.tasks', 'executor.rejected.tasks'], kind: 'counter', unit: 'tasks', tags: ['name'] },
  { names: ['engine.events'], kind: 'counter', tags: ['level'] },
  { names: ['process.uptime', 'process.start.time'], kind: 'gauge', unit: 'seconds' },
  { names: ['process.cpu.usage', 'system.cpu.usage'], kind: 'gauge' },
  { names: ['system.cpu.count', 'system.load.average.1m'], kind: 'gauge' },
  { names: ['process.files.open.files', 'process.files.max.files'], kind: 'gauge', unit: 'files' },
  { names: ['disk.free', 'disk.total'], kind: 'gauge', unit: 'bytes', tags: ['path'] },
  { names: ['nodejs.memory.used', 'nodejs.memory.max'], kind: 'gauge', unit: 'bytes', tags: ['area'] },
  { names: ['nodejs.eventloop.lag'], kind: 'timer' },
  { names: ['nodejs.gc.pause'], kind: 'timer', tags: ['kind'] },
  { names: ['application.started.time', 'application.ready.time'], kind: 'gauge', unit: 'seconds' },
  {
    names: ['login.attempts', 'login.passkey.attempts', 'login.lockouts', 'login.token.refresh'],
    kind: 'counter',
    tags: ['outcome'],
  },
  { names: ['events.chain.restarts'], kind: 'counter' },
  { names: ['mail.sent', 'mail.failed'], kind: 'counter' },
  { names: ['mail.waiting'], kind: 'gauge' },
  { names: ['login.mfa.attempts'], kind: 'counter', tags: ['outcome', 'method', 'reason'] },
  { names: ['webhook.deliveries'], kind: 'counter', tags: ['result'] },
  { names: ['webhook.pending', 'webhook.dead'], kind: 'gauge' },
  { names: ['password.breached.checks'], kind: 'counter', tags: ['result'] },
  { names: ['rate.limit.rejected'], kind: 'counter', tags: ['group', 'by'] },
  { names: ['rate.limit.shared'], kind: 'gauge' },
  { names: ['kvstore.command'], kind: 'timer', tags: ['command', 'outcome'] },
  { names: ['login.mfa.locked', 'login.hash.queue', 'login.hash.active'], kind: 'gauge' },
  { names: ['saml.metadata.age', 'saml.certificate.expiry'], kind: 'gauge', unit: 'seconds', tags: ['idp'] },
  { names: ['ssl.chain.expiry'], kind: 'gauge', unit: 'seconds', tags: ['bundle', 'chain', 'certificate'] },
  { names: ['saml.responses'], kind: 'counter', tags: ['idp', 'outcome'] },
  { names: ['login.hash.time'], kind: 'timer', buckets: [1] },
  { names: ['login.mfa.step.offset'], kind: 'summary', buckets: [-1, 0, 1] },
];

/** Meters of all of these names, each with one series. */
export function contractMeters(): Meters {
  const meters = new Meters();
  for (const { names, kind, unit, tags = [], buckets = [] } of CONTRACT_METERS) {
    const facts = unit === undefined ? {} : { baseUnit: unit };
    const values = Object.fromEntries(tags.map((tag) => [tag, 'x']));
    for (const name of names) {
      if (kind === 'gauge') meters.gauge(name, facts, () => 1, values);
      else if (kind === 'timer' || kind === 'summary') meters[kind](name, { ...facts, buckets }).of(values);
      else meters[kind](name, facts).of(values);
    }
  }
  return meters;
}
