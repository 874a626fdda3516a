/**
 * Preloaded into the service (`node --import <this file>?at=<end of a path>&signals=<names>`): sends itself the signals
 * in order when it loads the module whose path ends like that.
 */
import { registerHooks } from 'node:module';

const parameters = new URL(import.meta.url).searchParams;
const at = parameters.get('at') ?? '';
const signals = (parameters.get('signals') ?? '').split(',');

registerHooks({
  load(url, context, next) {
    if (url.endsWith(at)) for (const signal of signals.splice(0)) process.kill(process.pid, signal);
    return next(url, context);
  },
});
