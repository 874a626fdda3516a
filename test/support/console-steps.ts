import { expect } from 'vitest';
import { CONSOLE_ACCEPT } from './management.js';

/** One call as a console makes it, and what it reads of the answer (management API, section 16). */
export interface ConsoleStep {
  /** Method and path below the management URL. */
  readonly call: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly status: number;
  /** Members that must be there, whatever else is. */
  readonly reads?: object;
}

/** Of the server side, which polls. */
const POLL = { accept: CONSOLE_ACCEPT, 'user-agent': 'ReactorNetty/1.2.3' };
/** Of the browser, forwarded with what it sends of its own. */
const FORWARDED = {
  accept: CONSOLE_ACCEPT,
  'user-agent': 'Mozilla/5.0',
  'x-requested-with': 'XMLHttpRequest',
  origin: 'https://console.example.com',
  'sec-fetch-site': 'same-origin',
};

const anyText = expect.any(String) as string;
const anyList = expect.any(Array) as readonly unknown[];

export const STEPS: readonly ConsoleStep[] = [
  { call: 'GET /health', headers: POLL, status: 200, reads: { status: 'UP' } },
  {
    call: 'GET /scheduledtasks',
    headers: FORWARDED,
    status: 200,
    reads: {
      cron: anyList,
      fixedDelay: [{ runnable: { target: 'ConsoleRegistration.register' }, initialDelay: 0, interval: 10_000 }],
      fixedRate: [{ runnable: { target: anyText }, initialDelay: 30_000, interval: 30_000 }],
      custom: anyList,
    },
  },
  { call: 'GET /caches', headers: FORWARDED, status: 200, reads: { cacheManagers: {} } },
  { call: 'DELETE /caches', headers: FORWARDED, status: 204 },
  {
    call: 'GET /httpexchanges',
    headers: FORWARDED,
    status: 200,
    reads: {
      exchanges: [
        {
          timestamp: anyText,
          request: {
            method: 'GET',
            uri: expect.stringMatching(/\/$/) as string,
            headers: expect.any(Object) as object,
          },
          response: { status: 200, headers: expect.any(Object) as object },
          timeTaken: expect.stringMatching(/^PT/) as string,
        },
      ],
    },
  },
  {
    call: 'GET /mappings',
    headers: FORWARDED,
    status: 200,
    reads: {
      contexts: {
        'login-service': {
          mappings: {
            dispatcherServlets: {
              main: expect.arrayContaining([
                expect.objectContaining({ handler: 'LoginController#login', predicate: '{POST [/login]}' }),
              ]) as readonly unknown[],
            },
            servletFilters: [],
            servlets: [],
          },
        },
      },
    },
  },
  {
    call: 'GET /threaddump',
    headers: FORWARDED,
    status: 200,
    reads: {
      threads: expect.arrayContaining([
        expect.objectContaining({ threadName: 'main', threadState: 'RUNNABLE', stackTrace: [] }),
      ]) as readonly unknown[],
    },
  },
];
