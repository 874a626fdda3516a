import type { Logging } from './logging.js';

const LIMIT_MILLIS = 2000;

/** Flushes the log when the process ends, and logs an uncaught error that ends it. */
export function installCrashHandler(logs: Logging): void {
  process.on('exit', () => {
    logs.flushNow();
  });
  let isEnding = false;
  process.on('uncaughtException', (error, origin) => {
    const what = origin === 'unhandledRejection' ? 'A rejection that nobody handles' : 'An error that nobody catches';
    logs.loggers.get('server').error(`${what} ends the service`, { error });
    if (isEnding) return;
    isEnding = true;
    void logs.close(LIMIT_MILLIS).finally(() => process.exit(1));
  });
}
