import { Rule } from '../../../config/check/rule.js';
import { mapperFiles } from './mapper-files.js';
import { filesAt } from './mapper-locations.js';
import { MapperProperties } from './mapper.properties.js';

/** Reports every problem of every mapper file, so that one startup shows them all. */
export const mapperFilesWork = new Rule('mapper files', ({ configuration, inputs }) =>
  mapperFiles(configuration, inputs).problems.map((each) => ({ ...each, severity: 'error' as const })),
);

const LOCATIONS = 'mapper.mapper-locations';

/** Warns about patterns that match no file: most likely they are mistyped, or the files are not there yet. */
export const mapperPatternsMatch = new Rule('mapper files', (facts) =>
  facts
    .get(MapperProperties)
    .mapperLocations.filter((location) => filesAt(location, facts.inputs).length === 0)
    .map((location) =>
      facts.about(LOCATIONS, {
        severity: 'warning',
        what: `No file matches the pattern ${facts.part(LOCATIONS, location)}`,
        action: 'Correct the pattern, or create the files.',
      }),
    ),
);
