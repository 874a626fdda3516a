/**
 * Removes `DEBUG`, with which libraries print statements, parameters and passwords past the log. Call it before any library
 * is loaded. Returns true if the variable was set.
 */
export function removeDebugVariable(): boolean {
  const isSet = Boolean(process.env['DEBUG']);
  delete process.env['DEBUG'];
  return isSet;
}
