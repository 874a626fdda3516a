import { unwatchFile, watchFile } from 'node:fs';

/** Interval between checks of the files. */
const INTERVAL_MILLIS = 1000;
/** A certificate and its key are rarely replaced at the same moment; both must be complete when they are read. */
const QUIET_MILLIS = 1500;

/**
 * Calls back some time after the last change of the files; the returned function stops that. Polling the path finds
 * every kind of change: a file that is rewritten or replaced, a changed link such as mounted secrets of Kubernetes
 * (`..data`), and changes on network file systems, which send no notification.
 */
export function watchFiles(files: readonly string[], onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, QUIET_MILLIS).unref();
  };
  for (const file of files) watchFile(file, { interval: INTERVAL_MILLIS, persistent: false }, changed);
  return () => {
    clearTimeout(timer);
    for (const file of files) unwatchFile(file, changed);
  };
}
