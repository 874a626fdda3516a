import { charsetNamed, jsonIn, UTF_8 } from '../../encoding/charset.js';
import { ecs } from './ecs.js';
import { gelf } from './gelf.js';
import type { LineFormat } from '../log-line.js';
import { logstash } from './logstash.js';
import { compilePattern, type PatternTarget } from '../pattern/pattern.js';

/** Forms of JSON, one object a line. */
export const STRUCTURED = ['ecs', 'logstash', 'gelf'] as const;
export type Structured = (typeof STRUCTURED)[number];

const FORMATS: Readonly<Record<Structured, LineFormat>> = { ecs, logstash, gelf };

/** How the lines of one place are written: as JSON where a form of it is named, otherwise by the pattern. */
export interface LineForm {
  readonly pattern: string;
  readonly structured?: Structured | undefined;
  /** The name of a character set. */
  readonly charset: string;
}

export function lineFormat({ pattern, structured, charset: name }: LineForm, target: PatternTarget): LineFormat {
  if (!structured) return compilePattern(pattern, target);
  const [format, charset] = [FORMATS[structured], charsetNamed(name)];
  return charset === UTF_8 ? format : (line) => jsonIn(charset, format(line));
}
