import { Rule } from '../../config/check/rule.js';
import { ServerErrorProperties } from '../server.properties.js';

const KEY = 'server.error.include-stacktrace';

/** Stack traces are for developers: no answer of a service in production shows one. */
export const noStackTraces = new Rule('5', (facts) =>
  facts.get(ServerErrorProperties).includeStacktrace === 'always' && facts.activeProfiles.includes('prod')
    ? [
        facts.about(KEY, {
          what: 'No answer of production shows a stack trace',
          action: `Set ${KEY} to never.`,
        }),
      ]
    : [],
);
