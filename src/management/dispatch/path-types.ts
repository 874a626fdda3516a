import { type ScalarType, text } from '../../config/bind/key-type.js';

/** A base path. */
export const path: ScalarType<string> = text({
  form: /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$/,
  called: 'a path such as /actuator that starts with /, or empty',
});

/** One or more segments inside a path. */
export const segments: ScalarType<string> = text({
  form: /^(?!\.{1,2}(?:\/|$))[\w.~-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/,
  called: 'a part of a path such as healthcheck, without / at either end',
});
