import { charsetNamed, jsonIn, UTF_8 } from '../../../kernel/encoding/charset.js';
import { ecs } from './ecs.js';
import { gelf } from './gelf.js';
import type { LineFormat } from '../log-line.js';
import { logstash } from './logstash.js';
import { compilePattern, type PatternTarget } from '../pattern/pattern.js';

/** JSON formats with one object per line. */
export const STRUCTURED = ['ecs', 'logstash', 'gelf'] as const;
export type Structured = (typeof STRUCTURED)[number];

const FORMATS: Readonly<Record<Structured, LineFormat>> = { ecs, logstash, gelf };

/** How an appender formats lines: as JSON if a format is set, otherwise by the pattern. */
export interface LineForm {
  readonly pattern: string;
  readonly structured?: Structured | undefined;
  /** Name of the character set. */
  readonly charset: string;
}

export function lineFormat({ pattern, structured, charset: name }: LineForm, target: PatternTarget): LineFormat {
  if (!structured) return compilePattern(pattern, target);
  const [format, charset] = [FORMATS[structured], charsetNamed(name)];
  return charset === UTF_8 ? format : (line) => jsonIn(charset, format(line));
}
