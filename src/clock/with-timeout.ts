interface TimeoutOptions {
  /**
   * Waits one more turn of the event loop: a busy process runs its late timers before it reads its sockets, where the
   * result may already be.
   */
  readonly readsSocketsFirst?: boolean;
}

/** The result of `work`, or that of `onTimeout` after `limitMillis`; `onTimeout` may throw. The work itself continues. */
export async function withTimeout<T, L>(
  work: Promise<T>,
  limitMillis: number,
  onTimeout: () => L,
  { readsSocketsFirst = false }: TimeoutOptions = {},
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  let lastTurn: NodeJS.Immediate | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      if (readsSocketsFirst) lastTurn = setImmediate(resolve);
      else resolve();
    }, limitMillis);
  });
  try {
    return await Promise.race([work, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
    clearImmediate(lastTurn);
  }
}
