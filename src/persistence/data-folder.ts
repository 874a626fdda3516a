import { dirname, resolve } from 'node:path';
import { ConversionError } from '../config/bind/conversion-error.js';
import { parseJdbcUrl } from './jdbc/jdbc-url.js';

/** Where the process keeps files of its own: beside the embedded database, else in `data` of the working folder. */
export function dataFolder(url: string): string {
  const location = parseJdbcUrl(url);
  const isFile = !(location instanceof ConversionError) && location.engine === 'sqlite' && location.file !== ':memory:';
  return resolve(isFile ? dirname(location.file) : 'data');
}
