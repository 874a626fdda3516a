const { CLUSTER_ROUNDS } = process.env;

/** Rounds of a story in `test/platform/persistence/galera`: few in a run of all tests, more with `npm run test:cluster -- --rounds 20`. */
export function clusterRounds(few: number): number {
  return CLUSTER_ROUNDS === undefined ? few : Number(CLUSTER_ROUNDS);
}

/** In a run of all tests, a node that does not respond is excluded after 2 s instead of 5 s; a long run uses the defaults. */
export const HASTY =
  CLUSTER_ROUNDS === undefined
    ? [
        'evs.keepalive_period=PT0.5S',
        'evs.inactive_check_period=PT0.5S',
        'evs.suspect_timeout=PT2S',
        'evs.inactive_timeout=PT5S',
      ]
    : undefined;
