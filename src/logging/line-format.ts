import { ecs } from './ecs.js';
import { gelf } from './gelf.js';
import type { LineFormat } from './log-line.js';
import { logstash } from './logstash.js';
import { compilePattern, type PatternTarget } from './pattern.js';

/** Forms of JSON, one object a line. */
export const STRUCTURED = ['ecs', 'logstash', 'gelf'] as const;
export type Structured = (typeof STRUCTURED)[number];

const FORMATS: Readonly<Record<Structured, LineFormat>> = { ecs, logstash, gelf };

/** How the lines of one place are written: as JSON where a form of it is named, otherwise by the pattern. */
export interface LineForm {
  readonly pattern: string;
  readonly structured?: Structured | undefined;
}

export function lineFormat({ pattern, structured }: LineForm, target: PatternTarget): LineFormat {
  return structured ? FORMATS[structured] : compilePattern(pattern, target);
}
