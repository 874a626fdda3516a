import type { Logging } from './logging.js';

const LIMIT_MILLIS = 2000;

/** Sees to it that the log is whole when the process ends, and tells what ended it where nobody else does. */
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
