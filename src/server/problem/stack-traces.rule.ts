import type { Rule } from '../../config/rule.js';
import { ServerErrorProperties } from './server-error.properties.js';

/** Stack traces are for developers: no answer of a service in production shows one. */
export const noStackTraces: Rule = (facts) =>
  facts.get(ServerErrorProperties).includeStacktrace === 'always' && facts.activeProfiles.includes('prod')
    ? [facts.about('5', 'server.error.include-stacktrace', 'must be never in production')]
    : [];
