const { CLUSTER_ROUNDS } = process.env;

/** True for a run with `--rounds`. */
export const IS_LONG = CLUSTER_ROUNDS !== undefined;

/** Rounds of a story in `test/cluster`: few in a run of all tests, more with `npm run test:cluster -- --rounds 20`. */
export function clusterRounds(few: number): number {
  return CLUSTER_ROUNDS === undefined ? few : Number(CLUSTER_ROUNDS);
}
