import { Rule } from '../../config/check/rule.js';
import { mapperFiles } from './mapper-files.js';

/** Reports every fault of every mapper file, so that one start shows them all. */
export const mapperFilesWork = new Rule('mapper files', ({ configuration, inputs }) =>
  mapperFiles(configuration, inputs).problems.map((each) => ({ ...each, severity: 'fault' as const })),
);
