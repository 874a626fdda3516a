import { type Finding, Rule } from '../../config/check/rule.js';
import { ExposureProperties } from './access.properties.js';
import { ManagementWebProperties } from '../dispatch/management-server.properties.js';
import { ENDPOINT_IDS, isUnknownId } from './endpoint-ids.js';

const WEB = 'management.endpoints.web';

/** An id that names no endpoint does nothing where it stands, and is most likely misspelled. */
export const knownEndpointIds = new Rule('endpoints', (facts) => {
  const { include, exclude } = facts.get(ExposureProperties);
  const { pathMapping } = facts.get(ManagementWebProperties);
  const warnings = (key: string, ids: readonly string[]): readonly Finding[] =>
    ids.filter(isUnknownId).map((id) =>
      facts.about(key, {
        severity: 'warning',
        what: `${facts.part(key, id)} names no endpoint`,
        action: `Remove it from ${key}, or write one of ${ENDPOINT_IDS.join(', ')}.`,
      }),
    );
  return [
    ...warnings(`${WEB}.exposure.include`, include),
    ...warnings(`${WEB}.exposure.exclude`, exclude),
    ...[...pathMapping.keys()].flatMap((id) => warnings(`${WEB}.path-mapping.${id}`, [id])),
  ];
});
