/** Asks a database whether it is there; each method gives up at `signal`. */
export interface DatabaseProbe {
  /** Name of the product that answers, e.g. `MariaDB`. */
  product(signal: AbortSignal): Promise<string>;
  /** The protocol's own question, or the least that proves the same. */
  ping(signal: AbortSignal): Promise<void>;
  /** The first value of the first row. */
  ask(sql: string, signal: AbortSignal): Promise<unknown>;
  /** The query in the words of this engine. */
  translated(sql: string): string;
}

/** Of a result as both drivers give it. */
export function firstValue(rows: unknown): unknown {
  const [first] = Array.isArray(rows) ? (rows as readonly unknown[]) : [];
  return typeof first === 'object' && first !== null ? Object.values(first)[0] : undefined;
}
