import { expect } from 'vitest';
import { CONSOLE_ACCEPT, JSON_V3 } from './management.js';

/** One call of a management console, and the members of the response that it reads (management API, section 16). */
export interface ConsoleStep {
  /** Method and path below the management URL. */
  readonly call: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly status: number;
  /** Media type of the response. */
  readonly type?: string;
  /** The methods that `Allow` names. */
  readonly allows?: readonly string[];
  /** Members that the body must contain, among others. */
  readonly reads?: object;
}

/** Headers of the console server, which polls. */
export const POLL = { accept: CONSOLE_ACCEPT, 'user-agent': 'ReactorNetty/1.2.3' };
/** Headers of the browser, which the console forwards with its own. */
export const FORWARDED = {
  accept: CONSOLE_ACCEPT,
  'user-agent': 'Mozilla/5.0',
  'x-requested-with': 'XMLHttpRequest',
  origin: 'https://console.example.com',
  'sec-fetch-site': 'same-origin',
};

const FORWARDED_JSON = { ...FORWARDED, 'content-type': 'application/json' };

const anyText = expect.any(String) as string;
const anyNumber = expect.any(Number) as number;
const anyList = expect.any(Array) as readonly unknown[];
const anyObject = expect.any(Object) as object;
const listWith = (member: object): readonly unknown[] =>
  expect.arrayContaining([expect.objectContaining(member)]) as readonly unknown[];

const read = (path: string, reads: object, headers = FORWARDED as ConsoleStep['headers']): ConsoleStep => ({
  call: `GET ${path}`,
  headers,
  status: 200,
  type: JSON_V3,
  reads,
});
const probe = (id: string, ...allows: readonly string[]): ConsoleStep => ({
  call: `OPTIONS /${id}`,
  headers: POLL,
  status: 204,
  allows: [...allows, 'OPTIONS'],
});

const POLLS: readonly ConsoleStep[] = [
  read(
    '/health',
    {
      status: 'UP',
      components: { db: { status: 'UP', details: anyObject }, ping: { status: 'UP' } },
      groups: ['liveness', 'readiness'],
    },
    POLL,
  ),
  read('/info', { app: { name: 'login-service', version: anyText } }, POLL),
];

/** If discovery fails, a console probes each known endpoint, and offers its users those with write methods. */
const PROBES: readonly ConsoleStep[] = [
  ...['health', 'info', 'metrics', 'env', 'configprops'].map((id) => probe(id, 'GET', 'HEAD')),
  ...['scheduledtasks', 'httpexchanges', 'mappings', 'threaddump'].map((id) => probe(id, 'GET', 'HEAD')),
  ...['loggers', 'logfile'].map((id) => probe(id, 'GET', 'HEAD')),
  probe('caches', 'GET', 'DELETE', 'HEAD'),
  probe('shutdown', 'POST'),
];

const PANELS: readonly ConsoleStep[] = [
  read('/health/liveness', { status: 'UP' }),
  read('/health/readiness', { status: 'UP' }),
  read('/env/', { activeProfiles: anyList, propertySources: listWith({ name: anyText, properties: anyObject }) }),
  read('/env/PID', { property: { source: anyText, value: anyText }, propertySources: anyList }),
  read('/configprops', { contexts: { 'login-service': { beans: anyObject } } }),
  read('/scheduledtasks', {
    cron: anyList,
    fixedDelay: listWith({
      runnable: { target: 'ConsoleRegistration.register' },
      initialDelay: 0,
      interval: 10_000,
      lastExecution: { status: expect.stringMatching(/^(?:STARTED|SUCCESS)$/) as string, time: anyText },
    }),
    fixedRate: listWith({ runnable: { target: anyText }, initialDelay: anyNumber, interval: anyNumber }),
    custom: anyList,
  }),
  read('/caches', { cacheManagers: { cacheManager: { caches: { users: { target: 'InProcessCache' } } } } }),
  { call: 'DELETE /caches', headers: FORWARDED, status: 204 },
  read('/httpexchanges', {
    exchanges: listWith({
      timestamp: anyText,
      request: { method: 'GET', uri: expect.stringMatching(/^http:/) as string, headers: anyObject },
      response: { status: anyNumber, headers: anyObject },
      timeTaken: expect.stringMatching(/^PT/) as string,
    }),
  }),
  read('/mappings', {
    contexts: {
      'login-service': {
        mappings: {
          dispatcherServlets: { main: listWith({ handler: 'LoginController#login', predicate: '{POST [/login]}' }) },
          servletFilters: [],
          servlets: [],
        },
      },
    },
  }),
  read('/threaddump', { threads: listWith({ threadName: 'main', threadState: 'RUNNABLE', stackTrace: [] }) }),
  {
    call: 'GET /threaddump',
    headers: { ...FORWARDED, accept: 'text/plain' },
    status: 200,
    type: 'text/plain',
  },
];

/** Each step reads what the step before it changed. */
const LOGGERS: readonly ConsoleStep[] = [
  read('/loggers', {
    levels: ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'],
    loggers: { ROOT: { configuredLevel: 'INFO', effectiveLevel: 'INFO' } },
    groups: anyObject,
  }),
  { call: 'POST /loggers/auth', headers: FORWARDED_JSON, json: { configuredLevel: 'DEBUG' }, status: 204 },
  read('/loggers/auth', { configuredLevel: 'DEBUG', effectiveLevel: 'DEBUG' }),
  { call: 'POST /loggers/auth', headers: FORWARDED_JSON, json: {}, status: 204 },
  read('/loggers/auth', { effectiveLevel: 'INFO' }),
];

const LOG_FILE: ConsoleStep = {
  call: 'GET /logfile',
  headers: { ...FORWARDED, accept: 'text/plain', range: 'bytes=-307200' },
  status: 206,
  type: 'text/plain',
};

/** In the order of section 16. */
export const STEPS: readonly ConsoleStep[] = [...POLLS, ...PROBES, ...PANELS, ...LOGGERS, LOG_FILE];

/** Metrics that a console requests if they are in the list of names. */
export const ASKED_METRICS: readonly string[] = [
  'process.uptime',
  'process.cpu.usage',
  'system.cpu.usage',
  'system.cpu.count',
  'jdbc.connections.active',
  'jdbc.connections.min',
  'jdbc.connections.max',
  // Available if management.metrics.compat.jvm-names is on.
  'jvm.memory.used',
  'jvm.memory.committed',
  'jvm.memory.max',
];
