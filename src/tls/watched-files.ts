import { unwatchFile, watchFile } from 'node:fs';

/** How often the files are looked at. */
const INTERVAL_MILLIS = 1000;
/** A certificate and its key are rarely replaced at one moment: both are to be there when they are read. */
const QUIET_MILLIS = 1500;

/**
 * Calls back some time after the last change of the files; the answer ends that. Looking at what a path leads to finds
 * every kind of change: a file written anew, another one renamed over it, a link that leads elsewhere, as mounted
 * secrets of Kubernetes change (`..data`), also on network file systems, which report nothing by themselves.
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
