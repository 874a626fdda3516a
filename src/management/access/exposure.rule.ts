import { type Finding, Rule, type Severity } from '../../config/check/rule.js';
import { isUnknownId } from './endpoint-ids.js';
import { isSameId } from './exposure.js';
import { ExposureProperties } from './access.properties.js';

/** Endpoints that show or do more than strangers in the network should get. */
const DANGEROUS = ['env', 'configprops', 'heapdump', 'threaddump', 'logfile', 'httpexchanges', 'shutdown'];
const RECOMMENDED = ['health', 'info', 'metrics', 'loggers'];
const KEY = 'management.endpoints.web.exposure.include';

/** Rule 7: only harmless endpoints can be called. */
export const harmlessEndpointsExposed = new Rule('7', (facts) => {
  const { include, exclude } = facts.get(ExposureProperties);
  const isExcluded = (id: string): boolean => exclude.some((item) => item === '*' || isSameId(item, id));
  const dangerous = DANGEROUS.filter((id) => !isExcluded(id));
  const action = `Set ${KEY} to some of ${RECOMMENDED.join(',')}.`;
  const about = (what: string, severity: Severity): readonly Finding[] => [
    facts.about(KEY, { severity, what, action }),
  ];
  return include.flatMap((id) => {
    const opened = dangerous.filter((other) => id === '*' || isSameId(other, id));
    if (opened.length > 0) {
      return about(`${opened.join(', ')} can reveal secrets or stop the service`, 'breach');
    }
    // What names nothing has a warning of its own.
    if (isUnknownId(id) || isExcluded(id) || RECOMMENDED.some((other) => isSameId(other, id))) return [];
    return about(`${facts.part(KEY, id)} is more than is recommended`, 'warning');
  });
});
