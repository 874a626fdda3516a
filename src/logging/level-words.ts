import { oneOf, text } from '../config/bind/key-type.js';

/** A level as an operator writes it; `false` is that of YAML for off. */
export const levelWord = oneOf('off', 'false', 'fatal', 'error', 'warn', 'info', 'debug', 'trace');

export type LevelWord = NonNullable<typeof levelWord.bound>;

export const loggerName = text({ form: /^[\w./-]{1,200}$/, called: 'the name of a logger' });
